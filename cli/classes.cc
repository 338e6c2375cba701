// coppice classes: word classes from raw text.
#include <memory>

#include "cli/human.h"
#include "cli/skipped.h"
#include "cli/verbs.h"
#include "cli/words_report.h"
#include "coppice/text/class_learning.h"
#include "coppice/text/exchange.h"

namespace coppice::cli {

namespace {

struct ClassesOptions {
  text::DataOptions data;
  std::vector<std::string> raw;
  text::ClassCounts counts;
  std::string output;
};

ExitStatus run(const ClassesOptions& options, Context& context) {
  Output output = context.output_file(options.output);
  const Threads threads(static_cast<unsigned>(context.threads()));
  bool skipped = false;
  text::ClassLearning learning(options.counts, [&](const text::SentenceReader& reader) {
    skipped = report_skipped(reader, context) || skipped;
  });
  for (const std::string& path : options.raw) {
    learning.read(path, options.data, text::Format::kText);
  }
  const text::WordBigrams bigrams = learning.bigrams();
  describe_words(learning, bigrams, context);
  output.stream() << learning.learn(bigrams, threads, context.progress(), context.interrupt_poll());
  output.commit();
  context.talk("saved   {}", options.output);
  return skipped ? ExitStatus::kSkippedRecords : ExitStatus::kDone;
}

std::vector<Option> options_of(ClassesOptions& options) {
  std::vector<Option> list{
      {.name = "raw",
       .value = &options.raw,
       .metavar = "FILE",
       .help = "sentences to learn from; may be given several times",
       .required = true,
       .separate = true},
      {.name = "output",
       .letter = 'o',
       .value = &options.output,
       .metavar = "FILE",
       .help = "the file of classes to write; - is stdout",
       .required = true},
      {.name = "classes",
       .value = &options.counts.classes,
       .metavar = "N",
       .help = "how many classes",
       .min = 1,
       .max = text::kMaxClasses},
      {.name = "min-count",
       .value = &options.counts.min_count,
       .metavar = "N",
       .help = "rarer words get no class",
       .min = 1},
  };
  for (Option& option : data_options(options.data)) list.push_back(std::move(option));
  return list;
}

}  // namespace

Command classes_verb() {
  auto options = std::make_shared<ClassesOptions>();
  return {
      .name = "classes",
      .summary = "learn word classes from raw text",
      .group = "models",
      .help =
          "Puts words that occur between the same words into one class, by the exchange "
          "algorithm, and the classes into a tree. Writes a line for each word: its class, the "
          "word, its count; the class is a path of 0 and 1 in the tree. Taggers use the file "
          "(`coppice train tag --classes FILE`), and templates do (`cluster(...)`).",
      .examples = {{"coppice classes --raw news.txt -o news.classes", "1000 classes"},
                   {"coppice train tag -t train.conll --classes news.classes -o ner.cop",
                    "a tagger that knows them"}},
      .options = options_of(*options),
      .writes_files = true,
      .run = [options](Context& context) { return run(*options, context); },
  };
}

}  // namespace coppice::cli
