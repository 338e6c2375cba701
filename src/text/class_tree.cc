#include "text/class_tree.h"

#include <algorithm>

#include "coppice/base/error.h"
#include "text/count_entropy.h"

namespace coppice::text {

namespace {

// f(a + b) - f(a) - f(b).
double merged(std::uint32_t a, std::uint32_t b) {
  if (a == 0 || b == 0) return 0;
  return count_entropy(std::uint64_t{a} + b) - count_entropy(a) - count_entropy(b);
}

// The classes that are left, and for each pair of them what F gains (at most 0) by merging it.
class ClassMerger {
 public:
  explicit ClassMerger(const ExchangeClustering& clustering) : stride_(clustering.num_classes()) {
    for (ClassId g = 0; g < stride_; ++g) {
      sizes_.push_back(clustering.size(g));
      for (ClassId h = 0; h < stride_; ++h) rows_.push_back(clustering.pairs(g, h));
      if (g >= kFirstClass) alive_.push_back(g);
    }
    gains_.assign(stride_ * stride_, 0);
    for (ClassId x = 0; x < stride_; ++x) add_neighbour(x, 1);
    for (std::size_t i = 0; i < alive_.size(); ++i) {
      for (std::size_t j = i + 1; j < alive_.size(); ++j) {
        gain(alive_[i], alive_[j]) += inner_gain(alive_[i], alive_[j]);
      }
    }
  }

  std::size_t num_alive() const { return alive_.size(); }

  ClassMerge best() const {
    ClassMerge best{alive_[0], alive_[1]};
    double most = gains_[best.first * stride_ + best.second];
    for (std::size_t i = 0; i < alive_.size(); ++i) {
      const double* row = gains_.data() + alive_[i] * stride_;
      for (std::size_t j = i + 1; j < alive_.size(); ++j) {
        if (row[alive_[j]] > most) {
          most = row[alive_[j]];
          best = {alive_[i], alive_[j]};
        }
      }
    }
    return best;
  }

  void merge(ClassMerge pair) {
    const auto [first, second] = pair;
    add_neighbour(first, -1);
    add_neighbour(second, -1);
    for (ClassId x = 0; x < stride_; ++x)
      take(rows_[first * stride_ + x], rows_[second * stride_ + x]);
    for (ClassId x = 0; x < stride_; ++x)
      take(rows_[x * stride_ + first], rows_[x * stride_ + second]);
    sizes_[first] += sizes_[second];
    alive_.erase(std::find(alive_.begin(), alive_.end(), second));
    add_neighbour(first, 1);
    for (const ClassId other : alive_) {
      if (other == first) continue;
      gain(first, other) = outer_gain(first, other) + inner_gain(first, other);
    }
  }

 private:
  static void take(std::uint32_t& to, std::uint32_t& from) {
    to += from;
    from = 0;
  }

  std::uint32_t pairs(ClassId g, ClassId h) const { return rows_[g * stride_ + h]; }
  double& gain(ClassId a, ClassId b) { return gains_[std::min(a, b) * stride_ + std::max(a, b)]; }

  // Adds (or takes away) what class x, as a neighbour, gains by the merging of two others.
  void add_neighbour(ClassId x, double sign) {
    const auto add = [&](auto count_of) {
      used_.clear();
      for (const ClassId g : alive_) {
        if (g != x && count_of(g) > 0) used_.push_back(g);
      }
      for (std::size_t i = 0; i < used_.size(); ++i) {
        double* row = gains_.data() + used_[i] * stride_;
        const std::uint32_t count = count_of(used_[i]);
        for (std::size_t j = i + 1; j < used_.size(); ++j) {
          row[used_[j]] += sign * merged(count, count_of(used_[j]));
        }
      }
    };
    add([&](ClassId g) { return pairs(g, x); });
    add([&](ClassId g) { return pairs(x, g); });
  }

  // What the neighbours other than a and b gain.
  double outer_gain(ClassId a, ClassId b) const {
    double sum = 0;
    for (ClassId x = 0; x < stride_; ++x) {
      if (x == a || x == b) continue;
      sum += merged(pairs(a, x), pairs(b, x)) + merged(pairs(x, a), pairs(x, b));
    }
    return sum;
  }

  // What the four cells of a and b gain, and their sizes.
  double inner_gain(ClassId a, ClassId b) const {
    const std::uint32_t cells[] = {pairs(a, a), pairs(a, b), pairs(b, a), pairs(b, b)};
    std::uint64_t all = 0;
    double parts = 0;
    for (const std::uint32_t count : cells) all += count, parts += count_entropy(count);
    const double sizes =
        count_entropy(sizes_[a] + sizes_[b]) - count_entropy(sizes_[a]) - count_entropy(sizes_[b]);
    return count_entropy(all) - parts - 2 * sizes;
  }

  std::size_t stride_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint64_t> sizes_;
  std::vector<ClassId> alive_;  // ascending
  std::vector<double> gains_;   // of a < b, at a * stride_ + b
  std::vector<ClassId> used_;
};

}  // namespace

std::vector<ClassMerge> merge_classes(const ExchangeClustering& clustering) {
  ClassMerger merger(clustering);
  std::vector<ClassMerge> merges;
  while (merger.num_alive() > 1) {
    merges.push_back(merger.best());
    merger.merge(merges.back());
  }
  return merges;
}

std::vector<std::string> class_paths(const ExchangeClustering& clustering) {
  const std::vector<ClassMerge> merges = merge_classes(clustering);
  std::vector<std::string> paths(clustering.num_classes());
  for (std::size_t i = merges.size(); i-- > 0;) {
    paths[merges[i].second] = paths[merges[i].first] + '1';
    paths[merges[i].first] += '0';
  }
  return paths;
}

std::string class_file(const WordBigrams& bigrams, const ExchangeClustering& clustering) {
  const std::vector<std::string> paths = class_paths(clustering);
  std::string text;
  for (WordId word = kFirstWord; word < bigrams.size(); ++word) {
    text += concat(paths[clustering.class_of(word)], "\t", bigrams.word(word), "\t",
                   bigrams.count(word), "\n");
  }
  return text;
}

std::string learn_classes(const WordBigrams& bigrams, const ClassOptions& options,
                          const Threads& threads, Progress& progress, const InterruptPoll& poll) {
  progress.begin("word classes", options.max_sweeps);
  ExchangeClustering clustering(bigrams, options.classes, threads);
  for (unsigned i = 0; i < options.max_sweeps && !interrupted(poll); ++i) {
    const std::size_t moved = clustering.sweep(threads);
    const Progress::Field fields[] = {{"moved", static_cast<double>(moved)}};
    progress.update(i + 1, fields);
    if (moved == 0) break;
  }
  progress.end();
  return class_file(bigrams, clustering);
}

}  // namespace coppice::text
