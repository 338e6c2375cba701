#include "coppice/ccg/category.h"

#include <array>

#include "ccg/category_parser.h"
#include "coppice/base/error.h"

namespace coppice::ccg {

namespace {

constexpr SymbolId kNoFeature{0};
constexpr SymbolId kVariable{1};
constexpr std::string_view kSentence = "S";

// What the two variables have met so far.
class FeatureMatch {
 public:
  bool meet(SymbolId left, SymbolId right) {
    if (left == kVariable && right == kVariable)
      are_one_ = true;
    else if (left == kVariable)
      return bind(binding_.left, right);
    else if (right == kVariable)
      return bind(binding_.right, left);
    return left == right;
  }

  // None when the variables met each other and different features.
  std::optional<Binding> binding() const {
    if (!are_one_) return binding_;
    Binding both = binding_;
    if (!bind(both.left, both.right) || !bind(both.right, both.left)) return std::nullopt;
    return both;
  }

 private:
  static bool bind(SymbolId& bound, SymbolId feature) {
    if (feature == kVariable) return true;
    if (bound == kVariable) bound = feature;
    return bound == feature;
  }

  Binding binding_;
  bool are_one_ = false;
};

}  // namespace

Categories::Categories() {
  symbols_.add("");
  symbols_.add("X");
}

CategoryId Categories::atom(std::string_view name, std::string_view feature) {
  const SymbolId name_id = symbols_.add(name);
  const SymbolId feature_id = symbols_.add(feature);
  return add(kAtom, static_cast<std::uint32_t>(name_id), static_cast<std::uint32_t>(feature_id));
}

CategoryId Categories::complex(CategoryId result, Slash slash, CategoryId argument) {
  if (num_parts(result) + num_parts(argument) >= kMaxParts)
    throw InvalidArgument(concat("a category of more than ", kMaxParts, " parts"),
                          {.code = "E270"});
  return add(slash == Slash::kForward ? kForwardSlash : kBackwardSlash,
             static_cast<std::uint32_t>(result), static_cast<std::uint32_t>(argument));
}

CategoryId Categories::parse(std::string_view text) { return parse_bare(*this, text); }

CategoryId Categories::add(Kind kind, std::uint32_t first, std::uint32_t second) {
  const std::array<std::uint32_t, 3> key = {kind, first, second};
  const CategoryId category{known_.add(key)};
  if (coppice::index(category) == nodes_.size()) {
    nodes_.push_back({.first = first,
                      .second = second,
                      .skeleton = category,
                      .plain = category,
                      .num_parts = 1,
                      .kind = kind,
                      .has_variable = false});
    fill(category);
  }
  return category;
}

// Derives what follows from the parts. It calls add() for a category that is its own skeleton and
// plain form, and therefore no deeper than once more.
void Categories::fill(CategoryId category) {
  Node filled = node(category);
  if (filled.kind == kAtom) {
    const SymbolId feature{filled.second};
    filled.has_variable = feature == kVariable && symbols_[SymbolId{filled.first}] == kSentence;
    if (feature != kNoFeature) filled.skeleton = add(kAtom, filled.first, 0);
    if (filled.has_variable) filled.plain = filled.skeleton;
  } else {
    const Node result = node(CategoryId{filled.first});
    const Node argument = node(CategoryId{filled.second});
    filled.num_parts = static_cast<std::uint16_t>(1 + result.num_parts + argument.num_parts);
    filled.has_variable = result.has_variable || argument.has_variable;
    filled.skeleton = add(filled.kind, static_cast<std::uint32_t>(result.skeleton),
                          static_cast<std::uint32_t>(argument.skeleton));
    filled.plain = add(filled.kind, static_cast<std::uint32_t>(result.plain),
                       static_cast<std::uint32_t>(argument.plain));
  }
  nodes_[coppice::index(category)] = filled;
}

std::size_t Categories::num_arguments(CategoryId category) const noexcept {
  std::size_t count = 0;
  for (; !is_atom(category); category = result(category)) ++count;
  return count;
}

std::string Categories::text(CategoryId category) const {
  // What is left to be written: a category, or a character.
  struct Rest {
    CategoryId category;
    char character;
    bool bracketed;
  };
  std::string out;
  std::vector<Rest> rest = {{category, 0, false}};
  while (!rest.empty()) {
    const Rest next = rest.back();
    rest.pop_back();
    if (next.character != 0) {
      out += next.character;
    } else if (is_atom(next.category)) {
      out += name(next.category);
      if (const std::string_view mark = feature(next.category); !mark.empty())
        out.append("[").append(mark).append("]");
    } else {
      const CategoryId left = result(next.category);
      const CategoryId right = argument(next.category);
      if (next.bracketed) out += '(';
      if (next.bracketed) rest.push_back({category, ')', false});
      rest.push_back({right, 0, true});
      rest.push_back({category, slash(next.category) == Slash::kForward ? '/' : '\\', false});
      rest.push_back({left, 0, true});
    }
  }
  return out;
}

std::optional<Binding> Categories::unify(CategoryId left, CategoryId right) const {
  if (skeleton(left) != skeleton(right)) return std::nullopt;
  if (left == right) return Binding{};
  FeatureMatch match;
  std::vector<std::pair<CategoryId, CategoryId>> rest = {{left, right}};
  while (!rest.empty()) {
    const auto [a, b] = rest.back();
    rest.pop_back();
    if (a == b && !node(a).has_variable) continue;
    if (!is_atom(a)) {
      rest.emplace_back(result(a), result(b));
      rest.emplace_back(argument(a), argument(b));
    } else if (name(a) == kSentence) {
      if (!match.meet(SymbolId{node(a).second}, SymbolId{node(b).second})) return std::nullopt;
    }
  }
  return match.binding();
}

CategoryId Categories::bind(CategoryId category, SymbolId feature) {
  if (feature == kVariable || !node(category).has_variable) return category;
  return replace_feature(category, kVariable, feature);
}

CategoryId Categories::open_features(CategoryId category) {
  return replace_feature(category, kNoFeature, kVariable);
}

CategoryId Categories::replace_feature(CategoryId category, SymbolId from, SymbolId to) {
  // In postfix order, on a stack of finished parts.
  struct Rest {
    CategoryId category;
    bool are_parts_done;
  };
  std::vector<Rest> rest = {{category, false}};
  std::vector<CategoryId> done;
  while (!rest.empty()) {
    const auto [part, are_parts_done] = rest.back();
    rest.pop_back();
    if (is_atom(part)) {
      const bool changes = name(part) == kSentence && SymbolId{node(part).second} == from;
      done.push_back(changes ? add(kAtom, node(part).first, static_cast<std::uint32_t>(to)) : part);
    } else if (!are_parts_done) {
      rest.push_back({part, true});
      rest.push_back({argument(part), false});
      rest.push_back({result(part), false});
    } else {
      const CategoryId right = done.back();
      done.pop_back();
      done.back() = complex(done.back(), slash(part), right);
    }
  }
  return done.back();
}

}  // namespace coppice::ccg
