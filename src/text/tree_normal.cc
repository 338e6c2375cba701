#include "coppice/text/tree_normal.h"

#include <utility>

#include "coppice/base/error.h"

namespace coppice::text {

namespace {

class Editor {
 public:
  Editor(const Tree& tree, const TreeEdits& edits) : tree_(tree), edits_(edits), builder_(result_) {
    count_words();
  }

  Tree run() {
    using Root = TreeEdits::Root;
    require(!tree_.empty(), "edited: the tree has no nodes");
    const bool has_root = is_root_label(tree_.label(0)) && !tree_.is_leaf(0);
    std::size_t node = 0;
    if (edits_.root == Root::kName) {
      open(kTop, tree_.num_nodes(), 0);
      node = has_root ? 1 : 0;
    } else if (edits_.root == Root::kDrop && has_root && is_only_child(1)) {
      node = 1;
    }
    while (node < tree_.num_nodes()) {
      close_until(node);
      node = copy(node);
    }
    close_until(tree_.num_nodes());
    if (result_.empty()) open({}, 0, 0), builder_.close();  // nothing is left
    return std::move(result_);
  }

 private:
  struct Open {
    std::size_t next;  // the first node of `tree_` that is no longer below
    std::size_t node;  // of `tree_`
  };

  void count_words() {
    words_.assign(tree_.num_words() + 1, 0);
    for (std::size_t node = 0; node < tree_.num_nodes(); ++node)
      if (tree_.is_leaf(node) && !(edits_.traces && tree_.label(node) == kEmptyElement))
        words_[tree_.begin(node) + 1] = 1;
    for (std::size_t i = 1; i < words_.size(); ++i) words_[i] += words_[i - 1];
  }
  // How many words of the node stay.
  std::size_t words_of(std::size_t node) const {
    return words_[tree_.end(node)] - words_[tree_.begin(node)];
  }
  // Whether nothing of the root that stays is outside the node.
  bool is_only_child(std::size_t node) const {
    if (tree_.num_nodes() == 1) return false;
    return tree_.next(node) == tree_.num_nodes() ||
           (edits_.traces && words_of(node) == words_of(0));
  }

  void open(std::string_view label, std::size_t next, std::size_t node) {
    builder_.open(label);
    open_.push_back({next, node});
  }
  void close_until(std::size_t node) {
    for (; !open_.empty() && open_.back().next <= node; open_.pop_back()) builder_.close();
  }

  // Copies the node, not its children, unless it goes. Returns the node to go on with.
  std::size_t copy(std::size_t node) {
    if (edits_.traces && words_of(node) == 0) return tree_.next(node);
    std::string_view label = tree_.label(node);
    if (tree_.is_leaf(node)) {
      builder_.open(edits_.functions ? plain_tag(label) : label);
      builder_.word(tree_.word(tree_.begin(node)));
      builder_.close();
      return node + 1;
    }
    if (edits_.functions) label = plain_phrase_label(label);
    if (goes(node, label)) return node + 1;
    open(label, tree_.next(node), node);
    return node + 1;
  }

  // Whether the phrase stands alone under its like, or under the root with a root's name.
  bool goes(std::size_t node, std::string_view label) const {
    if (open_.empty()) return false;
    const Open& parent = open_.back();
    const bool is_alone =
        edits_.traces ? words_of(node) == words_of(parent.node)
                      : parent.node + 1 == node && tree_.next(node) == tree_.next(parent.node);
    if (!is_alone) return false;
    const bool is_root = open_.size() == 1 && edits_.root == TreeEdits::Root::kName;
    if (is_root && is_root_label(label)) return true;
    return edits_.repeats && label == parent_label();
  }
  std::string_view parent_label() const {
    if (open_.size() == 1 && edits_.root == TreeEdits::Root::kName) return kTop;
    const std::string_view label = tree_.label(open_.back().node);
    return edits_.functions ? plain_phrase_label(label) : label;
  }

  const Tree& tree_;
  const TreeEdits& edits_;
  Tree result_;
  TreeBuilder builder_;
  std::vector<std::size_t> words_;  // that stay, before each word
  std::vector<Open> open_;
};

}  // namespace

Tree edited(const Tree& tree, const TreeEdits& edits) { return Editor(tree, edits).run(); }

TreeEdits tree_edits(const std::vector<std::string>& names) {
  TreeEdits edits;
  for (const std::string& name : names) {
    if (name == "functions") {
      edits.functions = true;
    } else if (name == "traces") {
      edits.traces = true;
    } else if (name == "repeats") {
      edits.repeats = true;
    } else if (name == "unary-top") {
      edits.root = TreeEdits::Root::kDrop;
    } else {
      throw InvalidArgument(concat("trees have no \"", name, "\" to strip"),
                            {.help = "functions, traces, repeats or unary-top"});
    }
  }
  return edits;
}

std::string_view plain_phrase_label(std::string_view label) noexcept {
  return label.substr(0, label.find_first_of("-=|", 1));
}

std::string_view plain_tag(std::string_view tag) noexcept {
  return tag.starts_with('-') ? tag : plain_phrase_label(tag);
}

bool is_root_label(std::string_view label) noexcept {
  return label.empty() || label == kTop || label == "ROOT" || label == "S1";
}

}  // namespace coppice::text
