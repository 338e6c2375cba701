// One number for each target word and each thing that it may be linked to: a source word or
// nothing. Lexical probabilities before inference, posteriors of links after it.
//
// A target word has one link, so in one direction a posterior is a distribution over a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace coppice::align {

class LinkMatrix {
 public:
  // Keeps memory, not content: every cell is 0.
  void reset(std::size_t sources, std::size_t targets) {
    columns_ = sources + 1;
    targets_ = targets;
    cells_.assign(columns_ * targets, 0);
  }

  std::size_t sources() const noexcept { return columns_ - 1; }
  std::size_t targets() const noexcept { return targets_; }

  // Target word j: at 0 no link, at i + 1 a link to source word i.
  std::span<double> row(std::size_t j) noexcept { return {cells_.data() + j * columns_, columns_}; }
  std::span<const double> row(std::size_t j) const noexcept {
    return {cells_.data() + j * columns_, columns_};
  }

  double link(std::size_t i, std::size_t j) const noexcept { return row(j)[i + 1]; }

  // Requires a matrix of the same size.
  void add(const LinkMatrix& other) noexcept {
    for (std::size_t c = 0; c < cells_.size(); ++c) cells_[c] += other.cells_[c];
  }
  void scale(double factor) noexcept {
    for (double& cell : cells_) cell *= factor;
  }

 private:
  std::size_t columns_ = 1;
  std::size_t targets_ = 0;
  std::vector<double> cells_;
};

// Stands for "not linked".
inline constexpr std::uint32_t kUnlinked = 0xffffffff;

// The source word with the largest posterior of each target word, or kUnlinked: the links with the
// fewest expected errors. Of equal ones, "not linked" and then the first.
std::vector<std::uint32_t> best_links(const LinkMatrix& posteriors);

// Both directions over one pair of sentences.
struct PairPosteriors {
  LinkMatrix forward;   // each target word chooses a source word
  LinkMatrix backward;  // each source word chooses a target word: sources and targets change places

  // The posterior of a link, the mean of the two directions.
  double link(std::size_t source, std::size_t target) const noexcept {
    return (forward.link(source, target) + backward.link(target, source)) / 2;
  }
};

}  // namespace coppice::align
