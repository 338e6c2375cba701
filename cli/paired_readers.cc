#include "cli/paired_readers.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/human.h"
#include "cli/skipped.h"
#include "coppice/base/error.h"

namespace coppice::cli {

namespace {

std::size_t num_records(const text::SentenceReader& reader) {
  return reader.counts().sentences + reader.counts().skipped;
}

}  // namespace

PairedReaders::PairedReaders(const PairedFiles& files)
    : asks_for_labels_(!files.gold_options.label_column.empty()) {
  readers_.emplace_back(files.gold, files.gold_options, text::Format::kColumns);
  for (const std::string& path : files.systems)
    readers_.emplace_back(path, files.system_options, text::Format::kColumns);
}

bool PairedReaders::have_trees() {
  if (asks_for_labels_) return false;
  if (!is_ahead_) has_sentence_ = read();
  is_ahead_ = true;
  return has_sentence_ && gold().reader().tree() != nullptr;
}

bool PairedReaders::next() {
  if (!is_ahead_) has_sentence_ = read();
  is_ahead_ = false;
  return has_sentence_;
}

bool PairedReaders::read() {
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

bool PairedReaders::finish(Context& context) {
  check_ends();
  bool skipped = false;
  for (const text::LabelledReader& reader : readers_)
    if (report_skipped(reader.reader(), context)) skipped = true;
  return skipped;
}

void PairedReaders::check_ends() {
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

}  // namespace coppice::cli
