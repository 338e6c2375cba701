// coppice forest parse: the packed forest of all parses of a sentence.
#include <fmt/core.h>

#include <memory>
#include <sstream>

#include "cli/forest_input.h"
#include "cli/forest_output.h"
#include "cli/forest_verbs.h"
#include "cli/human.h"
#include "coppice/base/file.h"
#include "coppice/base/usage_error.h"
#include "coppice/span/parse.h"
#include "coppice/span/record.h"

namespace coppice::cli {

namespace {

struct ParseVerbOptions {
  std::string grammar;
  std::optional<std::string> sentence;
  std::vector<std::string> files;
  std::string on_error = "stop";
  std::string unary_cycles = "refuse";
  std::uint64_t max_edges = span::ParseOptions().max_edges;
  ForestOutput output;
};

std::vector<std::string> words_of(std::string_view line) {
  std::istringstream in{std::string(line)};
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// Says why there is no parse: a word that the grammar lacks, or all words and no way.
void require_parse(const span::ParseResult& parsed, const std::vector<std::string>& words) {
  if (!parsed.unknown.empty()) {
    std::string unknown;
    for (const std::size_t at : parsed.unknown)
      unknown += fmt::format("{}\"{}\" (word {})", unknown.empty() ? "" : ", ", words[at], at + 1);
    throw ParseError("the grammar does not have " + unknown, {.code = "E333"});
  }
  if (parsed.forest.empty())
    throw ParseError("the grammar has no parse of this sentence", {.code = "E330"});
}

class SentenceParser {
 public:
  SentenceParser(const ParseVerbOptions& options, Context& context)
      : parser_(span::read_grammar(options.grammar)),
        sink_(context, options.output, options.on_error),
        guard_(context, options.on_error, [this](const std::string& name, const Error& error) {
          sink_.failure(name, error);
        }) {
    limits_.max_edges = options.max_edges;
    if (options.unary_cycles == "once") limits_.unary_cycles = span::UnaryCycles::kVisitOnce;
  }

  void parse(std::string_view line, const Location& where) {
    const std::vector<std::string> words = words_of(line);
    if (words.empty()) return;
    const std::string name = fmt::format("s{}", ++sentences_);
    guard_.run(name, where, [&] {
      auto parsed = parser_.parse(words, limits_);
      require_parse(parsed, words);
      ForestRecord record = span::make_record(parser_.grammar(), std::move(parsed), words);
      record.id = name;
      sink_.write(record);
    });
  }

  ExitStatus finish(Context& context, const std::string& path) {
    sink_.commit();
    if (path != "-") context.talk("saved   {}, {}", path, counted(sentences_, "sentence"));
    return guard_.status();
  }

 private:
  span::Parser parser_;
  span::ParseOptions limits_;
  ForestSink sink_;
  RecordGuard guard_;
  std::size_t sentences_ = 0;
};

ExitStatus run(const ParseVerbOptions& options, Context& context) {
  if (options.sentence && !options.files.empty())
    throw UsageError("give --sentence or files, not both", {.code = "E006"});
  SentenceParser parser(options, context);
  if (options.sentence) {
    parser.parse(*options.sentence, {});
    return parser.finish(context, options.output.path);
  }
  const std::vector<std::string> standard_input{"-"};
  for (const std::string& path : options.files.empty() ? standard_input : options.files) {
    LineReader lines(path);
    for (std::string_view line; lines.next(line);)
      parser.parse(line, {.file = lines.name(), .line = lines.line_number()});
  }
  return parser.finish(context, options.output.path);
}

std::vector<Option> parse_options(ParseVerbOptions& options) {
  std::vector<Option> list{
      {.name = "grammar",
       .letter = 'g',
       .value = &options.grammar,
       .metavar = "FILE",
       .help = "context-free grammar; docs/grammar-format.md describes it",
       .required = true},
      {.name = "sentence",
       .value = &options.sentence,
       .metavar = "TEXT",
       .help = "the sentence, words between blanks"},
      {.name = "unary-cycles",
       .value = &options.unary_cycles,
       .choices = {"refuse", "once"},
       .help = "infinitely many parses: an error, or keep those that repeat no symbol in a chain",
       .advanced = true},
      {.name = "max-edges",
       .value = &options.max_edges,
       .metavar = "N",
       .help = "the most edges of a sentence",
       .advanced = true,
       .min = 1,
       .max = 2147483648.0}};
  for (Option& option : output_options(options.output, options.on_error))
    list.push_back(std::move(option));
  return list;
}

}  // namespace

Command forest_parse_verb() {
  auto options = std::make_shared<ParseVerbOptions>();
  return {.name = "parse",
          .summary = "write the forest of all parses of sentences",
          .help =
              "Parses with a context-free grammar, one sentence per line, and writes one packed "
              "forest per sentence. Nodes are labelled with symbols and words; nodes whose label "
              "begins with @ are steps of longer rules, and trees leave them out. Edges are "
              "labelled with rules, score ln of the rule's weight, and have the value 1 under the "
              "name of the rule's left side: the expected value of NP is the expected number of "
              "noun phrases.",
          .examples = {{"coppice forest parse -g telescope.cfg --sentence \"they saw her duck\"",
                        "writes one forest as JSON"},
                       {"coppice forest parse -g telescope.cfg sentences.txt -o f.cpf",
                        "writes a binary file"}},
          .options = parse_options(*options),
          .files = {.values = &options->files,
                    .help = "sentences, one per line; - and no file are standard input"},
          .writes_files = true,
          .run = [options](Context& context) { return run(*options, context); }};
}

}  // namespace coppice::cli
