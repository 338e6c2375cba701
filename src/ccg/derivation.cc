#include "coppice/ccg/derivation.h"

#include <algorithm>
#include <tuple>

#include "coppice/base/error.h"

namespace coppice::ccg {

namespace {

constexpr std::string_view kConjunctMark = "[conj]";

// What converted treebanks write beside the grammar's own: any punctuation joins conjuncts, and a
// conjunction that joins none is absorbed.
Rules widened(Rules rules) {
  const std::vector<CategoryId> conjunctions = rules.conjunctions;
  for (const CategoryId mark : rules.punctuation)
    if (!rules.is_conjunction(mark)) rules.conjunctions.push_back(mark);
  for (const CategoryId mark : conjunctions)
    if (!rules.is_punctuation(mark)) rules.punctuation.push_back(mark);
  return rules;
}

std::string_view without_conjunct_mark(std::string_view label) {
  if (label.ends_with(kConjunctMark)) label.remove_suffix(kConjunctMark.size());
  return label;
}

}  // namespace

// A node whose children are not all derived yet.
struct Deriver::Open {
  Derivation::Node node;
  std::uint32_t found = 0;
  bool is_conjunct = false;
};

// A node of the file, in prefix order.
struct Deriver::Vertex {
  CategoryId label{};
  std::uint32_t num_children = 0;
  std::uint32_t row = 0;
  std::uint32_t size = 1;  // of the subtree
  bool is_conjunct = false;
};

Deriver::Deriver(Forms& forms, Rules rules, const Markup* markup)
    : forms_(&forms),
      rules_(widened(std::move(rules))),
      markup_(markup),
      combiner_(forms, rules_,
                {.normal_form = false, .composition_limits = false, .tolerant = true}),
      items_(forms) {}

std::vector<Deriver::Vertex> Deriver::prepare(const text::Sentence& sentence,
                                              const text::CcgbankTree& tree) {
  std::vector<Vertex> vertices;
  vertices.reserve(tree.vertices.size());
  for (const auto& read : tree.vertices) {
    const std::string_view label = sentence.view(read.category);
    const std::string_view bare = without_conjunct_mark(label);
    vertices.push_back({.label = forms_->categories().parse(bare),
                        .num_children = read.num_children,
                        .row = read.row,
                        .is_conjunct = bare.size() < label.size() && read.num_children == 2});
  }
  for (std::size_t at = vertices.size(); at-- > 0;) {
    Vertex& vertex = vertices[at];
    for (std::uint32_t child = 0; child < vertex.num_children; ++child)
      vertex.size += vertices[at + vertex.size].size;
  }
  mark_conjuncts(vertices);
  return vertices;
}

void Deriver::mark_conjuncts(std::vector<Vertex>& vertices) const {
  for (std::size_t at = 0; at < vertices.size(); ++at) {
    if (vertices[at].num_children != 2) continue;
    const std::size_t left = at + 1, right = left + vertices[left].size;
    const CategoryId label = vertices[at].label;
    const bool is_coordination = vertices[left].label == label && vertices[right].label == label &&
                                 !rules_.is_punctuation(label);
    if (is_coordination) mark_conjunct(vertices, right);
  }
}

// Goes down through absorbed punctuation to the innermost (conj X).
void Deriver::mark_conjunct(std::vector<Vertex>& vertices, std::size_t at) const {
  const auto is_mark = [&](std::size_t vertex) {
    return vertices[vertex].num_children == 0 && rules_.is_conjunction(vertices[vertex].label);
  };
  std::optional<std::size_t> innermost;
  while (vertices[at].num_children == 2) {
    const std::size_t left = at + 1, right = left + vertices[left].size;
    if (is_mark(left) && vertices[right].label == vertices[at].label) {
      innermost = at;
      at = right;
    } else if (is_mark(right) && vertices[left].label == vertices[at].label) {
      at = left;
    } else {
      break;
    }
  }
  if (innermost) vertices[*innermost].is_conjunct = true;
}

Supertag Deriver::supertag(const text::Sentence& sentence, std::size_t row) {
  const std::string_view indexed = sentence.cell(row, text::CcgbankReader::kIndexed);
  std::string key = has_features_ ? "+" : "-";
  key += indexed;
  key += ' ';
  key += sentence.cell(row, text::CcgbankReader::kSupertag);
  if (const auto known = known_tags_.find(key); known != known_tags_.end()) return known->second;
  Categories& categories = forms_->categories();
  const CategoryId category = categories.parse(sentence.cell(row, text::CcgbankReader::kSupertag));
  const Supertag* entry = markup_ == nullptr ? nullptr : markup_->find(category);
  const auto open = [&](CategoryId closed) {
    return has_features_ ? categories.open_features(closed) : closed;
  };
  Supertag tag;
  if (indexed.find_first_of("{_") != std::string_view::npos) {
    tag = forms_->parse_supertag(indexed);
    const std::span<const PartVariable> read = forms_->variables(tag.form);
    const std::vector<PartVariable> variables(read.begin(), read.end());
    tag.form = forms_->add(open(forms_->category(tag.form)), variables);
  } else if (entry != nullptr) {
    tag = *entry;
  } else {
    tag.category = category;
    tag.form = forms_->add(open(category), usual_variables(categories, category, 0));
    tag.slots = forms_->derived_slots(tag.form);
  }
  known_tags_.emplace(std::move(key), tag);
  return tag;
}

Derivation Deriver::derive(const text::Sentence& sentence, const text::CcgbankTree& tree) {
  items_.clear();
  Derivation made;
  try {
    has_features_ = false;
    for (std::size_t row = 0; row < sentence.num_tokens(); ++row)
      has_features_ |=
          sentence.cell(row, text::CcgbankReader::kSupertag).find("S[") != std::string_view::npos;
    std::vector<Open> open;
    for (const Vertex& vertex : prepare(sentence, tree)) {
      const Derivation::Node node{.label = vertex.label, .num_children = vertex.num_children};
      if (vertex.num_children > 0) {
        open.push_back({node, 0, vertex.is_conjunct});
        continue;
      }
      made.supertags.push_back(supertag(sentence, vertex.row));
      add_leaf(made, node);
      close_nodes(made, open);
    }
  } catch (const Error& error) {
    throw ParseError(error.what(), {.code = error.code(),
                                    .where = sentence.where(),
                                    .excerpt = std::string(sentence.id()),
                                    .help = error.help()});
  }
  return made;
}

void Deriver::add_leaf(Derivation& made, Derivation::Node node) {
  node.end = static_cast<std::uint32_t>(made.supertags.size());
  node.begin = node.end - 1;
  node.item = items_.lexical(node.begin, made.supertags.back());
  made.nodes.push_back(node);
}

// The last node is a child of the innermost open one; whatever has all its children is derived.
void Deriver::close_nodes(Derivation& made, std::vector<Open>& open) {
  while (!open.empty()) {
    Open& parent = open.back();
    Derivation::Node& node = parent.node;
    node.children[parent.found++] = static_cast<std::uint32_t>(made.nodes.size() - 1);
    if (parent.found < node.num_children) return;
    node.begin = made.nodes[node.children[0]].begin;
    node.end = made.nodes.back().end;
    if (node.num_children == 1) {
      derive_unary(made, node);
    } else {
      derive_binary(made, node, parent.is_conjunct);
    }
    made.nodes.push_back(node);
    open.pop_back();
  }
}

bool Deriver::fits(const Combination& combination, CategoryId label) const {
  const Categories& categories = forms_->categories();
  return categories.unify(forms_->category(combination.result), label).has_value();
}

void Deriver::fail(const Derivation& made, const Derivation::Node& node) const {
  const Categories& categories = forms_->categories();
  std::string from;
  for (std::uint32_t child = 0; child < node.num_children; ++child) {
    const Item& item = made.nodes[node.children[child]].item;
    from += concat(child == 0 ? "" : " and ", categories.text(forms_->category(item.form)),
                   item.marks.is_conjunct ? kConjunctMark : "");
  }
  throw ParseError(concat("no rule makes ", categories.text(node.label), " from ", from, " (words ",
                          node.begin + 1, " to ", node.end, ")"),
                   {.code = "E273"});
}

// Rules that the file shows; numbers go on after those of the grammar.
const UnaryRule& Deriver::change(CategoryId child, CategoryId label) {
  Categories& categories = forms_->categories();
  const CategoryId result = has_features_ ? categories.open_features(label) : label;
  for (const UnaryRule& known : changes_)
    if (known.child == child && known.result == result) return known;
  std::uint16_t number = 0;
  for (const auto* list : {&rules_.unary, &changes_})
    for (const UnaryRule& known : *list) number = std::max(number, known.number);
  try {
    changes_.push_back(make_raise(categories, child, result));
  } catch (const InvalidArgument&) {
    changes_.push_back(
        make_change(categories, child, result, static_cast<std::uint16_t>(number + 1)));
  }
  return changes_.back();
}

void Deriver::derive_unary(Derivation& made, Derivation::Node& node) {
  const Item& child = made.nodes[node.children[0]].item;
  std::optional<Combination> chosen;
  for (const Combination& each : combiner_.combine(child.form)) {
    if (!chosen && fits(each, node.label)) chosen = each;
  }
  if (!chosen)
    chosen = combiner_.combine(child.form, change(forms_->category(child.form), node.label));
  if (!chosen) fail(made, node);
  node.rule = chosen->rule;
  node.item = items_.combine(*chosen, child, made.dependencies);
}

void Deriver::derive_binary(Derivation& made, Derivation::Node& node, bool is_conjunct) {
  const Item& left = made.nodes[node.children[0]].item;
  const Item& right = made.nodes[node.children[1]].item;
  // X|X and X|X may be composed too; only a treebank with [conj] or features would mean that.
  const bool prefers_coordination = !has_features_;
  const Combination* chosen = nullptr;
  for (const Combination& each : combiner_.combine(left.form, right.form)) {
    if (!fits(each, node.label) || (each.rule == Rule::kConjunction) != is_conjunct) continue;
    if (!combiner_.permits(each, left.marks, right.marks)) continue;
    if (chosen == nullptr || (prefers_coordination && each.rule == Rule::kCoordination))
      chosen = &each;
  }
  if (chosen == nullptr) fail(made, node);
  node.rule = chosen->rule;
  node.item = items_.combine(*chosen, left, right, made.dependencies);
}

text::PargSentence parg_of(const text::Sentence& sentence, const Derivation& derivation,
                           const Categories& categories) {
  text::PargSentence parg{.id = std::string(sentence.id()),
                          .num_words = static_cast<std::uint32_t>(sentence.num_tokens()),
                          .dependencies = {},
                          .line = sentence.first_line()};
  const auto word = [&](std::uint32_t row) {
    return std::string(sentence.cell(row, *sentence.form_column()));
  };
  for (const Dependency& each : derivation.dependencies) {
    if (!each.is_scored) continue;
    parg.dependencies.push_back({.argument = each.argument,
                                 .functor = each.head,
                                 .category = categories.text(each.category),
                                 .slot = each.slot,
                                 .argument_word = word(each.argument),
                                 .functor_word = word(each.head),
                                 .is_long_range = each.is_long_range,
                                 .rule = each.rule});
  }
  const auto key = [](const text::PargDependency& each) {
    return std::tie(each.functor, each.slot, each.argument, each.category);
  };
  auto& list = parg.dependencies;
  std::ranges::stable_sort(list, {}, key);
  const auto repeated = std::ranges::unique(list, {}, key);
  list.erase(repeated.begin(), repeated.end());
  return parg;
}

}  // namespace coppice::ccg
