#include "cli/label_pairs.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/human.h"
#include "coppice/base/digest.h"
#include "coppice/base/error.h"

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

PairsRead read_pairs(PairedReaders& readers, LabelPairs::Keep keep, Context& context) {
  PairsRead result;
  for (std::size_t i = 0; i < readers.systems().size(); ++i) result.systems.emplace_back(keep);
  while (readers.next()) {
    const auto gold = readers.gold().require_labels();
    for (std::size_t i = 0; i < readers.systems().size(); ++i) {
      const text::LabelledReader& system = readers.systems()[i];
      check_words(readers.gold().sentence(), system.sentence());
      result.systems[i].add(readers.gold().sentence(), gold, system.require_labels());
    }
  }
  result.skipped = readers.finish(context);
  if (result.systems.front().size() == 0)
    throw ParseError("no sentence is without problems in all files",
                     {.code = "E140", .where = {.file = readers.gold().reader().name()}});
  return result;
}

}  // namespace coppice::cli
