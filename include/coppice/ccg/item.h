// Items: what a span of words is in a derivation, and the dependencies that steps realise.
//
// An item is a form, a filler set (positions of words) for each of its variables, and pending
// dependencies, which wait for a filler of a variable. A step unites the filler sets of the
// variables that it makes one. A pending dependency whose variable then has fillers a1..am is
// realised by the step, once for each of them but the head itself, and gone; one whose variable
// leaves the category without a filler is dropped. What is realised belongs to the step, what is
// pending to the item.
//
// Filler sets and lists of pending dependencies are interned for a sentence: an Item is a few words
// long, and two items are equal when they are for every later step. A filler set may have a bound
// (many conjuncts make large ones): then it keeps the leftmost, and what is cut is counted.
//
// Cost of a step: O(variables + pending dependencies) once its Combination is known.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "coppice/base/number_lists.h"
#include "coppice/ccg/combination.h"

namespace coppice::ccg {

// A bound for filler sets that parsers may live with: coordinations of more conjuncts are rare.
inline constexpr std::size_t kUsualMaxFillers = 8;

// Word `head`, with its lexical category, has `argument` in slot `slot`.
struct Dependency {
  std::uint32_t head = 0;
  CategoryId category{};
  std::uint8_t slot = 0;
  std::uint32_t argument = 0;
  std::uint16_t rule = 0;  // the number of the type change that it passed through; 0: none
  bool is_long_range = false;
  // False for what scores leave out: a conjunction's own links, and new ones of type changes.
  bool is_scored = true;

  bool operator==(const Dependency&) const = default;
};

// 0 is the empty set, the empty list.
enum class FillersId : std::uint32_t {};
enum class PendingId : std::uint32_t {};

struct Item {
  FormId form{};
  PendingId pending{};
  std::array<FillersId, kMaxVariables> fillers{};  // by variable
  Marks marks{};

  bool operator==(const Item&) const = default;
};

class Items {
 public:
  // `max_fillers` bounds filler sets; 0: no bound. `forms` must outlive the items.
  explicit Items(Forms& forms, std::size_t max_fillers = 0);

  // Forgets the sentence: its items mean nothing then.
  void clear();

  // The item of the word at `position`.
  Item lexical(std::uint32_t position, const Supertag& tag);
  // One step; appends what it realises to `realised`. Requires that the combination is one of the
  // two forms; Combiner::permits() is the caller's business.
  Item combine(const Combination& combination, const Item& left, const Item& right,
               std::vector<Dependency>& realised);
  Item combine(const Combination& combination, const Item& child,
               std::vector<Dependency>& realised);

  // In ascending order.
  std::vector<std::uint32_t> fillers(FillersId set) const;
  // The heads of an item: the fillers of its outermost variable.
  std::vector<std::uint32_t> heads(const Item& item) const { return fillers(item.fillers[0]); }
  // With argument 0, in ascending order of head, slot and category.
  std::vector<Dependency> pending(const Item& item) const;

  // How many fillers were left out of sets that would have passed the bound.
  std::uint64_t num_cut() const noexcept { return num_cut_; }

 private:
  struct Pending {
    std::uint32_t link;
    std::uint8_t variable;
  };
  // The two halves of a step: united fillers by class, and what is still pending.
  struct Step;

  FillersId unite(FillersId a, FillersId b);
  FillersId intern(std::span<const std::uint32_t> fillers);
  std::uint32_t intern(const Dependency& link);
  PendingId intern(std::vector<Pending>& pending);
  Dependency link(std::uint32_t id) const;
  void gather(Step& step, const Item& item, std::span<const std::uint8_t> classes);
  void settle(Step& step, const Item& item, std::span<const std::uint8_t> classes,
              std::uint16_t long_range, std::vector<Dependency>& realised);
  void add_conjunction_link(const Item& conjunction);
  void add_new_link(const Step& step);
  Item finish(Step& step, Marks marks);

  Forms* forms_;
  NumberLists sets_;
  NumberLists links_;  // head, category, slot, rule, flags
  NumberLists lists_;  // link and variable by turns
  std::size_t max_fillers_;
  std::vector<Pending> waiting_;
  std::vector<std::uint32_t> merged_;
  std::uint64_t num_cut_ = 0;
};

}  // namespace coppice::ccg
