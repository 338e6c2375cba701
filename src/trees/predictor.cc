#include "coppice/trees/predictor.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace coppice::trees {

namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};

// Calls visit(word, mask) for the words of a long bit set that lack some of the bits [first, last)
// once these are cleared; `mask` has the bits that are left.
template <class Visit>
void for_words_without(std::size_t first, std::size_t last, const Visit& visit) {
  for (std::size_t word = first / 64; word * 64 < last; ++word) {
    std::uint64_t cleared = kAll;
    if (word * 64 < first) cleared &= kAll << (first % 64);
    if (last < word * 64 + 64) cleared &= ~(kAll << (last % 64));
    visit(static_cast<std::uint32_t>(word), ~cleared);
  }
}

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
  base_.assign(states * outputs, 0);
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
      masks_.back().left &= mask.left;
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
              kNoMasks,
              1,
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
      if (shape.state_masks == kNoMasks) add_states(tree, shape);
      for (std::size_t k = 0; k < shape.num_classes; ++k) {
        const std::size_t state = absent_leaves_[shape.absent_leaves + k];
        if (!set_has(trees_.sets.subspan(node.split), state)) continue;
        std::uint64_t* of_class = &state_masks_[shape.state_masks + k * words];
        for_words_without(first, last,
                          [&](std::uint32_t word, std::uint64_t left) { of_class[word] &= left; });
      }
      continue;
    }
    const bool absent_right = Turned::absent_right(*schema_, node);
    const BinRange bins = schema_->bins(node.feature);
    for (std::uint32_t bin = bins.begin; bin < bins.end; ++bin) {
      if (bin_goes_right(*schema_, trees_, node, bin) == absent_right) continue;
      for_words_without(first, last, [&](std::uint32_t word, std::uint64_t left) {
        masks.push_back({bin, {static_cast<std::uint32_t>(tree), shape.first_word + word, left}});
      });
    }
    if (node.num_surrogates > 0) {
      fallbacks_.push_back(
          {static_cast<std::uint32_t>(tree), static_cast<std::uint32_t>(at), first, last});
    }
  }
  for (std::size_t k = 0; shape.state_masks != kNoMasks && k < shape.num_classes; ++k) {
    absent_leaves_[shape.absent_leaves + k] = static_cast<std::uint32_t>(
        first_left(&state_masks_[shape.state_masks + k * words], nullptr, words));
  }
  for (std::size_t state = 0; state < states_; ++state) {
    std::size_t leaf = 0;
    if (shape.state_masks != kNoMasks) {
      leaf = absent_leaves_[shape.absent_leaves + classes_[shape.classes + state]];
    }
    base_[state * outputs_ + shape.output] += leaf_values_[shape.first_leaf + leaf];
  }
  shapes_.push_back(shape);
}

// Masks that rule nothing out so far. Until the masks are made, a state of the class stands where
// its leaf will.
void Predictor::add_states(std::size_t tree, Shape& shape) {
  const StateClasses classes = state_classes(trees_, tree, states_);
  shape.num_classes = static_cast<std::uint32_t>(classes.size());
  shape.state_masks = static_cast<std::uint32_t>(state_masks_.size());
  state_masks_.resize(state_masks_.size() + classes.size() * set_words(shape.num_leaves), kAll);
  shape.absent_leaves = static_cast<std::uint32_t>(absent_leaves_.size());
  absent_leaves_.insert(absent_leaves_.end(), classes.first.begin(), classes.first.end());
  shape.classes = static_cast<std::uint32_t>(classes_.size());
  classes_.insert(classes_.end(), classes.of_state.begin(), classes.of_state.end());
}

std::size_t Predictor::first_left(const std::uint64_t* mask, const std::uint64_t* allowed,
                                  std::size_t words) const {
  for (std::size_t word = 0; word < words; ++word) {
    const std::uint64_t left = allowed == nullptr ? mask[word] : mask[word] & allowed[word];
    if (left != 0) return word * 64 + static_cast<std::size_t>(std::countr_zero(left));
  }
  return 0;  // unreachable: a path is never ruled out whole
}

void Predictor::rule_out(const Mask& mask, Scratch& scratch) const {
  if (scratch.stamps[mask.tree] != scratch.stamp) {
    const Shape& shape = shapes_[mask.tree];
    scratch.stamps[mask.tree] = scratch.stamp;
    scratch.touched.push_back(mask.tree);
    std::fill_n(&scratch.masks[shape.first_word], set_words(shape.num_leaves), kAll);
  }
  scratch.masks[mask.word] &= mask.left;
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
      for_words_without(fallback.first, fallback.last, [&](std::uint32_t word, std::uint64_t left) {
        rule_out({fallback.tree, shapes_[fallback.tree].first_word + word, left}, scratch);
      });
    }
  }
}

void Predictor::score(std::span<const std::uint32_t> row, std::span<double> scores,
                      Scratch& scratch) const {
  if (scratch.stamps.size() != shapes_.size() || ++scratch.stamp == 0) {
    scratch.stamps.assign(shapes_.size(), 0);
    scratch.masks.resize(num_words_);
    scratch.stamp = 1;
  }
  scratch.touched.clear();
  for (const std::uint32_t bin : row) {
    for (std::uint32_t i = mask_begin_[bin]; i < mask_begin_[bin + 1]; ++i) {
      rule_out(masks_[i], scratch);
    }
  }
  fall_back(row, scratch);
  std::copy(base_.begin(), base_.end(), scores.begin());
  for (const std::uint32_t tree : scratch.touched) {
    const Shape& shape = shapes_[tree];
    const std::size_t words = set_words(shape.num_leaves);
    const std::uint64_t* mask = &scratch.masks[shape.first_word];
    const float* values = &leaf_values_[shape.first_leaf];
    if (shape.state_masks == kNoMasks) {
      const double change =
          static_cast<double>(values[first_left(mask, nullptr, words)]) - values[0];
      for (std::size_t state = 0; state < states_; ++state) {
        scores[state * outputs_ + shape.output] += change;
      }
      continue;
    }
    scratch.changes.resize(shape.num_classes);
    for (std::size_t k = 0; k < shape.num_classes; ++k) {
      const std::uint64_t* allowed = &state_masks_[shape.state_masks + k * words];
      scratch.changes[k] = static_cast<double>(values[first_left(mask, allowed, words)]) -
                           values[absent_leaves_[shape.absent_leaves + k]];
    }
    for (std::size_t state = 0; state < states_; ++state) {
      scores[state * outputs_ + shape.output] += scratch.changes[classes_[shape.classes + state]];
    }
  }
}

}  // namespace coppice::trees
