// Trees to brackets, on one line or indented.
#include <algorithm>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/text/brackets.h"
#include "text/lines.h"

namespace coppice::text {

namespace {

constexpr std::size_t kMaxIndent = 32;

void require_atom(std::string_view atom) {
  if (atom.find_first_of("() \t\r\n\v\f") == std::string_view::npos) return;
  throw InvalidArgument(
      concat("\"", excerpt_of(atom), "\" cannot stand in a bracketed tree"),
      {.code = "E115", .help = "treebanks write ( as -LRB- and ) as -RRB-; there are no blanks"});
}

void require_word(std::string_view word) {
  require_atom(word);
  if (!word.empty()) return;
  throw InvalidArgument("an empty word cannot stand in a bracketed tree", {.code = "E115"});
}

// The bytes of each node on one line.
std::vector<std::size_t> widths(const Tree& tree) {
  // Brackets, blanks and text up to each node, as one_line() writes them.
  std::vector<std::size_t> before(tree.num_nodes() + 1, 0);
  for (std::size_t node = 0; node < tree.num_nodes(); ++node) {
    const std::size_t word = tree.is_leaf(node) ? tree.word(tree.begin(node)).size() + 1 : 0;
    before[node + 1] = before[node] + tree.label(node).size() + word + 3;  // " (" and ")"
  }
  std::vector<std::size_t> width(tree.num_nodes());
  for (std::size_t node = 0; node < tree.num_nodes(); ++node)
    width[node] = before[tree.next(node)] - before[node] - 1;
  return width;
}

// Closes the brackets that end before `node`.
void close_until(std::vector<std::size_t>& open, std::size_t node, const Tree& tree,
                 std::string& text) {
  for (; !open.empty() && tree.next(open.back()) <= node; open.pop_back()) text += ')';
}

}  // namespace

void BracketWriter::open(std::string_view label) {
  if (has_begun_) out_ += ' ';
  has_begun_ = true;
  out_.append("(").append(label);
}

void BracketWriter::word(std::string_view text) {
  if (has_begun_) out_ += ' ';
  has_begun_ = true;
  out_ += text;
}

std::string one_line(const Tree& tree) { return pretty(tree, static_cast<std::size_t>(-1)); }

std::string pretty(const Tree& tree, std::size_t columns) {
  std::string text;
  const std::vector<std::size_t> width = widths(tree);
  std::vector<std::size_t> open;
  std::size_t broken = 0;  // how many of them have a line for each child: the outermost ones
  for (std::size_t node = 0; node < tree.num_nodes(); ++node) {
    close_until(open, node, tree, text);
    broken = std::min(broken, open.size());
    const std::size_t indent = std::min(2 * open.size(), kMaxIndent);
    if (broken == open.size()) {
      const bool follows_bare_bracket = node > 0 && tree.label(node - 1).empty();
      if (follows_bare_bracket)
        text += ' ';  // "( (S", as treebanks have it
      else if (node > 0)
        text.append("\n").append(indent, ' ');
      if (width[node] > columns - std::min(indent, columns)) ++broken;
    } else {
      text += ' ';
    }
    require_atom(tree.label(node));
    text.append("(").append(tree.label(node));
    if (tree.is_leaf(node)) {
      require_word(tree.word(tree.begin(node)));
      text.append(" ").append(tree.word(tree.begin(node)));
    }
    open.push_back(node);
  }
  close_until(open, tree.num_nodes(), tree, text);
  return text;
}

}  // namespace coppice::text
