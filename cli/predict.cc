// coppice predict: answers of a trained model.
#include "cli/predict.h"

#include <memory>
#include <utility>

#include "cli/context.h"
#include "cli/tasks.h"
#include "cli/verbs.h"

namespace coppice::cli {

namespace {

// --on-error of the readers, and one more way.
std::vector<Option> data_options_with_null(text::DataOptions& data) {
  std::vector<Option> options = data_options(data);
  for (Option& option : options) {
    if (option.name != "on-error") continue;
    option.choices.emplace_back("null");
    option.help =
        "at bad data, stop; leave the sentence out, list and count it; or put an error in its "
        "place (an empty line with --out text)";
  }
  return options;
}

ExitStatus run(const PredictOptions& options, Context& context) {
  ModelFile model = ModelFile::open(options.model);
  const auto predict = function_of<&Task::predict>(model, "predict");
  return predict(std::move(model), options, context);
}

}  // namespace

Command predict_verb() {
  auto options = std::make_shared<PredictOptions>();
  std::vector<Option> all{
      {.name = "model",
       .letter = 'm',
       .value = &options->model,
       .metavar = "FILE",
       .help = "the model",
       .required = true},
      {.name = "output",
       .letter = 'o',
       .value = &options->output,
       .metavar = "FILE",
       .help = "where to write; - is standard output"},
      {.name = "out",
       .value = &options->out_format,
       .choices = {"auto", "columns", "conllu", "jsonl", "text", kForests},
       .help = "the form of the output; auto: that of the input, columns for plain text; "
               "forest-jsonl: all label sequences, packed, for `coppice forest`"},
      {.name = "replace",
       .value = &options->replace,
       .help = "put labels in place of the column they were learnt from, if the file has it"},
      {.name = "lambda",
       .value = &options->lambda,
       .metavar = "X",
       .help = "classifiers: the model at this point of the path of penalties",
       .advanced = true},
  };
  for (auto& group :
       {prediction_options(options->prediction), data_options_with_null(options->data)})
    all.insert(all.end(), group.begin(), group.end());
  return {
      .name = "predict",
      .summary = "label sentences or examples with a model",
      .group = "models",
      .help =
          "Reads sentences (plain text, one per line; columns; CoNLL-U; JSON lines) and writes "
          "them with their labels, in order: memory stays flat on endless input, files are "
          "labelled with -j threads, and from a pipe each record is answered as soon as it is "
          "done.\n\n"
          "A classifier reads lines of features, and writes for each a label and its probability; "
          "--posteriors topN gives those of the N most probable labels.",
      .examples = {{"coppice predict -m ner.cop < new.txt > new.conll", "plain text"},
                   {"coppice predict -m ner.cop new.txt --out jsonl --posteriors top3",
                    "with probabilities of labels, spans and sequences"},
                   {"coppice predict -m ner.cop new.txt --kbest 5", "five columns of labels"}},
      .options = std::move(all),
      .files = {.values = &options->files, .help = "sentences; standard input without any"},
      .writes_files = true,
      .run = [options](Context& context) { return run(*options, context); },
  };
}

}  // namespace coppice::cli
