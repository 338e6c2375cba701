#include "cli/data_check.h"

#include <fmt/core.h>

#include <algorithm>

#include "coppice/base/digest.h"
#include "coppice/base/error.h"
#include "coppice/text/labelled_reader.h"

namespace coppice::cli {

namespace {

// Neighbouring labels and where they stand. Which of them are wrong is known only when the scheme
// is, at the end of the file. Labels of no scheme are not kept: with one of them there is none.
class Transitions {
 public:
  explicit Transitions(std::size_t max_places) : max_places_(max_places) {}

  void add(const text::Sentence& sentence, std::span<const std::string_view> labels) {
    for (std::size_t row = 0; row <= labels.size(); ++row) {
      const std::string_view previous = row == 0 ? kEdge : labels[row - 1];
      const std::string_view next = row == labels.size() ? kEdge : labels[row];
      if (is_candidate(previous) && is_candidate(next))
        add_place(previous, next, sentence, std::min(row, labels.size() - 1));
    }
  }

  // Adds the transitions that break the scheme to the check.
  void judge(const std::string& file, DataCheck& check) const {
    for (const auto& [pair, seen] : seen_) {
      const auto& [previous, next] = pair;
      if (is_allowed(check.scheme, previous, next)) continue;
      check.broken_labels += seen.count;
      for (const Place& place : seen.places)
        check.problems.emplace_back(message(check.scheme, previous, next),
                                    ErrorDetails{.code = "E141",
                                                 .where = {.file = file, .line = place.line},
                                                 .excerpt = place.excerpt});
    }
    check.num_problems += check.broken_labels;
  }

 private:
  struct Place {
    std::size_t line;
    std::string excerpt;
  };
  struct Seen {
    std::uint64_t count = 0;
    std::vector<Place> places;
  };
  static constexpr std::string_view kEdge = "";  // of the sentence; no label is empty

  static bool is_candidate(std::string_view label) {
    return label == kEdge || text::split_label(label).has_value();
  }

  static bool is_allowed(text::Scheme scheme, std::string_view previous, std::string_view next) {
    if (previous == kEdge) return text::allowed_at_start(scheme, next);
    if (next == kEdge) return text::allowed_at_end(scheme, previous);
    return text::allowed(scheme, previous, next);
  }

  static std::string message(text::Scheme scheme, std::string_view previous,
                             std::string_view next) {
    if (previous == kEdge)
      return fmt::format("{} at the start of a sentence breaks {}", next, to_string(scheme));
    if (next == kEdge)
      return fmt::format("{} at the end of a sentence breaks {}", previous, to_string(scheme));
    return fmt::format("{} after {} breaks {}", next, previous, to_string(scheme));
  }

  void add_place(std::string_view previous, std::string_view next, const text::Sentence& sentence,
                 std::size_t row) {
    Seen& seen = seen_[{std::string(previous), std::string(next)}];
    if (++seen.count > max_places_) return;
    std::string excerpt;
    for (std::size_t column = 0; column < sentence.num_columns(); ++column) {
      if (column > 0) excerpt += sentence.separator();
      excerpt += sentence.cell(row, column);
    }
    seen.places.push_back({sentence.line_of(row), std::move(excerpt)});
  }

  std::size_t max_places_;
  std::map<std::pair<std::string, std::string>, Seen> seen_;
};

// U+FFFD, the trace of an earlier conversion that lost text, and control characters.
std::uint64_t count_odd_characters(std::string_view word) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const auto byte = static_cast<unsigned char>(word[i]);
    const auto next = static_cast<unsigned char>(i + 1 < word.size() ? word[i + 1] : 0);
    const bool is_control =
        byte < 0x20 || byte == 0x7f || (byte == 0xc2 && next >= 0x80 && next < 0xa0);
    if (is_control || word.substr(i).starts_with("\xef\xbf\xbd")) ++count;
  }
  return count;
}

void describe_words(const text::Sentence& sentence, DataCheck& check) {
  if (sentence.num_tokens() > check.longest) {
    check.longest = sentence.num_tokens();
    check.longest_line = sentence.line_of(0);
  }
  if (!sentence.form_column()) return;
  for (std::size_t row = 0; row < sentence.num_tokens(); ++row) {
    const std::uint64_t odd = count_odd_characters(sentence.cell(row, *sentence.form_column()));
    if (odd > 0 && check.odd_characters == 0) check.odd_line = sentence.line_of(row);
    check.odd_characters += odd;
  }
}

// Derives the sentences of a CCGbank file; nodes that no rule makes are problems.
class DerivationCheck {
 public:
  DerivationCheck(const text::SentenceReader& reader, const DerivationOptions& options)
      : reader_(dynamic_cast<const text::CcgbankReader*>(&reader)) {
    if (reader_ != nullptr) grammar_.emplace(options);
  }

  void add(const text::Sentence& sentence, std::size_t max_problems, DataCheck& check) {
    if (reader_ == nullptr) return;
    try {
      grammar_->derive(sentence, reader_->derivation());
    } catch (const ParseError& error) {
      ++check.num_problems;
      if (check.problems.size() < max_problems) check.problems.push_back(error);
    }
  }

 private:
  const text::CcgbankReader* reader_;
  std::optional<DerivationGrammar> grammar_;
};

void add_reader_problems(const text::SentenceReader& reader, DataCheck& check) {
  check.num_problems += reader.counts().problems;
  check.problems.insert(check.problems.end(), reader.problems().begin(), reader.problems().end());
  try {
    text::require_sentences(reader);
  } catch (const ParseError& error) {
    ++check.num_problems;
    check.problems.push_back(error);
  }
}

}  // namespace

void SentenceRegister::add(std::size_t file, const text::Sentence& sentence) {
  if (!sentence.form_column() || sentence.num_tokens() == 0) return;
  std::string words;
  for (std::size_t row = 0; row < sentence.num_tokens(); ++row) {
    words += sentence.cell(row, *sentence.form_column());
    words += '\n';
  }
  const std::size_t line = sentence.line_of(0);
  const auto [seen, is_new] = first_.try_emplace(digest(words), file, line);
  if (is_new) return;
  const auto [first_file, first_line] = seen->second;
  Shared& shared = shared_[{first_file, file}];
  if (++shared.count > 1) return;
  shared.line_in_first = first_line;
  shared.line_in_second = line;
}

DataCheck check_data(const std::string& path, const CheckedData& options, std::size_t max_problems,
                     std::size_t file_number, SentenceRegister& sentences) {
  text::ReaderOptions reading = reader_options(options.data, text::Format::kText);
  reading.policy.on_error = text::OnError::kSkip;
  reading.policy.max_errors = max_problems;
  text::LabelledReader reader(text::open_sentences(path, reading), options.data.label_column);
  DerivationCheck derivations(reader.reader(), options.derivations);
  DataCheck check;
  Transitions transitions(max_problems);
  text::SchemeDetector detector;
  while (reader.next()) {
    describe_words(reader.sentence(), check);
    derivations.add(reader.sentence(), max_problems, check);
    sentences.add(file_number, reader.sentence());
    if (const text::Tree* tree = reader.reader().tree())
      check.trees.add(text::edited(*tree, options.edits), reader.sentence().first_line());
    if (reader.labels().empty()) continue;
    detector.add(reader.labels());
    transitions.add(reader.sentence(), reader.labels());
    for (const std::string_view label : reader.labels()) ++check.labels[std::string(label)];
  }
  check.name = reader.reader().name();
  check.description = reader.reader().description();
  check.counts = reader.reader().counts();
  if (!check.labels.empty())
    check.label_column = reader.reader().column_names()[*reader.label_column()];
  check.scheme = detector.scheme();
  if (check.scheme != text::Scheme::kRaw) transitions.judge(check.name, check);
  add_reader_problems(reader.reader(), check);
  std::ranges::stable_sort(check.problems, {},
                           [](const ParseError& problem) { return problem.where().line; });
  if (check.problems.size() > max_problems)
    check.problems.erase(check.problems.begin() + static_cast<std::ptrdiff_t>(max_problems),
                         check.problems.end());
  return check;
}

}  // namespace coppice::cli
