#include "chain/structure.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "chain/ngrams.h"
#include "coppice/base/error.h"

namespace coppice::chain {

// One sentence on its way to a forest: the states after a token, and what leads to the next.
struct ChainStructure::Layout {
  struct State {
    std::vector<std::uint16_t> labels;  // the last ones, oldest first
    bool matching = false;
    auto operator<=>(const State&) const = default;
  };
  struct Step {
    NodeId tail;
    std::vector<PartId> parts;
    learn::EdgeTarget target;
    double teacher = 0;
  };
  using Steps = std::map<State, std::vector<Step>>;

  Layout(const ChainStructure& of, std::size_t example, learn::PartExample& laid_out)
      : chain(of),
        annotation(of.data_.annotation(example)),
        soft(of.data_.soft_targets(example)),
        out(laid_out),
        begin(of.data_.sentence_begin[example]) {
    if (chain.items_ != nullptr && annotation.complete) {
      gold.assign(*chain.items_, annotation.labels.subspan(annotation.begin[0], length()));
    }
  }

  std::size_t length() const { return annotation.length(); }
  std::size_t num_labels() const { return chain.data_.num_labels; }
  bool counts() const { return chain.items_ != nullptr && annotation.complete; }

  void add_rows() {
    for (std::size_t n = 2; n <= chain.order_ + 1; ++n) {
      const std::uint32_t row = out.features.add_row();
      out.features.add(n);  // a key of its own: the sequences' bias
      std::size_t sequences = 1;
      for (std::size_t i = 0; i < n; ++i) sequences *= num_labels();
      first_sequence.push_back(out.features.add_parts(
          row, static_cast<std::uint32_t>(chain.first_output(n)), sequences));
    }
    const DesignMatrix& design = chain.data_.design;
    for (std::size_t t = begin; t < begin + length(); ++t) {
      const std::uint32_t row = out.features.add_row();
      for (std::size_t k = design.begin[t]; k < design.begin[t + 1]; ++k) {
        out.features.add(kMaxOrder + 2 + design.attributes[k],
                         design.values.empty() ? 1.0f : design.values[k]);
      }
      first_label.push_back(out.features.add_parts(row, 0, num_labels()));
    }
  }

  bool is_allowed(std::size_t t, const State& state, std::size_t label) const {
    const Constraints& constraints = chain.constraints_;
    if (t == 0 && !constraints.may_begin(label)) return false;
    if (t + 1 == length() && !constraints.may_end(label)) return false;
    return t == 0 || state.labels.empty() || chain.order_ == 0 ||
           constraints.allows(state.labels.back(), label, num_labels());
  }

  Step step(std::size_t t, const State& state, std::uint16_t label, NodeId tail) const {
    Step made{tail, {first_label[t] + label}, {}, 0};
    std::vector<std::uint16_t> sequence = state.labels;
    sequence.push_back(label);
    for (std::size_t n = 2; n <= std::min<std::size_t>(chain.order_ + 1, sequence.size()); ++n) {
      const auto last = std::span(sequence).last(n);
      made.parts.push_back(first_sequence[n - 2] + (chain.output(last) - chain.first_output(n)));
    }
    made.target.mistakes = annotation.allows(t, label) ? 0 : 1;
    made.target.is_gold = annotation.allows(t, label);
    for (std::size_t i = 0; i < state.labels.size(); ++i) {
      const std::size_t token = t - state.labels.size() + i;
      made.target.is_gold = made.target.is_gold && annotation.allows(token, state.labels[i]);
    }
    if (!soft.empty()) {
      made.teacher =
          t == 0 || chain.order_ == 0 ? soft.of(t, label) : soft.of(t, state.labels.back(), label);
    }
    return made;
  }

  // After a step: counts, and the bit.
  bool count(std::size_t t, const State& state, std::size_t label,
             learn::EdgeTarget& target) const {
    if (!counts()) return false;
    const std::size_t boundary = chain.items_->boundary();
    const std::size_t previous = state.labels.empty() ? boundary : state.labels.back();
    const ItemStep counted = item_step(*chain.items_, gold, t, previous, state.matching, label);
    target.counts = {counted.n, counted.d};
    target.due = t > 0 && gold.ends[t - 1] != 0 ? 1 : 0;
    return counted.matching;
  }

  Steps steps_after(std::size_t t, const std::map<State, NodeId>& states) const {
    Steps next;
    const std::size_t kept = chain.items_ != nullptr ? std::max(chain.order_, 1u) : chain.order_;
    for (const auto& [state, tail] : states) {
      for (std::size_t y = 0; y < num_labels(); ++y) {
        if (!is_allowed(t, state, y)) continue;
        const auto label = static_cast<std::uint16_t>(y);
        Step made = step(t, state, label, tail);
        State after{state.labels, count(t, state, label, made.target)};
        after.labels.push_back(label);
        if (after.labels.size() > kept) after.labels.erase(after.labels.begin());
        next[after].push_back(std::move(made));
      }
    }
    return next;
  }

  void add(learn::ExampleBuilder& forest, NodeId head, const Step& step) {
    forest.add_edge(head, std::span(&step.tail, 1), step.parts, step.target);
    if (!soft.empty()) out.target.teacher.push_back(step.teacher);
  }

  void lay_out() {
    add_rows();
    learn::ExampleBuilder forest(out);
    const NodeId source = forest.add_node();
    forest.add_edge(source, {}, {}, {.mistakes = 0});
    if (!soft.empty()) out.target.teacher.push_back(1);
    std::map<State, NodeId> states{{State{}, source}};
    for (std::size_t t = 0; t < length(); ++t) {
      std::map<State, NodeId> next;
      for (const auto& [state, steps] : steps_after(t, states)) {
        const NodeId head = forest.add_node();
        for (const Step& one : steps) add(forest, head, one);
        next.emplace(state, head);
      }
      states = std::move(next);
    }
    const NodeId root = forest.add_node();
    for (const auto& [state, tail] : states) {
      Step last{tail, {}, {.mistakes = 0}, 0};
      if (counts()) count(length(), state, chain.items_->boundary(), last.target);
      add(forest, root, last);
    }
    forest.finish(gold.number);
    if (annotation.none()) out.target.gold = {};
    if (!annotation.complete) out.target.mistakes = {};
    if (!counts()) {
      out.target.counts = {};
      out.target.due = {};
    }
  }

  const ChainStructure& chain;
  Annotation annotation;
  SoftTargets soft;
  learn::PartExample& out;
  std::size_t begin;
  GoldItems gold{};
  std::vector<PartId> first_sequence;  // by length, from 2 on
  std::vector<PartId> first_label;     // by token
};

ChainStructure::ChainStructure(const Dataset& data, const Constraints& constraints, unsigned order,
                               const ItemRules* items)
    : data_(data), constraints_(constraints), order_(order), items_(items) {
  require(order <= kMaxOrder, "a chain of order ", order, "; at most ", kMaxOrder, " is possible");
}

std::size_t ChainStructure::num_outputs() const noexcept { return first_output(order_ + 2); }

std::size_t ChainStructure::first_output(std::size_t length) const noexcept {
  std::size_t first = 0, sequences = 1;
  for (std::size_t n = 1; n < length; ++n) first += sequences *= data_.num_labels;
  return first;
}

std::size_t ChainStructure::output(std::span<const std::uint16_t> labels) const noexcept {
  std::size_t code = 0;
  for (const std::uint16_t label : labels) code = code * data_.num_labels + label;
  return first_output(labels.size()) + code;
}

void ChainStructure::lay_out(std::size_t example, learn::PartExample& laid_out) const {
  Layout(*this, example, laid_out).lay_out();
}

}  // namespace coppice::chain
