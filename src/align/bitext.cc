#include "coppice/align/bitext.h"

#include <algorithm>
#include <utility>

#include "text/lines.h"

namespace coppice::align {

namespace {

constexpr std::size_t kPairsBetweenUpdates = 4096;

[[noreturn]] void fail_at(const std::string& message, const LineReader& lines,
                          std::string_view line, const char* code, const char* help) {
  throw ParseError(message, {.code = code,
                             .where = {.file = lines.name(), .line = lines.line_number()},
                             .excerpt = text::excerpt_of(line),
                             .help = help});
}

}  // namespace

BitextReader::BitextReader(LineReader source, LineReader target, const BitextOptions& options)
    : source_(std::move(source)), target_(std::move(target)), options_(options) {
  require(options.max_length >= 1 && options.max_length <= kMaxSentenceLength,
          "the longest sentence allowed must have from 1 to ", kMaxSentenceLength, " words, not ",
          options.max_length);
}

void BitextReader::split(std::string_view line, const LineReader& lines,
                         std::vector<std::string_view>& words) {
  words.clear();
  if (lines.line_number() == 1) line = text::without_bom(line);
  text::require_text(line, lines);
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t first = at;
    while (at < line.size() && !text::is_blank(line[at])) ++at;
    if (at > first) words.push_back(line.substr(first, at - first));
    ++at;
  }
  if (words.empty()) {
    fail_at("the sentence has no words", lines, line, "E281",
            "leave such pairs without links with --on-error skip");
  }
  if (words.size() > options_.max_length) {
    fail_at(concat("the sentence has ", words.size(), " words, more than ", options_.max_length),
            lines, line, "E282",
            "raise --max-length, or leave such pairs without links with --on-error skip");
  }
}

bool BitextReader::next(SentencePair& pair) {
  std::string_view source, target;
  const bool has_source = source_.next(source), has_target = target_.next(target);
  if (has_source != has_target) {
    const LineReader& shorter = has_source ? target_ : source_;
    const LineReader& longer = has_source ? source_ : target_;
    throw ParseError(
        concat("there is no line ", longer.line_number(), ", which ", longer.name(), " has"),
        {.code = "E283",
         .where = {.file = shorter.name(), .line = shorter.line_number()},
         .help = "line k of one file must be the translation of line k of the other"});
  }
  if (!has_source) return false;
  ++num_pairs_;
  try {
    split(source, source_, pair.source);
    split(target, target_, pair.target);
  } catch (const ParseError& error) {
    if (options_.on_bad_pair == OnBadPair::kStop) throw;
    ++num_skipped_;
    if (problems_.size() < options_.max_problems) problems_.push_back(error);
    pair.source.clear();
    pair.target.clear();
  }
  return true;
}

std::size_t BitextSide::longest() const noexcept {
  std::size_t longest = 0;
  for (std::size_t k = 0; k < size(); ++k) longest = std::max(longest, begin[k + 1] - begin[k]);
  return longest;
}

void BitextSide::add(std::span<const std::string_view> sentence) {
  for (const std::string_view word : sentence) {
    tokens.push_back(static_cast<std::uint32_t>(index(words.add(word))));
  }
  begin.push_back(tokens.size());
}

Bitext read_bitext(BitextReader& reader, Progress& progress) {
  Bitext bitext;
  progress.begin(concat("reading ", reader.source().name(), ", ", reader.target().name()), 0);
  SentencePair pair;
  while (reader.next(pair)) {
    bitext.source.add(pair.source);
    bitext.target.add(pair.target);
    if (bitext.size() % kPairsBetweenUpdates == 0) progress.update(bitext.size());
  }
  progress.update(bitext.size());
  progress.end();
  if (bitext.source.tokens.empty()) {
    throw ParseError("there is no pair of sentences to align",
                     {.code = "E284", .where = {.file = reader.source().name()}});
  }
  require(std::max(bitext.source.tokens.size(), bitext.target.tokens.size()) < kMaxIds / 2,
          "a bitext of ", bitext.source.tokens.size(), " and ", bitext.target.tokens.size(),
          " words is too large to align in one piece");
  return bitext;
}

}  // namespace coppice::align
