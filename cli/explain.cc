// coppice explain: why a token has its label.
#include "cli/explain.h"

#include <memory>
#include <utility>

#include "cli/context.h"
#include "cli/tasks.h"
#include "cli/verbs.h"

namespace coppice::cli {

namespace {

std::vector<Option> options_of(ExplainOptions& options) {
  std::vector<Option> all{
      {.name = "model",
       .letter = 'm',
       .value = &options.model,
       .metavar = "FILE",
       .help = "the model",
       .required = true},
      {.name = "text",
       .value = &options.text,
       .metavar = "SENTENCE",
       .help = "a sentence with tokens separated by blanks, in place of a file"},
      {.name = "token",
       .value = &options.token,
       .metavar = "N",
       .help = "explain this token only, counted from 1"},
      {.name = "sentence",
       .value = &options.sentence,
       .metavar = "N",
       .help = "explain this sentence of the file only, counted from 1"},
      {.name = "against",
       .value = &options.against,
       .metavar = "LABEL",
       .help = "why not this label, in place of the runner-up"},
      {.name = "top",
       .value = &options.top,
       .metavar = "N",
       .help = "how many features are listed; the others are added up (JSON has them all)"},
  };
  for (Option& option : data_options(options.data)) all.push_back(std::move(option));
  return all;
}

ExitStatus run(const ExplainOptions& options, Context& context) {
  ModelFile model = ModelFile::open(options.model);
  const auto explain = function_of<&Task::explain>(model, "explain");
  return explain(std::move(model), options, context);
}

}  // namespace

Command explain_verb() {
  auto options = std::make_shared<ExplainOptions>();
  return {.name = "explain",
          .summary = "show why tokens have their labels",
          .group = "models",
          .help =
              "For each token, the label that the model chooses, the runner-up, and the log-odds "
              "between the two as an exact sum: what each feature adds (of trees: what the "
              "answers to questions about it change), what the pair with the "
              "previous and with the next label adds (averaged over what these labels may be), "
              "and what the tokens beyond them add.",
          .examples = {{"coppice explain -m ner.cop --text \"Peter visits New York\" --token 3",
                        "why is New a place?"},
                       {"coppice explain -m ner.cop test.conll --sentence 7 --against O --json",
                        "all of it, for a program"}},
          .options = options_of(*options),
          .files = {.values = &options->files, .help = "sentences; - is stdin", .max = 1},
          .reports = true,
          .run = [options](Context& context) { return run(*options, context); }};
}

}  // namespace coppice::cli
