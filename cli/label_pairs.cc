#include "cli/label_pairs.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/human.h"
#include "cli/skipped.h"
#include "coppice/base/digest.h"
#include "coppice/base/error.h"
#include "coppice/text/labelled_reader.h"

namespace coppice::cli {

void LabelPairs::add(const text::Sentence& sentence, std::span<const std::string_view> gold,
                     std::span<const std::string_view> predicted) {
  require(gold.size() == sentence.num_tokens() && predicted.size() == gold.size(), gold.size(),
          " gold and ", predicted.size(), " predicted labels for ", sentence.num_tokens(),
          " tokens");
  if (size() == 0) file_ = sentence.where().file;
  const bool differs = !std::ranges::equal(gold, predicted);
  if (differs && keep_ == Keep::kContext) keep_words(sentence);
  update_digest(sentence, gold);
  for (const std::string_view label : gold) gold_.push_back(intern(label));
  for (const std::string_view label : predicted) predicted_.push_back(intern(label));
  begin_.push_back(gold_.size());
}

std::uint32_t LabelPairs::intern(std::string_view label) {
  if (const auto found = ids_.find(label); found != ids_.end()) return found->second;
  const auto id = static_cast<std::uint32_t>(names_.size());
  ids_.emplace(names_.emplace_back(label), id);
  return id;
}

void LabelPairs::keep_words(const text::Sentence& sentence) {
  Words& words = words_[size()];
  for (std::size_t row = 0; row < sentence.num_tokens(); ++row) {
    words.lines.push_back(sentence.line_of(row));
    words.forms.push_back(sentence.form_column()
                              ? std::string(sentence.cell(row, *sentence.form_column()))
                              : fmt::format("#{}", row + 1));
  }
}

void LabelPairs::update_digest(const text::Sentence& sentence,
                               std::span<const std::string_view> gold) {
  std::string text = digest_ + '\n';
  for (std::size_t row = 0; row < gold.size(); ++row) {
    if (sentence.form_column()) text += sentence.cell(row, *sentence.form_column());
    text += '\t';
    text += gold[row];
    text += '\n';
  }
  digest_ = digest(text);
}

std::vector<std::string_view> LabelPairs::gold(std::size_t sentence) const {
  std::vector<std::string_view> labels;
  for (std::size_t i = begin_[sentence]; i < begin_[sentence + 1]; ++i)
    labels.emplace_back(names_[gold_[i]]);
  return labels;
}

std::vector<std::string_view> LabelPairs::predicted(std::size_t sentence) const {
  std::vector<std::string_view> labels;
  for (std::size_t i = begin_[sentence]; i < begin_[sentence + 1]; ++i)
    labels.emplace_back(names_[predicted_[i]]);
  return labels;
}

namespace {

std::size_t num_records(const text::SentenceReader& reader) {
  return reader.counts().sentences + reader.counts().skipped;
}

// Files read in step; the first is the gold data.
class Readers {
 public:
  explicit Readers(const PairedFiles& files) {
    readers_.emplace_back(files.gold, files.gold_options, text::Format::kColumns);
    for (const std::string& path : files.systems)
      readers_.emplace_back(path, files.system_options, text::Format::kColumns);
  }

  // Goes on to the next sentence that no file skips; false when a file is at its end.
  bool next() {
    std::size_t number = 0;
    for (text::LabelledReader& reader : readers_) {
      if (!reader.next()) return false;
      number = std::max(number, reader.sentence().number());
    }
    for (bool all_there = false; !all_there;) {
      all_there = true;
      for (text::LabelledReader& reader : readers_) {
        while (reader.sentence().number() < number)
          if (!reader.next()) return false;
        all_there = all_there && reader.sentence().number() == number;
        number = std::max(number, reader.sentence().number());
      }
    }
    return true;
  }

  // Reads what is left and throws E140 when one has more records than another.
  void check_ends() {
    for (text::LabelledReader& reader : readers_)
      while (reader.next()) {
      }
    const std::size_t expected = num_records(gold().reader());
    for (const text::LabelledReader& reader : readers_) {
      const std::size_t found = num_records(reader.reader());
      if (found != expected)
        throw ParseError(fmt::format("the file has {}, {} has {}", counted(found, "sentence"),
                                     gold().reader().name(), expected),
                         {.code = "E140", .where = {.file = reader.reader().name()}});
    }
    text::require_sentences(gold().reader());
  }

  const text::LabelledReader& gold() const { return readers_.front(); }
  std::span<const text::LabelledReader> systems() const { return std::span(readers_).subspan(1); }
  std::span<const text::LabelledReader> all() const { return readers_; }

 private:
  std::vector<text::LabelledReader> readers_;
};

[[noreturn]] void refuse(const text::Sentence& gold, const text::Sentence& system, std::size_t row,
                         const std::string& message) {
  Location where = system.where();
  if (row < system.num_tokens()) where.line = system.line_of(row);
  const std::size_t gold_line = row < gold.num_tokens() ? gold.line_of(row) : gold.first_line();
  throw ParseError(message, {.code = "E140",
                             .where = where,
                             .help = fmt::format("the gold sentence is at {}:{}", gold.where().file,
                                                 gold_line)});
}

void check_words(const text::Sentence& gold, const text::Sentence& system) {
  const std::size_t shorter = std::min(gold.num_tokens(), system.num_tokens());
  for (std::size_t row = 0; gold.form_column() && system.form_column() && row < shorter; ++row) {
    const std::string_view expected = gold.cell(row, *gold.form_column());
    const std::string_view found = system.cell(row, *system.form_column());
    if (expected != found)
      refuse(
          gold, system, row,
          fmt::format("token {} is \"{}\", and \"{}\" in the gold data", row + 1, found, expected));
  }
  if (gold.num_tokens() != system.num_tokens())
    refuse(gold, system, shorter,
           fmt::format("the sentence has {}, and {} in the gold data",
                       counted(system.num_tokens(), "token"), gold.num_tokens()));
}

}  // namespace

PairsRead read_pairs(const PairedFiles& files, LabelPairs::Keep keep, Context& context) {
  Readers readers(files);
  PairsRead result;
  for (std::size_t i = 0; i < files.systems.size(); ++i) result.systems.emplace_back(keep);
  while (readers.next()) {
    const auto gold = readers.gold().require_labels();
    for (std::size_t i = 0; i < files.systems.size(); ++i) {
      const text::LabelledReader& system = readers.systems()[i];
      check_words(readers.gold().sentence(), system.sentence());
      result.systems[i].add(readers.gold().sentence(), gold, system.require_labels());
    }
  }
  readers.check_ends();
  for (const text::LabelledReader& reader : readers.all())
    if (report_skipped(reader.reader(), context)) result.skipped = true;
  if (result.systems.front().size() == 0)
    throw ParseError("no sentence is without problems in all files",
                     {.code = "E140", .where = {.file = readers.gold().reader().name()}});
  return result;
}

}  // namespace coppice::cli
