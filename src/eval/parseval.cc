#include "coppice/eval/parseval.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <tuple>

#include "coppice/text/tree_normal.h"

namespace coppice::eval {

namespace {

using text::Tree;

constexpr std::array<std::string_view, 6> kDeletedTags = {",", ":", "``", "''", ".", "-NONE-"};
constexpr std::array<std::string_view, 3> kQuoteTags = {"``", "''", "POS"};
constexpr std::array<std::string_view, 3> kQuoteWords = {"'", "\"", "/"};

template <std::size_t size>
bool is_one_of(const std::array<std::string_view, size>& list, std::string_view text) {
  return std::ranges::find(list, text) != list.end();
}

// The label that is compared.
std::string_view compared(std::string_view label) {
  label = label.substr(0, label.find_first_of("-="));
  return label == "PRT" ? "ADVP" : label;
}

struct Bracket {
  std::string_view label;
  std::size_t begin = 0;
  std::size_t end = 0;

  bool operator<(const Bracket& other) const {
    return std::tie(begin, end, label) < std::tie(other.begin, other.end, other.label);
  }
};

struct Word {
  std::string_view tag;
  std::string_view text;
};

// A tree as brackets over the words that count.
struct Yield {
  std::vector<Word> words;
  std::vector<Bracket> brackets;  // those that count, once drop_others() has been called

  void drop_others() {
    for (Bracket& bracket : brackets) bracket.label = compared(bracket.label);
    std::erase_if(brackets, [](const Bracket& bracket) {
      return bracket.begin == bracket.end || bracket.label == text::kTop ||
             is_one_of(kDeletedTags, bracket.label);
    });
  }
};

// The yield of a tree of which the words count whose leaf counts(leaf) says so of, left to right.
template <class WordCounts>
Yield yield_of(const Tree& tree, WordCounts counts) {
  Yield yield;
  std::vector<std::size_t> before{0};  // words that count, before each word of the tree
  for (std::size_t node = 0; node < tree.num_nodes(); ++node) {
    if (!tree.is_leaf(node)) continue;
    const bool is_in = counts(node);
    if (is_in) yield.words.push_back({tree.label(node), tree.word(tree.begin(node))});
    before.push_back(yield.words.size());
  }
  for (std::size_t node = 0; node < tree.num_nodes(); ++node)
    if (!tree.is_leaf(node))
      yield.brackets.push_back({node == 0 && tree.label(0).empty() ? text::kTop : tree.label(node),
                                before[tree.begin(node)], before[tree.end(node)]});
  return yield;
}

std::size_t length_of(const Tree& tree) {
  std::size_t length = 0;
  for (std::size_t node = 0; node < tree.num_nodes(); ++node)
    if (tree.is_leaf(node) && tree.label(node) != text::kEmptyElement) ++length;
  return length;
}

// A quote as EVALB remembers it: where it is or would be among the words that count, how many
// brackets began before it, and which of them enclose it.
struct Quote {
  Word word;
  std::size_t index = 0;
  std::size_t bracket = 0;
  std::vector<std::size_t> enclosing{};

  bool is_deleted() const { return is_one_of(kDeletedTags, word.tag); }
};

std::vector<Quote> quotes_of(const Tree& tree) {
  std::vector<Quote> quotes;
  std::vector<std::pair<std::size_t, std::size_t>> open;  // node and number of the bracket
  std::size_t words = 0;
  std::size_t brackets = 0;
  for (std::size_t node = 0; node < tree.num_nodes(); ++node) {
    while (!open.empty() && tree.next(open.back().first) <= node) open.pop_back();
    if (!tree.is_leaf(node)) {
      open.emplace_back(node, brackets++);
      continue;
    }
    const Word word = {tree.label(node), tree.word(tree.begin(node))};
    if (is_one_of(kQuoteTags, word.tag) && is_one_of(kQuoteWords, word.text)) {
      Quote quote{.word = word, .index = words, .bracket = brackets};
      for (const auto& [enclosing, number] : open) quote.enclosing.push_back(number);
      quotes.push_back(std::move(quote));
    }
    if (!is_one_of(kDeletedTags, word.tag)) ++words;
  }
  return quotes;
}

// Puts a deleted quote back, and moves all that is behind it.
void reinsert(std::vector<Quote>& quotes, std::size_t number, Yield& yield) {
  const Quote& quote = quotes[number];
  const std::size_t at = std::min(quote.index, yield.words.size());
  yield.words.insert(yield.words.begin() + static_cast<std::ptrdiff_t>(at), quote.word);
  for (std::size_t k = quote.bracket; k < yield.brackets.size(); ++k) {
    ++yield.brackets[k].begin;
    ++yield.brackets[k].end;
  }
  for (const std::size_t k : quote.enclosing) ++yield.brackets[k].end;
  for (std::size_t k = number; k < quotes.size(); ++k) ++quotes[k].index;
}

// EVALB's repair of trees of which only one takes a quote for one: where they stand at the same
// place with different tags, the deleted one is put back.
void fix_quotes(const Tree& gold_tree, const Tree& predicted_tree, Yield& gold, Yield& predicted) {
  std::vector<Quote> of_gold = quotes_of(gold_tree);
  std::vector<Quote> of_predicted = quotes_of(predicted_tree);
  for (std::size_t i = 0; i < of_predicted.size(); ++i) {
    const std::size_t index = of_predicted[i].index;
    for (std::size_t j = 0; j < of_gold.size(); ++j) {
      if (of_gold[j].index != index || of_gold[j].word.tag == of_predicted[i].word.tag) continue;
      if (of_gold[j].is_deleted() && !of_predicted[i].is_deleted())
        reinsert(of_gold, j, gold);
      else if (of_predicted[i].is_deleted() && !of_gold[j].is_deleted())
        reinsert(of_predicted, i, predicted);
    }
  }
}

bool have_same_words(const Yield& a, const Yield& b) {
  return std::ranges::equal(a.words, b.words, {}, &Word::text, &Word::text);
}

void count_labels(const std::vector<Bracket>& brackets, std::uint64_t Counts::*field,
                  CountsByLabel* by_label) {
  if (by_label == nullptr) return;
  for (const Bracket& bracket : brackets) {
    auto found = by_label->find(bracket.label);
    if (found == by_label->end()) found = by_label->try_emplace(std::string(bracket.label)).first;
    ++(found->second.*field);
  }
}

// How many predicted brackets cross a gold one. A bracket [begin, end) is crossed by one that
// begins before it and ends within it, or begins within it and ends after it.
std::uint64_t num_crossing(const Yield& gold, const Yield& predicted) {
  std::vector<std::size_t> furthest(gold.words.size() + 1, 0);  // end of what begins at a place
  std::vector<std::size_t> nearest(gold.words.size() + 1,
                                   std::numeric_limits<std::size_t>::max());  // start, by end
  for (const Bracket& bracket : gold.brackets) {
    furthest[bracket.begin] = std::max(furthest[bracket.begin], bracket.end);
    nearest[bracket.end] = std::min(nearest[bracket.end], bracket.begin);
  }
  return static_cast<std::uint64_t>(
      std::ranges::count_if(predicted.brackets, [&](const Bracket& bracket) {
        for (std::size_t i = bracket.begin + 1; i < bracket.end; ++i)
          if (furthest[i] > bracket.end || nearest[i] < bracket.begin) return true;
        return false;
      }));
}

// Compares yields of the same words.
void compare(Yield& gold, Yield& predicted, TreeScore& score, CountsByLabel* by_label) {
  std::ranges::sort(gold.brackets, std::less<>());
  std::ranges::sort(predicted.brackets, std::less<>());
  std::vector<Bracket> common;
  std::ranges::set_intersection(gold.brackets, predicted.brackets, std::back_inserter(common),
                                std::less<>());
  score.brackets = {gold.brackets.size(), predicted.brackets.size(), common.size()};
  score.crossing = num_crossing(gold, predicted);
  score.words = gold.words.size();
  for (std::size_t i = 0; i < gold.words.size(); ++i)
    score.correct_tags += gold.words[i].tag == predicted.words[i].tag ? 1 : 0;
  count_labels(gold.brackets, &Counts::gold, by_label);
  count_labels(predicted.brackets, &Counts::predicted, by_label);
  count_labels(common, &Counts::correct, by_label);
}

// Takes the root off, and what is alone below it with a root's name.
void drop_root(const Tree& tree, Yield& yield) {
  std::size_t roots = 0;
  while (roots < tree.num_nodes() && !tree.is_leaf(roots) &&
         text::is_root_label(tree.label(roots)) && (roots == 0 || tree.is_unary(roots - 1)))
    ++roots;
  yield.brackets.erase(yield.brackets.begin(),
                       yield.brackets.begin() + static_cast<std::ptrdiff_t>(roots));
}

double share(std::uint64_t part, std::uint64_t whole) noexcept {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

TreeScore score_strict(const Tree& gold_tree, const Tree& predicted_tree, CountsByLabel* by_label) {
  const auto stays = [](const Tree& tree) {
    return [&tree](std::size_t node) { return !is_one_of(kDeletedTags, tree.label(node)); };
  };
  TreeScore score{.length = length_of(gold_tree)};
  Yield gold = yield_of(gold_tree, stays(gold_tree));
  Yield predicted = yield_of(predicted_tree, stays(predicted_tree));
  if (predicted.words.empty()) {
    score.status = TreeStatus::kSkipped;
    return score;
  }
  if (gold.words.size() != predicted.words.size())
    fix_quotes(gold_tree, predicted_tree, gold, predicted);
  if (!have_same_words(gold, predicted)) {
    score.status = TreeStatus::kError;
    return score;
  }
  gold.drop_others();
  predicted.drop_others();
  compare(gold, predicted, score, by_label);
  return score;
}

TreeScore score_total(const Tree& gold_tree, const Tree& predicted_tree, CountsByLabel* by_label) {
  const auto is_real = [](const Tree& tree) {
    return [&tree](std::size_t node) { return tree.label(node) != text::kEmptyElement; };
  };
  TreeScore score{.length = length_of(gold_tree)};
  const Yield all_gold = yield_of(gold_tree, is_real(gold_tree));
  const bool is_parsed =
      have_same_words(all_gold, yield_of(predicted_tree, is_real(predicted_tree)));
  // Word by word, without empty elements: whether the gold tag lets it count.
  const auto stays = [&](const Tree& tree) {
    return [&tree, &all_gold, i = std::size_t{0}](std::size_t node) mutable {
      return tree.label(node) != text::kEmptyElement &&
             !is_one_of(kDeletedTags, all_gold.words[i++].tag);
    };
  };
  Yield gold = yield_of(gold_tree, stays(gold_tree));
  drop_root(gold_tree, gold);
  gold.drop_others();
  if (!is_parsed || score.length == 0) {
    score.status = is_parsed ? TreeStatus::kScored : TreeStatus::kUnparsed;
    score.brackets.gold = gold.brackets.size();
    score.words = gold.words.size();
    count_labels(gold.brackets, &Counts::gold, by_label);
    return score;
  }
  Yield predicted = yield_of(predicted_tree, stays(predicted_tree));
  drop_root(predicted_tree, predicted);
  predicted.drop_others();
  compare(gold, predicted, score, by_label);
  return score;
}

void TreeTotals::add(const TreeScore& score) noexcept {
  ++sentences;
  if (score.status == TreeStatus::kError) ++errors;
  if (score.status == TreeStatus::kSkipped) ++skipped;
  if (score.status == TreeStatus::kUnparsed) ++unparsed;
  if (score.status == TreeStatus::kError || score.status == TreeStatus::kSkipped) return;
  brackets += score.brackets;
  words += score.words;
  correct_tags += score.correct_tags;
  if (score.status != TreeStatus::kScored) return;
  ++scored;
  if (score.is_exact()) ++exact;
  crossing += score.crossing;
  if (score.crossing == 0) ++without_crossing;
  if (score.crossing <= 2) ++at_most_2_crossing;
}

double TreeTotals::exact_match() const noexcept { return share(exact, counted()); }
double TreeTotals::mean_crossing() const noexcept { return share(crossing, scored); }
double TreeTotals::no_crossing() const noexcept { return share(without_crossing, scored); }
double TreeTotals::two_or_less_crossing() const noexcept {
  return share(at_most_2_crossing, scored);
}
double TreeTotals::tag_accuracy() const noexcept { return share(correct_tags, words); }

TreeScorer::TreeScorer() {
  constexpr std::array<std::size_t, 6> kLongest = {10, 15, 20,
                                                   30, 40, std::numeric_limits<std::size_t>::max()};
  std::size_t shortest = 0;
  for (const std::size_t longest : kLongest) {
    by_length_.push_back({.shortest = shortest, .longest = longest});
    shortest = longest + 1;
  }
  up_to_[0].longest = 15;
  up_to_[1].longest = 40;
}

void TreeScorer::add(const Tree& gold, const Tree& predicted) {
  const TreeScore strict = score_strict(gold, predicted);
  const TreeScore total = score_total(gold, predicted, &by_label_);
  strict_.add(strict);
  total_.add(total);
  if (strict.brackets != total.brackets) ++num_different_;
  for (LengthBand& band : by_length_)
    if (band.shortest <= total.length && total.length <= band.longest) band.totals.add(total);
  for (LengthBand& band : up_to_)
    if (total.length <= band.longest) band.totals.add(total);
  sentences_.push_back(total);
}

SentenceCounts TreeScorer::sentence_counts() const {
  SentenceCounts counts(3);
  for (const TreeScore& score : sentences_)
    counts.add(std::array{static_cast<double>(score.brackets.gold),
                          static_cast<double>(score.brackets.predicted),
                          static_cast<double>(score.brackets.correct)});
  return counts;
}

}  // namespace coppice::eval
