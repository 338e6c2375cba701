#include "coppice/text/reader.h"

#include <cmath>
#include <utility>

#include "text/lines.h"
#include "text/utf8_validate.h"

namespace coppice::text {

SentenceReader::SentenceReader(LineReader lines, const ReadPolicy& policy, Format format)
    : lines_(std::move(lines)), policy_(policy), format_(format) {}

bool SentenceReader::next(Sentence& sentence) {
  for (;;) {
    is_bad_ = false;
    failure_.reset();
    sentence.start({.format = format_, .file = lines_.name(), .number = number_ + 1});
    if (!read(sentence)) {
      trailing_.append(sentence.raw());
      sentence.start({.format = format_, .file = lines_.name()});
      return false;
    }
    ++number_;
    if (is_bad_) {
      ++counts_.skipped;
      if (policy_.on_error == OnError::kReturn) return true;
      continue;
    }
    ++counts_.sentences;
    counts_.tokens += sentence.num_tokens();
    return true;
  }
}

void SentenceReader::report(const std::string& message, ErrorDetails details) {
  details.where.file = name();
  if (details.where.line == 0) details.where.line = lines_.line_number();
  if (details.help.empty()) details.help = kFixOrSkip;
  ParseError error(message, std::move(details));
  const bool is_first = !is_bad_;
  is_bad_ = true;
  if (policy_.on_error == OnError::kStop) throw error;
  if (is_first && policy_.on_error == OnError::kReturn) failure_ = error;
  ++counts_.problems;
  if (problems_.size() < policy_.max_errors) problems_.push_back(std::move(error));
}

bool SentenceReader::check_encoding(std::string_view line) {
  if (policy_.encoding == Encoding::kBytes) return true;
  const std::size_t valid = first_invalid_utf8(line);
  if (valid < line.size()) {
    report("the line is not UTF-8",
           {.code = "E202",
            .where = {.file = {}, .column = count_characters(line.substr(0, valid)) + 1},
            .excerpt = excerpt_of(line),
            .help = "convert the file with iconv, or read it as it is with --encoding bytes"});
    return false;
  }
  const std::size_t nul = line.find('\0');
  if (nul == std::string_view::npos) return true;
  report("the line has a NUL byte",
         {.code = "E205",
          .where = {.file = {}, .column = count_characters(line.substr(0, nul)) + 1},
          .excerpt = excerpt_of(line),
          .help = "is this a text file? --encoding bytes takes any byte"});
  return false;
}

void SentenceReader::take_weight(Sentence& sentence, std::string_view weight,
                                 std::string_view line) {
  const auto number = parse_number<double>(weight);
  if (number && std::isfinite(*number) && *number >= 0) {
    sentence.set_weight(*number);
  } else {
    report(concat("weight \"", excerpt_of(weight), "\" is not a number from 0 up"),
           {.code = "E208", .excerpt = excerpt_of(line)});
  }
}

void require_sentences(const SentenceReader& reader) {
  const ReadCounts& counts = reader.counts();
  if (counts.sentences > 0) return;
  const std::string found = counts.skipped == 0 ? "the file has no sentences"
                                                : concat(
                                                      "the file has no sentences without "
                                                      "problems; ",
                                                      counts.skipped, " were skipped");
  throw ParseError(found, {.code = "E204",
                           .where = {.file = reader.name()},
                           .help = concat("it was read as ", reader.description())});
}

}  // namespace coppice::text
