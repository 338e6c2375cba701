// Which label was taken for which: counts over (gold, predicted) pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace coppice::eval {

class Confusion {
 public:
  struct Cell {
    std::string gold;
    std::string predicted;
    std::uint64_t count = 0;

    bool operator==(const Cell&) const = default;
  };

  void add(std::string_view gold, std::string_view predicted, std::uint64_t count = 1);

  std::uint64_t count(std::string_view gold, std::string_view predicted) const;

  // Every label seen on either side, sorted by its bytes: rows and columns of the table.
  std::vector<std::string> labels() const;

  // The most frequent mistakes (gold and predicted differ), at most `limit`; ties by name.
  std::vector<Cell> top(std::size_t limit) const;

 private:
  std::map<std::pair<std::string, std::string>, std::uint64_t> counts_;
};

}  // namespace coppice::eval
