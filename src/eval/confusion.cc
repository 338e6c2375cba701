#include "coppice/eval/confusion.h"

#include <algorithm>
#include <set>

namespace coppice::eval {

void Confusion::add(std::string_view gold, std::string_view predicted, std::uint64_t count) {
  counts_[{std::string(gold), std::string(predicted)}] += count;
}

std::uint64_t Confusion::count(std::string_view gold, std::string_view predicted) const {
  const auto found = counts_.find({std::string(gold), std::string(predicted)});
  return found == counts_.end() ? 0 : found->second;
}

std::vector<std::string> Confusion::labels() const {
  std::set<std::string> labels;
  for (const auto& [pair, count] : counts_) {
    labels.insert(pair.first);
    labels.insert(pair.second);
  }
  return {labels.begin(), labels.end()};
}

std::vector<Confusion::Cell> Confusion::top(std::size_t limit) const {
  std::vector<Cell> cells;
  for (const auto& [pair, count] : counts_)
    if (pair.first != pair.second) cells.push_back({pair.first, pair.second, count});
  std::stable_sort(cells.begin(), cells.end(),
                   [](const Cell& a, const Cell& b) { return a.count > b.count; });
  if (cells.size() > limit) cells.resize(limit);
  return cells;
}

}  // namespace coppice::eval
