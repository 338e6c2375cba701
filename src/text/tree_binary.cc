#include "coppice/text/tree_binary.h"

#include <algorithm>

#include "coppice/base/assert.h"
#include "coppice/base/error.h"

namespace coppice::text {

namespace {

char letter(SymbolKind kind) noexcept {
  if (kind == SymbolKind::kTag) return 't';
  return kind == SymbolKind::kPhrase ? 'p' : '@';
}

}  // namespace

// Makes nodes in prefix order from a stack of parts that wait, the next one on top.
class Binariser::Walk {
 public:
  Walk(Binariser& binariser, const Tree& tree) : binariser_(binariser), tree_(tree) {
    find_parents();
  }

  BinaryTree run() {
    waiting_.push_back({.node = 0});
    while (!waiting_.empty()) {
      const Part part = waiting_.back();
      waiting_.pop_back();
      const auto number = static_cast<std::uint32_t>(result_.nodes.size());
      if (part.right_of != kNone) result_.nodes[part.right_of].right = number;
      if (part.is_split) {
        add_split(part);
      } else {
        add_node(part.node);
      }
    }
    return std::move(result_);
  }

 private:
  static constexpr std::uint32_t kNone = static_cast<std::uint32_t>(kMaxIds);

  // The children of a phrase, from one place in children_ up to another; its head is one of them.
  struct Phrase {
    std::size_t first = 0;
    std::size_t last = 0;
    std::size_t head = 0;
    SymbolId symbol{};
  };
  // What becomes a node: one of the tree, or children [begin, end) of a phrase.
  struct Part {
    std::size_t node = 0;
    bool is_split = false;
    Phrase phrase{};
    std::size_t begin = 0;
    std::size_t end = 0;
    std::uint32_t right_of = kNone;  // the binary node whose right child it is
  };

  void find_parents() {
    if (binariser_.options_.vertical == 1) return;
    parents_.assign(tree_.num_nodes(), kNone);
    std::vector<std::uint32_t> open;
    for (std::size_t node = 0; node < tree_.num_nodes(); ++node) {
      while (!open.empty() && tree_.next(open.back()) <= node) open.pop_back();
      if (!open.empty()) parents_[node] = open.back();
      open.push_back(static_cast<std::uint32_t>(node));
    }
  }

  SymbolId symbol_of(std::size_t node) {
    const std::string_view label = tree_.label(node);
    if (tree_.is_leaf(node)) return binariser_.add_symbol(SymbolKind::kTag, label, label);
    name_ = label;
    std::size_t ancestor = node;
    for (std::size_t i = 1; i < binariser_.options_.vertical; ++i) {
      ancestor = parents_[ancestor];
      if (ancestor == kNone) break;
      name_.append("^").append(tree_.label(ancestor));
    }
    return binariser_.add_symbol(SymbolKind::kPhrase, name_, label);
  }

  void add_node(std::size_t node) {
    chain_.clear();
    chain_.push_back(symbol_of(node));
    for (; tree_.is_unary(node); ++node) chain_.push_back(symbol_of(node + 1));
    const MoveId move = binariser_.add_move(chain_);
    append(chain_.back(), move, node, node);
    if (tree_.is_leaf(node)) return;
    require(tree_.next(node) > node + 1, "binarise: the phrase ", tree_.label(node),
            " has no children");
    const Phrase phrase = phrase_of(node, chain_.back());
    split({.is_split = true, .phrase = phrase, .begin = phrase.first, .end = phrase.last});
  }

  void append(SymbolId bottom, MoveId move, std::size_t first, std::size_t last) {
    result_.nodes.push_back({bottom, move, static_cast<std::uint32_t>(tree_.begin(first)),
                             static_cast<std::uint32_t>(tree_.end(last)), 0});
  }

  Phrase phrase_of(std::size_t node, SymbolId symbol) {
    Phrase phrase{.first = children_.size(), .symbol = symbol};
    for (std::size_t child = node + 1; child < tree_.next(node); child = tree_.next(child))
      children_.push_back(child);
    phrase.last = children_.size();
    phrase.head = phrase.first;
    if (binariser_.options_.direction == Direction::kRight) phrase.head = phrase.last - 1;
    if (binariser_.options_.direction == Direction::kHead) phrase.head += head_of(node, phrase);
    return phrase;
  }

  std::size_t head_of(std::size_t node, const Phrase& phrase) {
    child_labels_.clear();
    for (std::size_t i = phrase.first; i < phrase.last; ++i)
      child_labels_.push_back(tree_.label(children_[i]));
    return binariser_.options_.heads->head(tree_.label(node), child_labels_);
  }

  // Takes a child off the part, which is the last node so far; both pieces wait.
  void split(const Part& part) {
    const auto node = static_cast<std::uint32_t>(result_.nodes.size() - 1);
    const bool takes_first = part.begin < part.phrase.head;
    const std::size_t middle = takes_first ? part.begin + 1 : part.end - 1;
    wait(part.phrase, middle, part.end, node);
    wait(part.phrase, part.begin, middle, kNone);
  }

  void wait(const Phrase& phrase, std::size_t begin, std::size_t end, std::uint32_t right_of) {
    const bool is_split = end - begin > 1;
    waiting_.push_back({.node = children_[begin],
                        .is_split = is_split,
                        .phrase = phrase,
                        .begin = begin,
                        .end = end,
                        .right_of = right_of});
  }

  void add_split(const Part& part) {
    name_of_split(part);
    const SymbolId symbol =
        binariser_.add_symbol(SymbolKind::kSplit, name_, binariser_.label(part.phrase.symbol));
    const MoveId move = binariser_.add_move({&symbol, 1});
    append(symbol, move, children_[part.begin], children_[part.end - 1]);
    split(part);
  }

  void name_of_split(const Part& part) {
    const Phrase& phrase = part.phrase;
    name_.clear();
    name_ += '@';
    name_.append(binariser_.name(phrase.symbol));
    std::size_t room = binariser_.options_.horizontal;
    char separator = '|';
    const auto add = [&](std::size_t child) {
      if (room == 0) return;
      --room;
      name_ += separator;
      name_ += tree_.label(children_[child]);
      separator = ',';
    };
    if (binariser_.options_.direction == Direction::kHead) {
      for (std::size_t i = part.begin; i < phrase.head && room > 0; ++i) add(i);
      for (std::size_t i = part.end; i-- > phrase.head && room > 0;) add(i);
    } else {  // what went lies on one side
      for (std::size_t i = part.begin; i-- > phrase.first && room > 0;) add(i);
      for (std::size_t i = part.end; i < phrase.last && room > 0; ++i) add(i);
    }
  }

  Binariser& binariser_;
  const Tree& tree_;
  BinaryTree result_;
  std::vector<Part> waiting_;
  std::vector<std::size_t> children_;
  std::vector<std::uint32_t> parents_;
  std::vector<SymbolId> chain_;
  std::vector<std::string_view> child_labels_;
  std::string name_;
};

Binariser::Binariser(const BinaryOptions& options) : options_(options) {
  require(options.vertical > 0, "binariser: names have no label at vertical = 0");
}

BinaryTree Binariser::binarise(const Tree& tree) {
  require(!tree.empty(), "binarise: the tree has no nodes");
  return Walk(*this, tree).run();
}

SymbolId Binariser::add_symbol(SymbolKind kind, std::string_view name, std::string_view label) {
  std::string key;
  key += letter(kind);
  key.append(label).append("\n").append(name);
  const SymbolId symbol = keys_.add(key);
  if (index(symbol) == kinds_.size()) {
    kinds_.push_back(kind);
    label_of_.push_back(labels_.add(label));
  }
  return symbol;
}

MoveId Binariser::add_move(std::span<const SymbolId> chain) {
  const std::string_view key(reinterpret_cast<const char*>(chain.data()), chain.size_bytes());
  const SymbolId id = move_keys_.add(key);
  if (index(id) == moves_.size()) moves_.push_back({{chain.begin(), chain.end()}});
  ++moves_[index(id)].count;
  return MoveId{static_cast<std::uint32_t>(index(id))};
}

Tree Binariser::restore(const BinaryTree& tree, std::span<const std::string_view> words) const {
  struct Step {
    std::uint32_t node;
    std::size_t closes;  // 0: make the node; else close so many brackets
  };
  Tree result;
  TreeBuilder builder(result);
  std::vector<Step> waiting;
  if (!tree.nodes.empty()) waiting.push_back({0, 0});
  std::size_t made = 0;
  for (std::size_t word = 0; !waiting.empty();) {
    const Step step = waiting.back();
    waiting.pop_back();
    for (std::size_t i = 0; i < step.closes; ++i) builder.close();
    if (step.closes > 0) continue;
    const BinaryTree::Node& node = tree.nodes[step.node];
    ++made;
    std::size_t closes = 0;
    for (const SymbolId symbol : chain(node.move)) {
      if (kind(symbol) == SymbolKind::kSplit) continue;
      builder.open(label(symbol));
      ++closes;
    }
    if (closes > 0) waiting.push_back({0, closes});
    if (node.right == 0) {
      require(word < words.size() && kind(node.bottom) == SymbolKind::kTag,
              "restore: a leaf is no tag over a word of the sentence");
      builder.word(words[word++]);
      continue;
    }
    require(node.right > step.node + 1 && node.right < tree.nodes.size(), "restore: node ",
            step.node, " has no right child");
    waiting.push_back({node.right, 0});
    waiting.push_back({step.node + 1, 0});
  }
  require(made == tree.nodes.size() && result.num_words() == words.size(), "restore: ", made,
          " of ", tree.nodes.size(), " nodes make a tree of ", result.num_words(),
          " words, for a sentence of ", words.size());
  return result;
}

MoveTable::MoveTable(const Binariser& binariser) {
  std::map<std::pair<SymbolId, SymbolId>, MoveId> commonest;
  for (const MoveId move : IdRange<MoveId>(binariser.num_moves())) {
    MoveId& best =
        commonest.try_emplace({binariser.top(move), binariser.bottom(move)}, move).first->second;
    if (binariser.count(move) > binariser.count(best)) best = move;
  }
  for (const MoveId move : IdRange<MoveId>(binariser.num_moves())) {
    chosen_.push_back(commonest.at({binariser.top(move), binariser.bottom(move)}));
    if (chosen_.back() != move) num_lost_ += binariser.count(move);
  }
}

}  // namespace coppice::text
