#include "coppice/text/exchange.h"

#include <algorithm>
#include <numeric>

#include "coppice/base/error.h"
#include "text/count_entropy.h"

namespace coppice::text {

namespace {

constexpr std::size_t kBatch = 64;
constexpr double kLeastGain = 1e-6;  // above the rounding of F's terms

}  // namespace

ExchangeClustering::ExchangeClustering(const WordBigrams& bigrams, std::size_t classes,
                                       const Threads& threads)
    : bigrams_(&bigrams), classes_(bigrams.size(), kRareWord), contexts_(threads.size()) {
  require(classes >= 1 && classes <= kMaxClasses, "between 1 and ", kMaxClasses,
          " word classes, not ", classes);
  const std::size_t chosen = std::min(classes, bigrams.num_words());
  sizes_.assign(kFirstClass + chosen, 0);
  rows_.assign(num_classes() * num_classes(), 0);
  columns_ = rows_;
  classes_[kBoundaryWord] = kBoundaryWord;
  for (WordId word = 0; word < bigrams.size(); ++word) {
    sizes_[classes_[word]] += bigrams.count(word);
    for (const WordBigrams::Neighbour& next : bigrams.successors(word)) {
      rows_[classes_[word] * num_classes() + classes_[next.word]] += next.count;
      columns_[classes_[next.word] * num_classes() + classes_[word]] += next.count;
    }
  }
  Context& context = contexts_.front();
  for (std::size_t i = 0; i < chosen; ++i) {
    const auto word = static_cast<WordId>(kFirstClass + i);
    look_around(word, context);
    move(word, word, context);  // ids of words and classes both begin after the reserved ones
  }
  for (std::size_t first = kFirstClass + chosen; first < bigrams.size(); first += kBatch) {
    const std::size_t last = std::min(bigrams.size(), first + kBatch);
    for (const Move& one :
         proposals(static_cast<WordId>(first), static_cast<WordId>(last), threads)) {
      look_around(one.word, context);
      move(one.word, one.target, context);
    }
  }
}

double ExchangeClustering::objective() const {
  double sum = 0;
  for (const std::uint32_t count : rows_) sum += count_entropy(count);
  for (const std::uint64_t size : sizes_) sum -= 2 * count_entropy(size);
  return sum;
}

double ExchangeClustering::gain(WordId word, ClassId target) const {
  if (target == classes_[word]) return 0;
  Context context;
  look_around(word, context);
  return removal_gain(word, context) + insertion_gain(word, target, context);
}

std::size_t ExchangeClustering::sweep(const Threads& threads) {
  contexts_.resize(std::max<std::size_t>(contexts_.size(), threads.size()));
  Context& context = contexts_.front();
  std::size_t moved = 0;
  for (std::size_t first = kFirstClass; first < bigrams_->size(); first += kBatch) {
    const std::size_t last = std::min(bigrams_->size(), first + kBatch);
    for (const Move& one :
         proposals(static_cast<WordId>(first), static_cast<WordId>(last), threads)) {
      if (one.target == classes_[one.word]) continue;
      look_around(one.word, context);
      const double gained =
          removal_gain(one.word, context) + insertion_gain(one.word, one.target, context);
      if (gained < kLeastGain) continue;
      move(one.word, one.target, context);
      ++moved;
    }
  }
  return moved;
}

std::vector<ExchangeClustering::Move> ExchangeClustering::proposals(WordId first, WordId last,
                                                                    const Threads& threads) {
  std::vector<Move> moves(last - first);
  threads.for_chunks(moves.size(), [&](std::size_t i, unsigned worker) {
    const auto word = static_cast<WordId>(first + i);
    moves[i] = {word, best_class(word, contexts_[worker])};
  });
  return moves;
}

void ExchangeClustering::look_around(WordId word, Context& context) const {
  const auto collect = [&](std::span<const WordBigrams::Neighbour> neighbours,
                           std::vector<std::uint32_t>& counts, std::vector<ClassId>& used) {
    for (const ClassId one : used) counts[one] = 0;
    used.clear();
    counts.resize(num_classes(), 0);
    for (const WordBigrams::Neighbour& next : neighbours) {
      if (next.word == word) {
        context.itself = next.count;
        continue;
      }
      std::uint32_t& count = counts[classes_[next.word]];
      if (count == 0) used.push_back(classes_[next.word]);
      count += next.count;
    }
  };
  context.itself = 0;
  collect(bigrams_->predecessors(word), context.before, context.before_used);
  collect(bigrams_->successors(word), context.after, context.after_used);
}

// n(g, h) if the word were in no class.
std::uint32_t ExchangeClustering::cell_without(WordId word, ClassId g, ClassId h,
                                               const Context& context) const {
  const ClassId own = classes_[word];
  std::uint32_t count = pairs(g, h);
  if (h == own) count -= context.before[g];
  if (g == own) count -= context.after[h];
  if (g == own && h == own) count -= context.itself;
  return count;
}

double ExchangeClustering::removal_gain(WordId word, const Context& context) const {
  return -insertion_gain(word, classes_[word], context);
}

// From being in no class into `target`.
double ExchangeClustering::insertion_gain(WordId word, ClassId target,
                                          const Context& context) const {
  double sum = 0;
  const auto add = [&](ClassId g, ClassId h, std::uint32_t more) {
    const std::uint32_t count = cell_without(word, g, h, context);
    sum += count_entropy(count + more) - count_entropy(count);
  };
  for (const ClassId g : context.before_used) {
    if (g != target) add(g, target, context.before[g]);
  }
  for (const ClassId h : context.after_used) {
    if (h != target) add(target, h, context.after[h]);
  }
  add(target, target, context.before[target] + context.after[target] + context.itself);
  const std::uint64_t count = bigrams_->count(word);
  const std::uint64_t rest = sizes_[target] - (target == classes_[word] ? count : 0);
  return sum - 2 * (count_entropy(rest + count) - count_entropy(rest));
}

// insertion_gain() of every class, in context.gains: whole rows at a time.
void ExchangeClustering::insertion_gains(WordId word, Context& context) const {
  const std::size_t classes = num_classes();
  const ClassId own = classes_[word];
  std::vector<double>& gains = context.gains;
  gains.assign(classes, 0);
  const auto add_rows =
      [&](const std::vector<std::uint32_t>& matrix, const std::vector<ClassId>& used,
          const std::vector<std::uint32_t>& counts, const std::vector<std::uint32_t>& opposite) {
        for (const ClassId g : used) {
          const std::uint32_t* row = matrix.data() + g * classes;
          const std::uint32_t more = counts[g];
          if (g == own) {
            for (std::size_t k = 0; k < classes; ++k) {
              if (k == own) continue;
              gains[k] += count_entropy_step(row[k] - opposite[k], more);
            }
          } else {
            add_entropy_steps({row, classes}, more, gains);
            gains[g] -= count_entropy_step(row[g], more);
          }
        }
      };
  add_rows(rows_, context.before_used, context.before, context.after);
  add_rows(columns_, context.after_used, context.after, context.before);
  const std::uint64_t count = bigrams_->count(word);
  for (std::size_t k = kFirstClass; k < classes; ++k) {
    const std::uint32_t more = context.before[k] + context.after[k] + context.itself;
    if (more > 0) gains[k] += count_entropy_step(rows_[k * classes + k], more);
    gains[k] -= 2 * (count_entropy(sizes_[k] + count) - count_entropy(sizes_[k]));
  }
  gains[own] = insertion_gain(word, own, context);
}

ClassId ExchangeClustering::best_class(WordId word, Context& context) const {
  look_around(word, context);
  insertion_gains(word, context);
  const auto first = context.gains.begin() + kFirstClass;
  const auto best = std::max_element(first, context.gains.end());
  return static_cast<ClassId>(best - context.gains.begin());
}

void ExchangeClustering::move(WordId word, ClassId target, const Context& context) {
  const std::size_t classes = num_classes();
  const ClassId own = classes_[word];
  const auto shift = [&](ClassId from_g, ClassId from_h, ClassId to_g, ClassId to_h,
                         std::uint32_t count) {
    rows_[from_g * classes + from_h] -= count;
    columns_[from_h * classes + from_g] -= count;
    rows_[to_g * classes + to_h] += count;
    columns_[to_h * classes + to_g] += count;
  };
  for (const ClassId g : context.before_used) shift(g, own, g, target, context.before[g]);
  for (const ClassId h : context.after_used) shift(own, h, target, h, context.after[h]);
  shift(own, own, target, target, context.itself);
  sizes_[own] -= bigrams_->count(word);
  sizes_[target] += bigrams_->count(word);
  classes_[word] = target;
}

}  // namespace coppice::text
