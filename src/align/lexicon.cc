#include "coppice/align/lexicon.h"

#include <algorithm>
#include <cmath>

#include "base/reduce.h"

namespace coppice::align {

namespace {

constexpr std::size_t kRowsOfChunk = 512;

constexpr auto kKeepAll = [](const auto&) { return false; };

}  // namespace

double digamma(double x) noexcept {
  double shift = 0;
  for (; x < 6; ++x) shift -= 1 / x;
  const double r = 1 / (x * x);
  return shift + std::log(x) - 0.5 / x -
         r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240 - r / 132))));
}

Lexicon::Lexicon(const BitextSide& source, const BitextSide& target)
    : num_sources_(source.words.size() + 1),
      table_(target.words.size()),
      num_partners_(num_sources_, 0) {
  const auto uniform = static_cast<float>(1.0 / static_cast<double>(num_targets()));
  const auto nothing = static_cast<std::uint32_t>(num_sources_ - 1);
  const auto add = [&](Table::Row& row, std::uint32_t word) {
    Entry& entry = row.insert(word, kKeepAll);
    num_partners_[word] += entry.probability == 0 ? 1 : 0;
    entry.probability = uniform;
  };
  for (std::size_t k = 0; k < source.size(); ++k) {
    for (const std::uint32_t word : target[k]) {
      Table::Row& row = table_.row(word);
      add(row, nothing);
      for (const std::uint32_t partner : source[k]) add(row, partner);
    }
  }
}

Lexicon::Lexicon(std::size_t num_sources, std::size_t num_targets,
                 std::span<const LexicalEntry> entries)
    : num_sources_(num_sources), table_(num_targets) {
  for (const LexicalEntry& entry : entries) {
    table_.row(entry.target).insert(entry.source, kKeepAll).probability = entry.value;
  }
}

double Lexicon::probability(const Table::Row& row, std::uint32_t source) const noexcept {
  const Entry* entry = row.find(source);
  return entry == nullptr ? kSmallest : std::max<double>(entry->probability, kSmallest);
}

double Lexicon::probability(std::uint32_t target, std::uint32_t source) const noexcept {
  return target < num_targets() ? probability(table_.row(target), source) : kSmallest;
}

void Lexicon::look_up(std::span<const std::uint32_t> source, std::span<const std::uint32_t> target,
                      LinkMatrix& matrix) const {
  matrix.reset(source.size(), target.size());
  const auto nothing = static_cast<std::uint32_t>(num_sources_ - 1);
  for (std::size_t j = 0; j < target.size(); ++j) {
    const std::span<double> cells = matrix.row(j);
    if (target[j] >= num_targets()) {
      std::ranges::fill(cells, kSmallest);
      continue;
    }
    const Table::Row& row = table_.row(target[j]);
    cells[0] = probability(row, nothing);
    for (std::size_t i = 0; i < source.size(); ++i) cells[i + 1] = probability(row, source[i]);
  }
}

void Lexicon::count(std::span<const std::uint32_t> source, std::span<const std::uint32_t> target,
                    const LinkMatrix& posteriors) {
  const auto nothing = static_cast<std::uint32_t>(num_sources_ - 1);
  for (std::size_t j = 0; j < target.size(); ++j) {
    Table::Row& row = table_.row(target[j]);
    const std::span<const double> cells = posteriors.row(j);
    add_fixed(row.find(nothing)->count, cells[0]);
    for (std::size_t i = 0; i < source.size(); ++i)
      add_fixed(row.find(source[i])->count, cells[i + 1]);
  }
}

void Lexicon::maximise(double prior, const Threads& threads) {
  std::vector<std::uint64_t> totals(num_sources_, 0);
  for (std::size_t row = 0; row < num_targets(); ++row) {
    table_.row(static_cast<std::uint32_t>(row)).for_each([&](const Entry& entry) {
      totals[entry.key] += entry.count;
    });
  }
  std::vector<double> norms(num_sources_);  // logarithms with a prior
  for (std::size_t e = 0; e < num_sources_; ++e) {
    const double total = from_fixed(totals[e]);
    norms[e] = prior > 0 ? digamma(total + prior * std::max(1U, num_partners_[e])) : total;
  }
  const std::size_t chunks = (num_targets() + kRowsOfChunk - 1) / kRowsOfChunk;
  threads.for_chunks(chunks, [&](std::size_t chunk, unsigned) {
    const std::size_t end = std::min(num_targets(), (chunk + 1) * kRowsOfChunk);
    for (std::size_t row = chunk * kRowsOfChunk; row < end; ++row) {
      table_.row(static_cast<std::uint32_t>(row)).for_each([&](Entry& entry) {
        const double count = from_fixed(entry.count), norm = norms[entry.key];
        double probability = norm > 0 ? count / norm : 0;
        if (prior > 0) probability = std::exp(digamma(count + prior) - norm);
        entry.probability = static_cast<float>(probability);
        entry.count = 0;
      });
    }
  });
}

std::vector<LexicalEntry> Lexicon::entries(double smallest) const {
  std::vector<LexicalEntry> entries;
  for (std::uint32_t row = 0; row < num_targets(); ++row) {
    const std::size_t first = entries.size();
    table_.row(row).for_each([&](const Entry& entry) {
      if (entry.probability >= smallest) entries.push_back({row, entry.key, entry.probability});
    });
    std::sort(entries.begin() + static_cast<std::ptrdiff_t>(first), entries.end(),
              [](const auto& a, const auto& b) { return a.source < b.source; });
  }
  return entries;
}

}  // namespace coppice::align
