#include "coppice/ccg/item.h"

#include <algorithm>
#include <tuple>

namespace coppice::ccg {

namespace {

constexpr FillersId kNoFillers{0};
constexpr std::uint32_t kLongRangeBit = 1;
constexpr std::uint32_t kScoredBit = 2;
// Those of the result, of both items, and one that a rule adds.
constexpr std::size_t kMaxClasses = 3 * kMaxVariables + 1;

}  // namespace

struct Items::Step {
  const Combination& combination;
  std::size_t num_variables;  // of the result
  std::array<FillersId, kMaxClasses> fillers{};
};

Items::Items(Forms& forms, std::size_t max_fillers) : forms_(&forms), max_fillers_(max_fillers) {
  clear();
}

void Items::clear() {
  sets_ = {};
  links_ = {};
  lists_ = {};
  sets_.add({});
  lists_.add({});
  num_cut_ = 0;
}

FillersId Items::intern(std::span<const std::uint32_t> fillers) {
  return FillersId{sets_.add(fillers)};
}

FillersId Items::unite(FillersId a, FillersId b) {
  if (a == b || b == kNoFillers) return a;
  if (a == kNoFillers) return b;
  const auto list_a = static_cast<std::uint32_t>(a), list_b = static_cast<std::uint32_t>(b);
  const std::size_t size_a = sets_.length(list_a), size_b = sets_.length(list_b);
  merged_.clear();
  for (std::size_t i = 0, j = 0; i < size_a || j < size_b;) {
    const bool takes_a = j == size_b || (i < size_a && sets_.at(list_a, i) <= sets_.at(list_b, j));
    const std::uint32_t next = takes_a ? sets_.at(list_a, i++) : sets_.at(list_b, j++);
    if (merged_.empty() || merged_.back() != next) merged_.push_back(next);
  }
  if (max_fillers_ != 0 && merged_.size() > max_fillers_) {
    num_cut_ += merged_.size() - max_fillers_;
    merged_.resize(max_fillers_);
  }
  return intern(merged_);
}

std::uint32_t Items::intern(const Dependency& link) {
  const std::array<std::uint32_t, 5> key = {
      link.head, static_cast<std::uint32_t>(link.category), link.slot, link.rule,
      (link.is_long_range ? kLongRangeBit : 0) | (link.is_scored ? kScoredBit : 0)};
  return links_.add(key);
}

Dependency Items::link(std::uint32_t id) const {
  return {.head = links_.at(id, 0),
          .category = CategoryId{links_.at(id, 1)},
          .slot = static_cast<std::uint8_t>(links_.at(id, 2)),
          .rule = static_cast<std::uint16_t>(links_.at(id, 3)),
          .is_long_range = (links_.at(id, 4) & kLongRangeBit) != 0,
          .is_scored = (links_.at(id, 4) & kScoredBit) != 0};
}

// Equal multisets get equal ids.
PendingId Items::intern(std::vector<Pending>& pending) {
  if (pending.empty()) return PendingId{0};
  std::ranges::sort(pending, {},
                    [](const Pending& each) { return std::tuple(each.link, each.variable); });
  std::vector<std::uint32_t> flat;
  flat.reserve(2 * pending.size());
  for (const Pending& each : pending) {
    flat.push_back(each.link);
    flat.push_back(each.variable);
  }
  return PendingId{lists_.add(flat)};
}

Item Items::lexical(std::uint32_t position, const Supertag& tag) {
  const std::array<std::uint32_t, 1> self = {position};
  Item item{.form = tag.form};
  item.fillers[0] = intern(self);
  waiting_.clear();
  for (const Slot& slot : tag.slots) {
    if (slot.variable == 0) continue;  // the word itself
    const Dependency described{.head = position, .category = tag.category, .slot = slot.number};
    waiting_.push_back({intern(described), slot.variable});
  }
  item.pending = intern(waiting_);
  return item;
}

void Items::gather(Step& step, const Item& item, std::span<const std::uint8_t> classes) {
  const std::size_t num_variables = forms_->num_variables(item.form);
  for (std::size_t v = 0; v < num_variables; ++v)
    step.fillers[classes[v]] = unite(step.fillers[classes[v]], item.fillers[v]);
}

// Realises, keeps or drops what the item has pending.
void Items::settle(Step& step, const Item& item, std::span<const std::uint8_t> classes,
                   std::uint16_t long_range, std::vector<Dependency>& realised) {
  const auto list = static_cast<std::uint32_t>(item.pending);
  for (std::size_t i = 0; i < lists_.length(list); i += 2) {
    const std::uint32_t variable = lists_.at(list, i + 1);
    const std::uint8_t target = classes[variable];
    const bool becomes_long = ((long_range >> variable) & 1U) != 0;
    std::uint32_t waiting = lists_.at(list, i);
    const auto set = static_cast<std::uint32_t>(step.fillers[target]);
    const bool is_filled = set != 0;
    if (!is_filled && target >= step.num_variables) continue;
    Dependency found = link(waiting);
    if (becomes_long) found.is_long_range = true;
    if (step.combination.number != 0) found.rule = step.combination.number;
    if (is_filled) {
      for (std::size_t j = 0; j < sets_.length(set); ++j) {
        found.argument = sets_.at(set, j);
        if (found.argument != found.head) realised.push_back(found);
      }
      continue;
    }
    if (becomes_long || step.combination.number != 0) waiting = intern(found);
    waiting_.push_back({waiting, target});
  }
}

Item Items::finish(Step& step, Marks marks) {
  Item made{.form = step.combination.result, .marks = marks};
  std::copy_n(step.fillers.begin(), step.num_variables, made.fillers.begin());
  made.pending = intern(waiting_);
  return made;
}

// The conjunction waits for coord: then its conjuncts are all there. It does so on a variable that
// may be filled already, which is why punctuation leaves items as they are.
void Items::add_conjunction_link(const Item& conjunction) {
  const auto self = static_cast<std::uint32_t>(conjunction.fillers[0]);
  const Dependency described{.head = sets_.at(self, 0),
                             .category = forms_->category(conjunction.form),
                             .slot = 1,
                             .is_scored = false};
  waiting_.push_back({intern(described), 0});
}

Item Items::combine(const Combination& combination, const Item& left, const Item& right,
                    std::vector<Dependency>& realised) {
  const Rule rule = combination.rule;
  if (rule == Rule::kLeftPunctuation) return right;
  if (rule == Rule::kRightPunctuation) return left;
  Step step{combination, forms_->num_variables(combination.result)};
  gather(step, left, combination.left);
  gather(step, right, combination.right);
  waiting_.clear();
  settle(step, left, combination.left, combination.left_long_range, realised);
  settle(step, right, combination.right, combination.right_long_range, realised);
  if (rule == Rule::kConjunction) add_conjunction_link(left);
  if (rule == Rule::kTypeChange) add_new_link(step);
  return finish(step, marks_after(rule, left.marks, right.marks));
}

Item Items::combine(const Combination& combination, const Item& child,
                    std::vector<Dependency>& realised) {
  Step step{combination, forms_->num_variables(combination.result)};
  gather(step, child, combination.left);
  waiting_.clear();
  settle(step, child, combination.left, combination.left_long_range, realised);
  add_new_link(step);
  return finish(step, marks_after(combination.rule, child.marks, {}));
}

// Every head of the item has the new slot.
void Items::add_new_link(const Step& step) {
  const Slot added = step.combination.added;
  if (added.number == 0 || added.variable >= step.num_variables) return;
  const Categories& categories = forms_->categories();
  const CategoryId category = categories.plain(forms_->category(step.combination.result));
  for (const std::uint32_t head : fillers(step.fillers[0])) {
    const Dependency described{.head = head,
                               .category = category,
                               .slot = added.number,
                               .rule = step.combination.number,
                               .is_scored = false};
    waiting_.push_back({intern(described), added.variable});
  }
}

std::vector<std::uint32_t> Items::fillers(FillersId set) const {
  const auto list = static_cast<std::uint32_t>(set);
  std::vector<std::uint32_t> positions;
  positions.reserve(sets_.length(list));
  for (std::size_t i = 0; i < sets_.length(list); ++i) positions.push_back(sets_.at(list, i));
  return positions;
}

std::vector<Dependency> Items::pending(const Item& item) const {
  const auto list = static_cast<std::uint32_t>(item.pending);
  std::vector<Dependency> found;
  for (std::size_t i = 0; i < lists_.length(list); i += 2)
    found.push_back(link(lists_.at(list, i)));
  std::ranges::sort(found, {}, [](const Dependency& each) {
    return std::tuple(each.head, each.slot, each.category);
  });
  return found;
}

}  // namespace coppice::ccg
