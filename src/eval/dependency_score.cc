#include "coppice/eval/dependency_score.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include "coppice/base/error.h"

namespace coppice::eval {

namespace {

using Dependencies = std::span<const text::PargDependency>;

struct Labelled {
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::string_view>;
  static Key key(const text::PargDependency& each) {
    return {each.functor, each.argument, each.slot, each.category};
  }
};
struct Unlabelled {
  using Key = std::pair<std::uint32_t, std::uint32_t>;
  static Key key(const text::PargDependency& each) { return {each.functor, each.argument}; }
};

template <class Kind>
std::set<typename Kind::Key> set_of(Dependencies dependencies) {
  std::set<typename Kind::Key> keys;
  for (const text::PargDependency& each : dependencies) keys.insert(Kind::key(each));
  return keys;
}

template <class Kind>
Counts compare(Dependencies gold, Dependencies predicted) {
  const auto right = set_of<Kind>(gold), found = set_of<Kind>(predicted);
  std::vector<typename Kind::Key> both;
  std::ranges::set_intersection(right, found, std::back_inserter(both));
  return {.gold = right.size(), .predicted = found.size(), .correct = both.size()};
}

double share(std::uint64_t part, std::uint64_t whole) noexcept {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

Counts with_missing(Counts counts, std::uint64_t missing) noexcept {
  counts.gold += missing;
  return counts;
}

}  // namespace

void DependencyScorer::add(Dependencies gold, Dependencies predicted) {
  const Counts labelled = compare<Labelled>(gold, predicted);
  labelled_ += labelled;
  unlabelled_ += compare<Unlabelled>(gold, predicted);
  ++sentences_;
  ++analysed_;
  if (labelled.gold == labelled.correct && labelled.predicted == labelled.correct) ++exact_;
}

void DependencyScorer::add_failure(Dependencies gold) {
  ++sentences_;
  missing_labelled_ += set_of<Labelled>(gold).size();
  missing_unlabelled_ += set_of<Unlabelled>(gold).size();
}

void DependencyScorer::add_supertags(std::span<const std::string_view> gold,
                                     std::span<const std::string_view> predicted) {
  require(gold.size() == predicted.size(), "supertags: ", predicted.size(), " for ", gold.size(),
          " words");
  supertags_ += gold.size();
  for (std::size_t i = 0; i < gold.size(); ++i)
    if (gold[i] == predicted[i]) ++correct_supertags_;
}

Counts DependencyScorer::labelled_of_all() const noexcept {
  return with_missing(labelled_, missing_labelled_);
}
Counts DependencyScorer::unlabelled_of_all() const noexcept {
  return with_missing(unlabelled_, missing_unlabelled_);
}

double DependencyScorer::coverage() const noexcept { return share(analysed_, sentences_); }
double DependencyScorer::supertag_accuracy() const noexcept {
  return share(correct_supertags_, supertags_);
}

}  // namespace coppice::eval
