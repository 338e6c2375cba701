#include <algorithm>
#include <array>
#include <utility>

#include "coppice/text/brackets.h"
#include "coppice/text/ccgbank.h"
#include "coppice/text/reader.h"
#include "coppice/text/spans.h"
#include "text/columns.h"
#include "text/conllu.h"
#include "text/crfsuite.h"
#include "text/jsonl.h"
#include "text/lines.h"
#include "text/plain_text.h"

namespace coppice::text {

namespace {

constexpr std::array<std::pair<Format, const char*>, 8> kFormats = {{
    {Format::kAuto, "auto"},
    {Format::kColumns, "columns"},
    {Format::kConllu, "conllu"},
    {Format::kText, "text"},
    {Format::kJsonl, "jsonl"},
    {Format::kCrfsuite, "crfsuite"},
    {Format::kBrackets, "brackets"},
    {Format::kCcgbank, "ccgbank"},
}};

constexpr std::array<std::pair<std::string_view, Format>, 15> kEndings = {{
    {".conllu", Format::kConllu},
    {".conllup", Format::kConllu},
    {".jsonl", Format::kJsonl},
    {".ndjson", Format::kJsonl},
    {".crfsuite", Format::kCrfsuite},
    {".mrg", Format::kBrackets},
    {".ptb", Format::kBrackets},
    {".auto", Format::kCcgbank},
    {".conll", Format::kColumns},
    {".tsv", Format::kColumns},
    {".bio", Format::kColumns},
    {".iob", Format::kColumns},
    {".iob2", Format::kColumns},
    {".bioes", Format::kColumns},
    {".cols", Format::kColumns},
}};

bool looks_like_conllu(std::string_view line) {
  if (line.starts_with("# sent_id") || line.starts_with("# newdoc")) return true;
  return std::count(line.begin(), line.end(), '\t') == 9 &&
         (line.starts_with("1\t") || line.starts_with("1-"));
}

// "(", "(())", "( (S ..." or "(NP ...": text in brackets has a closing one, "(12) a" or "(s) b".
bool looks_like_brackets(std::string_view line) {
  if (!line.starts_with('(')) return false;
  const std::size_t next = line.find_first_of("()", 1);
  return next == std::string_view::npos || line[next] == '(' || line == "()";
}

bool looks_like_ccgbank(std::string_view line) {
  if (line.starts_with("(<T ") || line.starts_with("(<L ")) return true;
  return line.starts_with("ID=") && line.find(" PARSER=") != std::string_view::npos;
}

// "O" or "B-X" at the end of a line of several words.
bool ends_in_label(std::string_view line) {
  const std::size_t blank = line.find_last_of(" \t");
  if (blank == std::string_view::npos) return false;
  const std::string_view last = line.substr(blank + 1);
  const auto parts = split_label(last);
  const bool is_typed = parts && !parts->type.empty();
  return last == "O" ||
         (is_typed && std::string_view("BIESLU").find(parts->prefix) != std::string_view::npos);
}

Format format_of_line(std::string_view line, Format fallback) {
  line = trim(without_bom(line));
  if (line.starts_with('{')) return Format::kJsonl;
  if (looks_like_ccgbank(line)) return Format::kCcgbank;
  if (looks_like_brackets(line)) return Format::kBrackets;
  if (looks_like_conllu(line)) return Format::kConllu;
  if (line.starts_with("-DOCSTART-") || line.find('\t') != std::string_view::npos) {
    return Format::kColumns;
  }
  return ends_in_label(line) ? Format::kColumns : fallback;
}

// "train.conllu" of "train.conllu.gz".
std::string_view without_compression(std::string_view name) {
  for (const std::string_view ending : {".gz", ".zst"})
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  return name;
}

Format detect_format(LineReader& lines, const ReaderOptions& options) {
  const std::string_view name = without_compression(lines.name());
  for (const auto& [ending, format] : kEndings) {
    if (name.ends_with(ending)) return format;
  }
  if (!options.columns.empty()) return Format::kColumns;
  std::string_view line;
  if (!lines.next(line)) return options.fallback;
  const Format format = format_of_line(line, options.fallback);
  lines.unread();
  return format;
}

void require_no_column_options(const ReaderOptions& options, Format format,
                               const std::string& name) {
  const char* option = nullptr;
  if (!options.columns.empty()) option = "names of columns";
  if (options.comments != Comments::kHeaders) option = "rule for comments";
  if (!options.partial_labels.empty()) option = "partial labels";
  if (option == nullptr) return;
  throw InvalidArgument(
      concat(name, " is read as ", to_string(format), ", which takes no ", option),
      {.code = "E111", .help = "only column files take this option"});
}

}  // namespace

const char* to_string(Format format) noexcept {
  return kFormats[static_cast<std::size_t>(format)].second;
}

Format parse_format(std::string_view name) {
  for (const auto& [format, known] : kFormats) {
    if (name == known) return format;
  }
  throw InvalidArgument(
      concat("unknown format \"", name, "\""),
      {.code = "E111",
       .help = "one of auto, columns, conllu, text, jsonl, crfsuite, brackets, ccgbank"});
}

std::unique_ptr<SentenceReader> open_sentences(LineReader lines, const ReaderOptions& options) {
  const bool is_auto = options.format == Format::kAuto;
  require(options.fallback != Format::kAuto, "open_sentences: the fallback format is auto");
  const Format format = is_auto ? detect_format(lines, options) : options.format;
  if (format != Format::kColumns) require_no_column_options(options, format, lines.name());
  switch (format) {
    case Format::kConllu:
      return std::make_unique<ConlluReader>(std::move(lines), options.policy);
    case Format::kText:
      return std::make_unique<PlainTextReader>(std::move(lines), options.policy);
    case Format::kJsonl:
      return std::make_unique<JsonlReader>(std::move(lines), options.policy);
    case Format::kCcgbank:
      return std::make_unique<CcgbankReader>(std::move(lines), options.policy);
    case Format::kCrfsuite:
      return std::make_unique<CrfsuiteReader>(std::move(lines), options.policy);
    case Format::kBrackets:
      return std::make_unique<BracketReader>(std::move(lines), options.policy);
    default:
      return std::make_unique<ColumnReader>(std::move(lines),
                                            ColumnOptions{.names = options.columns,
                                                          .comments = options.comments,
                                                          .partial_labels = options.partial_labels,
                                                          .policy = options.policy});
  }
}

std::unique_ptr<SentenceReader> open_sentences(const std::string& path,
                                               const ReaderOptions& options) {
  return open_sentences(LineReader(path), options);
}

CheckReport check_sentences(const std::string& path, ReaderOptions options) {
  options.policy.on_error = OnError::kSkip;
  const auto reader = open_sentences(path, options);
  for (Sentence sentence; reader->next(sentence);) {
  }
  return {reader->description(), reader->counts(), reader->problems()};
}

}  // namespace coppice::text
