// Word classes from raw text: the exchange algorithm for the class bigram model.
//
// Each word w is in one class c(w). The model says p(v | u) = p(v | c(v)) p(c(v) | c(u)); its
// log-likelihood is, up to a constant,
//
//     F  =  sum over g, h of f(n(g, h))  -  2 sum over g of f(n(g)),       f(n) = n log n,
//
// with n(g, h) the number of neighbouring pairs of the classes and n(g) that of the words in g.
// The most frequent words begin as a class each; every further word joins the class that F likes
// best; then sweeps take each word in turn and move it to a better class, if there is one. F never
// falls. What are not words (the boundary of sentences, rare words) are classes of their own that
// nothing leaves or enters.
//
// The moves of 64 words are found at the same time, from the same counts, and made one after
// the other, each only if F still gains then: the classes do not depend on the number of threads.
//
// Cost: of a sweep, the number of pairs of a word and a neighbouring class, times the number of
// classes. Memory: two square matrices of the classes, 4 bytes a cell.
// Kneser and Ney (1993); Martin, Liermann and Ney (1998), Speech Communication 24.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "coppice/base/threads.h"
#include "coppice/text/bigrams.h"

namespace coppice::text {

using ClassId = std::uint32_t;

inline constexpr ClassId kFirstClass = kFirstWord;  // before it, the reserved ones
inline constexpr std::size_t kMaxClasses = 4096;

class ExchangeClustering {
 public:
  // Requires 1 <= classes <= kMaxClasses, and that `bigrams` outlives it. More classes than words
  // become as many as there are words.
  ExchangeClustering(const WordBigrams& bigrams, std::size_t classes, const Threads& threads);

  // With the reserved ones: the words' are [kFirstClass, num_classes()).
  std::size_t num_classes() const noexcept { return sizes_.size(); }
  ClassId class_of(WordId word) const noexcept { return classes_[word]; }
  // n(g, h) and n(g).
  std::uint32_t pairs(ClassId first, ClassId second) const noexcept {
    return rows_[first * num_classes() + second];
  }
  std::uint64_t size(ClassId one) const noexcept { return sizes_[one]; }

  // F. Cost: the square of the number of classes.
  double objective() const;
  // What F would gain if the word moved. Requires kFirstWord <= word, kFirstClass <= target.
  double gain(WordId word, ClassId target) const;

  // Takes every word once; returns how many moved.
  std::size_t sweep(const Threads& threads);

 private:
  // The classes to the left and right of a word, itself left out, with how often.
  struct Context {
    std::vector<std::uint32_t> before, after;      // by class
    std::vector<ClassId> before_used, after_used;  // where they are not 0
    std::uint32_t itself = 0;                      // n(w, w)
    std::vector<double> gains;                     // by class
  };
  struct Move {
    WordId word;
    ClassId target;
  };

  void look_around(WordId word, Context& context) const;
  double removal_gain(WordId word, const Context& context) const;
  double insertion_gain(WordId word, ClassId target, const Context& context) const;
  void insertion_gains(WordId word, Context& context) const;
  ClassId best_class(WordId word, Context& context) const;
  void move(WordId word, ClassId target, const Context& context);
  std::vector<Move> proposals(WordId first, WordId last, const Threads& threads);
  std::uint32_t cell_without(WordId word, ClassId g, ClassId h, const Context& context) const;

  const WordBigrams* bigrams_;
  std::vector<ClassId> classes_;        // by word
  std::vector<std::uint64_t> sizes_;    // by class
  std::vector<std::uint32_t> rows_;     // n(g, h) at g * num_classes() + h
  std::vector<std::uint32_t> columns_;  // the same, transposed
  std::vector<Context> contexts_;       // by worker
};

}  // namespace coppice::text
