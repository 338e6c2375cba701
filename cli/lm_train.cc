// coppice lm train: a language model from text.
#include <fmt/core.h>

#include <charconv>
#include <memory>

#include "cli/human.h"
#include "cli/lm_output.h"
#include "cli/lm_verbs.h"
#include "cli/skipped.h"
#include "coppice/base/usage_error.h"
#include "coppice/lm/card.h"
#include "coppice/lm/training.h"
#include "coppice/text/data_options.h"

namespace coppice::cli {

namespace {

struct LmTrainOptions {
  text::DataOptions data;
  std::vector<std::string> train;
  std::uint64_t order = 5;
  std::vector<std::string> prune;
  LmOutput output;
};

std::vector<std::uint64_t> prune_numbers(const LmTrainOptions& options) {
  std::vector<std::uint64_t> numbers;
  for (const std::string& text : options.prune) {
    std::uint64_t number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc{} || end != text.data() + text.size())
      throw UsageError(fmt::format("--prune takes whole numbers, not \"{}\"", text),
                       {.code = "E003"});
    numbers.push_back(number);
  }
  return numbers;
}

void show_lengths(const std::vector<lm::LengthReport>& lengths, Context& context) {
  Table table = context.stage_table({{.name = "order", .width = 5, .align = Align::kRight},
                                     {.name = "n-grams", .width = 12, .align = Align::kRight},
                                     {.name = "kept", .width = 12, .align = Align::kRight},
                                     {.name = "D1", .width = 6, .decimals = 4},
                                     {.name = "D2", .width = 6, .decimals = 4},
                                     {.name = "D3+", .width = 6, .decimals = 4}});
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const auto& [ngrams, kept, discounts] = lengths[i];
    table.row({std::uint64_t{i + 1}, ngrams, kept, discounts.amounts[0], discounts.amounts[1],
               discounts.amounts[2]});
  }
  table.finish();
}

void warn_of_fallback(const std::vector<lm::LengthReport>& lengths, Context& context) {
  std::string orders;
  for (std::size_t i = 0; i < lengths.size(); ++i)
    if (lengths[i].discounts.is_fallback)
      orders += (orders.empty() ? "" : ", ") + std::to_string(i + 1);
  if (orders.empty()) return;
  context.warn(fmt::format("the text says nothing of the discounts of order {}; {}, {} and {} are "
                           "used",
                           orders, lm::kFallbackDiscounts[0], lm::kFallbackDiscounts[1],
                           lm::kFallbackDiscounts[2]),
               {.code = "E294", .help = "more text, or a lower --order"});
}

ExitStatus run(const LmTrainOptions& options, Context& context) {
  Output output = open_lm_output(options.output, context);
  lm::Training training({.order = static_cast<unsigned>(options.order),
                         .prune = prune_numbers(options),
                         .workspace = options.output.workspace()});
  bool skipped = false;
  for (const std::string& path : options.train) {
    const auto reader =
        text::open_sentences(path, text::reader_options(options.data, text::Format::kText));
    training.read(*reader);
    text::require_sentences(*reader);
    skipped = report_skipped(*reader, context) || skipped;
  }
  context.talk("data    {} sent {} tok", thousands(training.num_sentences()),
               thousands(training.num_words()));
  const Threads threads(static_cast<unsigned>(context.threads()));
  const lm::Estimate estimate = training.estimate(threads, context.progress());
  show_lengths(estimate.lengths, context);
  warn_of_fallback(estimate.lengths, context);
  save_lm(
      estimate.ngrams, options.output, output,
      [&] { return lm::training_card(training, estimate.lengths, options.train); }, context);
  return skipped ? ExitStatus::kSkippedRecords : ExitStatus::kDone;
}

std::vector<Option> options_of(LmTrainOptions& options) {
  std::vector<Option> list{
      {.name = "train",
       .letter = 't',
       .value = &options.train,
       .metavar = "FILE",
       .help = "sentences to learn from, tokenised; may be given several times",
       .required = true,
       .separate = true},
      {.name = "order",
       .value = &options.order,
       .metavar = "N",
       .help = "words of the longest n-grams",
       .min = 1,
       .max = lm::kMaxOrder},
      {.name = "prune",
       .value = &options.prune,
       .metavar = "N,N,...",
       .help = "leave out n-grams of each length that occur at most so often, as in 0,0,1; the "
               "last number is for all longer ones"}};
  for (Option& option : lm_output_options(options.output)) list.push_back(std::move(option));
  for (Option& option : data_options(options.data)) list.push_back(std::move(option));
  return list;
}

}  // namespace

Command lm_train_verb() {
  auto options = std::make_shared<LmTrainOptions>();
  return {
      .name = "train",
      .summary = "learn a language model from text",
      .help =
          "Counts the n-grams of the text and smooths them by interpolated modified "
          "Kneser-Ney. The text is one sentence a line, its tokens separated by blanks; <s> and "
          "</s> are added to each. N-grams that do not fit in --memory are sorted on disk. The "
          "model is the same for any memory and any number of threads.",
      .examples = {{"coppice lm train -t news.txt --order 4 -o en.lm", "fast to ask"},
                   {"coppice lm train -t news.txt --prune 0,0,1 --binary trie -o en.lm", "small"},
                   {"coppice lm train -t news.txt -o en.arpa", "text, for other programs"}},
      .options = options_of(*options),
      .writes_files = true,
      .run = [options](Context& context) { return run(*options, context); }};
}

}  // namespace coppice::cli
