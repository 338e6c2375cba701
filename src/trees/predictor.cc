#include "coppice/trees/predictor.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace coppice::trees {

namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};

// Calls visit(word, bits) for the words of a long bit set that have some of the bits [first, last).
template <class Visit>
void for_words_with(std::size_t first, std::size_t last, const Visit& visit) {
  for (std::size_t word = first / 64; word * 64 < last; ++word) {
    std::uint64_t bits = kAll;
    if (word * 64 < first) bits &= kAll << (first % 64);
    if (last < word * 64 + 64) bits &= ~(kAll << (last % 64));
    visit(static_cast<std::uint32_t>(word), bits);
  }
}

// The first leaf that neither has ruled out. There is one: a path is never ruled out whole.
std::size_t first_left(const std::uint64_t* ruled_out, const std::uint64_t* by_class) {
  std::size_t word = 0;
  while ((ruled_out[word] | by_class[word]) == kAll) ++word;
  return word * 64 + static_cast<std::size_t>(std::countr_one(ruled_out[word] | by_class[word]));
}
std::size_t first_left(const std::uint64_t* ruled_out) { return first_left(ruled_out, ruled_out); }

// Where the leaves of a turned tree are: leaves are numbered from the side where examples without
// the feature go.
struct Turned {
  std::vector<std::uint32_t> near_child, first, count;  // by node

  Turned(const Schema& schema, std::span<const Node> nodes)
      : near_child(nodes.size()), first(nodes.size()), count(nodes.size(), 1) {
    for (std::size_t at = nodes.size(); at-- > 0;) {
      const Node& node = nodes[at];
      if (node.is_leaf()) continue;
      count[at] = count[node.left] + count[node.right()];
      near_child[at] = absent_right(schema, node) ? node.right() : node.left;
    }
    for (std::size_t at = 0; at < nodes.size(); ++at) {
      const Node& node = nodes[at];
      if (node.is_leaf()) continue;
      const std::uint32_t far_child = node.left + node.right() - near_child[at];
      first[near_child[at]] = first[at];
      first[far_child] = first[at] + count[near_child[at]];
    }
  }

  static bool absent_right(const Schema& schema, const Node& node) {
    return node.default_right != 0 && node.feature != kStateFeature &&
           schema.kind(node.feature) != FeatureKind::kBinary;
  }
};

bool bin_goes_right(const Schema& schema, const EnsembleView& trees, const Node& node,
                    std::uint32_t bin) {
  const std::uint32_t row[] = {bin};
  return goes_right(schema, trees, node, row);
}

}  // namespace

Predictor::Predictor(const Schema& schema, const EnsembleView& trees, std::size_t states,
                     std::size_t outputs)
    : schema_(&schema), trees_(trees), states_(states), outputs_(outputs) {
  std::vector<BinMask> masks;
  base_of_all_.assign(outputs, 0);
  base_of_state_.assign(states * outputs, 0);
  for (std::size_t tree = 0; tree < trees.num_trees(); ++tree) compile(tree, masks);
  collect(std::move(masks));
  group_fallbacks();
}

// Groups masks by bin, and makes one of those that are of the same word.
void Predictor::collect(std::vector<BinMask> masks) {
  std::sort(masks.begin(), masks.end(), [](const BinMask& a, const BinMask& b) {
    return std::pair(a.bin, a.mask.word) < std::pair(b.bin, b.mask.word);
  });
  mask_begin_.assign(schema_->num_bins() + 1, 0);
  for (std::size_t i = 0; i < masks.size(); ++i) {
    const auto& [bin, mask] = masks[i];
    if (i > 0 && masks[i - 1].bin == bin && masks[i - 1].mask.word == mask.word) {
      masks_.back().ruled_out |= mask.ruled_out;
      continue;
    }
    ++mask_begin_[bin + 1];
    masks_.push_back(mask);
  }
  for (std::size_t bin = 0; bin < schema_->num_bins(); ++bin) {
    mask_begin_[bin + 1] += mask_begin_[bin];
  }
}

void Predictor::group_fallbacks() {
  const auto key = [&](const Fallback& fallback) {
    return std::pair(node_of(fallback).feature, first_surrogate(fallback).feature);
  };
  std::stable_sort(fallbacks_.begin(), fallbacks_.end(),
                   [&](const Fallback& a, const Fallback& b) { return key(a) < key(b); });
  for (std::uint32_t i = 0; i < fallbacks_.size(); ++i) {
    const auto [feature, surrogate] = key(fallbacks_[i]);
    if (i == 0 || key(fallbacks_[i - 1]) != key(fallbacks_[i])) {
      fallback_groups_.push_back({feature, surrogate, i, i});
    }
    fallback_groups_.back().end = i + 1;
  }
}

void Predictor::compile(std::size_t tree, std::vector<BinMask>& masks) {
  const std::span<const Node> nodes = trees_.tree(tree);
  const Turned turned(*schema_, nodes);
  const std::uint32_t num_leaves = turned.count[0];
  const std::size_t words = set_words(num_leaves);
  Shape shape{static_cast<std::uint32_t>(leaf_values_.size()),
              num_leaves,
              static_cast<std::uint32_t>(num_words_),
              trees_.output[tree],
              kNoClasses,
              0,
              0};
  num_words_ += words;
  leaf_values_.resize(leaf_values_.size() + num_leaves);
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    const Node& node = nodes[at];
    if (node.is_leaf()) {
      leaf_values_[shape.first_leaf + turned.first[at]] = node.value;
      continue;
    }
    const std::uint32_t first = turned.first[at],
                        last = first + turned.count[turned.near_child[at]];
    if (node.feature == kStateFeature) {
      if (shape.first_class == kNoClasses) add_classes(tree, shape);
      for (std::size_t k = 0; k < shape.num_classes; ++k) {
        const std::size_t state = members_[classes_[shape.first_class + k].begin];
        if (!set_has(trees_.sets.subspan(node.split), state)) continue;
        std::uint64_t* of_class = &class_masks_[shape.class_masks + k * words];
        for_words_with(first, last,
                       [&](std::uint32_t word, std::uint64_t bits) { of_class[word] |= bits; });
      }
      continue;
    }
    const bool absent_right = Turned::absent_right(*schema_, node);
    const BinRange bins = schema_->bins(node.feature);
    for (std::uint32_t bin = bins.begin; bin < bins.end; ++bin) {
      if (bin_goes_right(*schema_, trees_, node, bin) == absent_right) continue;
      for_words_with(first, last, [&](std::uint32_t word, std::uint64_t bits) {
        masks.push_back({bin, {static_cast<std::uint32_t>(tree), shape.first_word + word, bits}});
      });
    }
    if (node.num_surrogates > 0) {
      fallbacks_.push_back(
          {static_cast<std::uint32_t>(tree), static_cast<std::uint32_t>(at), first, last});
    }
  }
  add_base(shape);
  shapes_.push_back(shape);
}

// Classes that rule nothing out so far.
void Predictor::add_classes(std::size_t tree, Shape& shape) {
  const StateClasses found = state_classes(trees_, tree, states_);
  std::vector<std::vector<std::uint16_t>> members(found.size());
  for (std::size_t state = 0; state < states_; ++state) {
    members[found.of_state[state]].push_back(static_cast<std::uint16_t>(state));
  }
  std::iter_swap(members.begin(),
                 std::max_element(members.begin(), members.end(),
                                  [](auto& a, auto& b) { return a.size() < b.size(); }));
  shape.first_class = static_cast<std::uint32_t>(classes_.size());
  shape.num_classes = static_cast<std::uint32_t>(members.size());
  shape.class_masks = static_cast<std::uint32_t>(class_masks_.size());
  class_masks_.resize(class_masks_.size() + members.size() * set_words(shape.num_leaves), 0);
  for (const std::vector<std::uint16_t>& of_class : members) {
    const auto begin = static_cast<std::uint32_t>(members_.size());
    members_.insert(members_.end(), of_class.begin(), of_class.end());
    classes_.push_back({0, begin, static_cast<std::uint32_t>(members_.size())});
  }
}

// What the tree gives to an example without bins.
void Predictor::add_base(const Shape& shape) {
  const float* values = &leaf_values_[shape.first_leaf];
  if (shape.first_class == kNoClasses) {
    base_of_all_[shape.output] += values[0];
    return;
  }
  const std::size_t words = set_words(shape.num_leaves);
  for (std::size_t k = 0; k < shape.num_classes; ++k) {
    StateClass& one = classes_[shape.first_class + k];
    one.absent_leaf =
        static_cast<std::uint32_t>(first_left(&class_masks_[shape.class_masks + k * words]));
    for (std::uint32_t i = one.begin; i < one.end; ++i) {
      base_of_state_[shape.output * states_ + members_[i]] += values[one.absent_leaf];
    }
  }
}

// What a missing value does not say, surrogates may.
void Predictor::fall_back(std::span<const std::uint32_t> row, Scratch& scratch) const {
  for (const FallbackGroup& group : fallback_groups_) {
    if (find_bin(row, schema_->bins(group.feature)) != kNoBin) continue;
    const std::uint32_t bin = find_bin(row, schema_->bins(group.surrogate));
    const bool answers = bin != kNoBin || schema_->kind(group.surrogate) == FeatureKind::kBinary;
    for (std::uint32_t i = group.begin; i < group.end; ++i) {
      const Fallback& fallback = fallbacks_[i];
      const Node& node = node_of(fallback);
      const bool right = answers ? goes_right(*schema_, trees_, first_surrogate(fallback), bin)
                                 : goes_right(*schema_, trees_, node, row);
      if (right == (node.default_right != 0)) continue;
      for_words_with(fallback.first, fallback.last, [&](std::uint32_t word, std::uint64_t bits) {
        rule_out({fallback.tree, shapes_[fallback.tree].first_word + word, bits}, scratch);
      });
    }
  }
}

// Adds by what a tree that bins have touched differs from what it gives without them, and clears
// what they ruled out.
void Predictor::add_tree(std::size_t tree, Scratch& scratch) const {
  const Shape& shape = shapes_[tree];
  const std::size_t words = set_words(shape.num_leaves);
  std::uint64_t* ruled_out = &scratch.ruled_out[shape.first_word];
  const float* values = &leaf_values_[shape.first_leaf];
  if (shape.first_class == kNoClasses) {
    scratch.of_all[shape.output] += static_cast<double>(values[first_left(ruled_out)]) - values[0];
  } else {
    const StateClass* classes = &classes_[shape.first_class];
    const std::uint64_t* by_class = &class_masks_[shape.class_masks];
    const auto change = [&](std::size_t k) {
      return static_cast<double>(values[first_left(ruled_out, by_class + k * words)]) -
             values[classes[k].absent_leaf];
    };
    const double largest = change(0);
    scratch.of_all[shape.output] += largest;
    double* of_state = &scratch.of_state[shape.output * states_];
    for (std::size_t k = 1; k < shape.num_classes; ++k) {
      const double more = change(k) - largest;
      for (std::uint32_t i = classes[k].begin; i < classes[k].end; ++i) {
        of_state[members_[i]] += more;
      }
    }
  }
  std::fill_n(ruled_out, words, 0);
}

void Predictor::write_scores(std::span<double> scores, const Scratch& scratch) const {
  for (std::size_t state = 0; state < states_; ++state) {
    for (std::size_t output = 0; output < outputs_; ++output) {
      scores[state * outputs_ + output] =
          scratch.of_all[output] + scratch.of_state[output * states_ + state];
    }
  }
}

void Predictor::score(std::span<const std::uint32_t> row, std::span<double> scores,
                      Scratch& scratch) const {
  scratch.ruled_out.resize(num_words_);
  scratch.touched.resize(set_words(shapes_.size()));
  scratch.of_all = base_of_all_;
  scratch.of_state = base_of_state_;
  for (const std::uint32_t bin : row) {
    for (std::uint32_t i = mask_begin_[bin]; i < mask_begin_[bin + 1]; ++i) {
      rule_out(masks_[i], scratch);
    }
  }
  fall_back(row, scratch);
  for (std::size_t word = 0; word < scratch.touched.size(); ++word) {
    for (std::uint64_t trees = std::exchange(scratch.touched[word], 0); trees != 0;
         trees &= trees - 1) {
      add_tree(word * 64 + static_cast<std::size_t>(std::countr_zero(trees)), scratch);
    }
  }
  write_scores(scores, scratch);
}

}  // namespace coppice::trees
