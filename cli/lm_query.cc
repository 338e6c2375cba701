// coppice lm query: probabilities and perplexity of text.
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/context.h"
#include "cli/lm_verbs.h"
#include "cli/skipped.h"
#include "coppice/lm/model.h"
#include "coppice/lm/perplexity.h"
#include "coppice/text/data_options.h"

namespace coppice::cli {

namespace {

struct LmQueryOptions {
  text::DataOptions data;
  std::string model;
  std::string per = "text";
  std::vector<std::string> files;
};

// Rows for words or sentences, as they are scored.
class QueryRows {
 public:
  QueryRows(const LmQueryOptions& options, Context& context)
      : words_(options.per == "word"), sentences_(options.per == "sentence"), context_(context) {
    if (words_)
      table_.emplace(context.report_table(
          {{.name = "word"}, {.name = "log10_p"}, {.name = "ngram"}, {.name = "known"}}, format()));
    if (sentences_)
      table_.emplace(context.report_table(
          {{.name = "log10_p"}, {.name = "tokens"}, {.name = "unknown"}, {.name = "ppl"}},
          format()));
  }

  void word(std::string_view text, const lm::TokenScore& token) {
    if (!words_) return;
    table_->row({std::string(text), static_cast<double>(token.score.log10_prob),
                 static_cast<int>(token.score.length), token.word == lm::kUnknownWord ? 0 : 1});
  }

  // `total` includes the sentence.
  void end_sentence(const lm::Perplexity& total) {
    if (sentences_) {
      const lm::Perplexity sentence{.log10_sum = total.log10_sum - before_.log10_sum,
                                    .tokens = total.tokens - before_.tokens};
      table_->row({sentence.log10_sum, sentence.tokens, total.unknown - before_.unknown,
                   sentence.with_unknown()});
      before_ = total;
    }
    if (table_) context_.end_record();
  }

  void finish() {
    if (table_) table_->finish();
  }

 private:
  TableFormat format() const { return context_.json() ? TableFormat::kJson : TableFormat::kTsv; }

  bool words_;
  bool sentences_;
  Context& context_;
  std::optional<Table> table_;
  lm::Perplexity before_{};
};

void score_sentence(const text::Sentence& sentence, lm::SentenceScorer& scorer, QueryRows& rows) {
  const auto column = sentence.form_column();
  if (!column)
    throw ParseError("the file has no words", {.code = "E146", .where = sentence.where()});
  scorer.begin();
  for (std::size_t row = 0; row < sentence.num_tokens(); ++row) {
    const std::string_view word = sentence.cell(row, *column);
    rows.word(word, scorer.word(word));
  }
  rows.word(lm::kSentenceEndText, scorer.end());
  rows.end_sentence(scorer.total());
}

void report(const lm::Perplexity& total, Context& context) {
  if (context.json()) {
    const nlohmann::ordered_json document = {{"v", 1},
                                             {"sentences", total.sentences},
                                             {"tokens", total.tokens},
                                             {"unknown", total.unknown},
                                             {"log10_p", total.log10_sum},
                                             {"ppl", total.with_unknown()},
                                             {"ppl_known", total.without_unknown()}};
    context.out() << document.dump(2) << '\n';
    return;
  }
  Table table = context.report_table({{.name = "sentences"},
                                      {.name = "tokens"},
                                      {.name = "unknown"},
                                      {.name = "log10 p"},
                                      {.name = "ppl", .decimals = 3},
                                      {.name = "ppl known", .decimals = 3}});
  table.row({total.sentences, total.tokens, total.unknown, total.log10_sum, total.with_unknown(),
             total.without_unknown()});
  table.finish();
}

ExitStatus run(const LmQueryOptions& options, Context& context) {
  const lm::Model model = lm::Model::open(options.model);
  lm::SentenceScorer scorer(model);
  QueryRows rows(options, context);
  bool skipped = false;
  text::Sentence sentence;
  std::vector<std::string> files = options.files;
  if (files.empty()) files.emplace_back("-");
  for (const std::string& path : files) {
    const auto reader =
        text::open_sentences(path, text::reader_options(options.data, text::Format::kText));
    while (reader->next(sentence)) score_sentence(sentence, scorer, rows);
    text::require_sentences(*reader);
    skipped = report_skipped(*reader, context) || skipped;
  }
  rows.finish();
  if (options.per == "text") report(scorer.total(), context);
  return skipped ? ExitStatus::kSkippedRecords : ExitStatus::kDone;
}

}  // namespace

Command lm_query_verb() {
  auto options = std::make_shared<LmQueryOptions>();
  std::vector<Option> list{
      {.name = "model",
       .letter = 'm',
       .value = &options->model,
       .metavar = "FILE",
       .help = "the language model",
       .required = true},
      {.name = "per",
       .value = &options->per,
       .metavar = "WHAT",
       .choices = {"text", "sentence", "word"},
       .help = "one answer for the whole text, or a row for each sentence or word"}};
  for (Option& option : data_options(options->data)) list.push_back(std::move(option));
  return {
      .name = "query",
      .summary = "probabilities and perplexity of text",
      .help =
          "Scores the words of every sentence and </s>. Perplexity is 10 to the power of minus "
          "the mean log10 probability; \"known\" leaves out words that the model does not know, "
          "which have the probability of <unk>. A row for a word has the length of the n-gram "
          "that was found: 1 means that the words before it did not help.",
      .examples = {{"coppice lm query -m en.lm test.txt", "perplexity"},
                   {"echo \"peel the onion\" | coppice lm query -m en.lm --per word", ""}},
      .options = std::move(list),
      .files = {.values = &options->files,
                .help = "sentences, tokenised; - is stdin, which is read when none is given"},
      .reports = true,
      .run = [options](Context& context) { return run(*options, context); }};
}

}  // namespace coppice::cli
