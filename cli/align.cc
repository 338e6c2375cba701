// coppice align: word alignment of bitext, by training, by a model, or of alignments that exist.
#include <fmt/core.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "cli/context.h"
#include "cli/human.h"
#include "cli/model_output.h"
#include "cli/verbs.h"
#include "coppice/align/bitext.h"
#include "coppice/align/model.h"
#include "coppice/align/symmetrise.h"
#include "coppice/align/training.h"
#include "coppice/base/pipeline.h"
#include "coppice/base/usage_error.h"
#include "coppice/text/pharaoh.h"

namespace coppice::cli {

namespace {

struct AlignVerbOptions {
  std::string source;
  std::string target;
  std::string output = "-";
  std::string method = "gibbs";
  std::string symmetrise = "grow-diag-final-and";
  std::string posteriors;
  double min_posterior = 0.01;
  std::string save;
  std::string load;
  std::string forward;
  std::string backward;
  std::string on_error = "stop";
  std::uint64_t max_length = 250;
  align::TrainingOptions training;
};

// Writes aligned pairs, and posteriors if they are wanted.
class AlignmentOutput {
 public:
  AlignmentOutput(const AlignVerbOptions& options, Context& context)
      : context_(context), output_(context.output_file(options.output)) {
    choice_.symmetrisation = align::parse_symmetrisation(options.symmetrise);
    if (options.posteriors.empty()) return;
    choice_.min_posterior = options.min_posterior;
    posteriors_.emplace(context.output_file(options.posteriors));
  }

  const align::LinkChoice& choice() const { return choice_; }

  void write(const align::AlignedPair& pair) {
    output_.stream() << text::pharaoh_line(pair.links) << '\n';
    num_links_ += pair.links.size();
    if (posteriors_) {
      posteriors_->stream() << text::pharaoh_line(pair.posteriors, text::Probabilities::kWrite)
                            << '\n';
    }
    context_.end_record();
  }

  void commit() {
    output_.commit();
    if (posteriors_) posteriors_->commit();
  }

  std::uint64_t num_links() const { return num_links_; }

 private:
  Context& context_;
  Output output_;
  std::optional<Output> posteriors_;
  align::LinkChoice choice_;
  std::uint64_t num_links_ = 0;
};

align::BitextReader open_bitext(const AlignVerbOptions& options) {
  const auto on_bad_pair =
      options.on_error == "skip" ? align::OnBadPair::kSkip : align::OnBadPair::kStop;
  return {LineReader(options.source),
          LineReader(options.target),
          {.max_length = options.max_length, .on_bad_pair = on_bad_pair}};
}

ExitStatus report_bad_pairs(const align::BitextReader& reader, Context& context) {
  if (reader.num_skipped() == 0) return ExitStatus::kDone;
  for (const ParseError& problem : reader.problems()) context.report(problem);
  context.talk("skipped {} of {}: their lines are empty", counted(reader.num_skipped(), "pair"),
               counted(reader.num_pairs(), "pair"));
  return ExitStatus::kSkippedRecords;
}

class TrainAligner {
 public:
  TrainAligner(const AlignVerbOptions& options, Context& context)
      : options_(options),
        context_(context),
        threads_(static_cast<unsigned>(context.threads())),
        interrupted_(context.interrupt_poll()) {}

  ExitStatus run() {
    AlignmentOutput output(options_, context_);
    std::optional<Output> model;
    if (!options_.save.empty()) model.emplace(context_.output_file(options_.save));
    align::BitextReader reader = open_bitext(options_);
    const align::Bitext bitext = align::read_bitext(reader, context_.progress());
    context_.talk("data    {} - {} {} tok, {} {} tok", counted(bitext.size(), "pair"),
                  options_.source, thousands(bitext.source.tokens.size()), options_.target,
                  thousands(bitext.target.tokens.size()));
    const auto training = align::make_training(bitext, options_.training);
    train(*training);
    training->align(
        threads_, output.choice(), [&](const align::AlignedPair& pair) { output.write(pair); },
        context_.progress());
    output.commit();
    context_.talk("aligned {} with {}", counted(bitext.size(), "pair"),
                  counted(output.num_links(), "link"));
    if (model) save(*training, bitext, *model);
    return report_bad_pairs(reader, context_);
  }

 private:
  void train(align::AlignmentTraining& training) {
    const bool samples = options_.training.method == align::Method::kGibbs;
    Column forward{.name = samples ? "changed" : "perplexity", .width = 10, .decimals = 4};
    Column backward{.name = "backwards", .width = 10, .decimals = 4};
    Table table = context_.stage_table({{.name = "iter", .width = 6},
                                        {.name = "model", .width = 10},
                                        forward,
                                        backward,
                                        {.name = "time", .width = 7, .align = Align::kRight}});
    const auto begin = std::chrono::steady_clock::now();
    while (training.num_done() < training.num_steps() && !interrupted(interrupted_)) {
      context_.display().show_line(
          fmt::format("iteration {} of {}", training.num_done() + 1, training.num_steps()));
      const align::TrainingStep step = training.step(threads_);
      if (!is_shown(training)) continue;
      const double passed =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      table.row({std::uint64_t{training.num_done()}, std::string(step.stage), step.forward,
                 step.backward, duration(passed)});
    }
    context_.display().clear();
    table.finish();
  }

  // About twenty rows, however many steps there are.
  static bool is_shown(const align::AlignmentTraining& training) {
    constexpr std::size_t rows = 20;
    const std::size_t every = (training.num_steps() + rows - 1) / rows;
    return training.num_done() % every == 0 || training.num_done() == training.num_steps();
  }

  void save(const align::AlignmentTraining& training, const align::Bitext& bitext, Output& file) {
    const nlohmann::ordered_json card{{"v", 1},
                                      {"task", "align"},
                                      {"train",
                                       {{"source", options_.source},
                                        {"target", options_.target},
                                        {"pairs", bitext.size()},
                                        {"source tokens", bitext.source.tokens.size()},
                                        {"target tokens", bitext.target.tokens.size()}}},
                                      {"options",
                                       {{"model", options_.method},
                                        {"iterations", training.num_done()},
                                        {"chains", options_.training.chains},
                                        {"seed", options_.training.seed}}},
                                      {"source words", bitext.source.words.size()},
                                      {"target words", bitext.target.words.size()}};
    const ModelWriter writer = align::write_model(training, bitext, card.dump(2));
    writer.write(file.stream());
    file.commit();
    context_.talk("saved   {}", saved_text(options_.save, writer));
  }

  const AlignVerbOptions& options_;
  Context& context_;
  Threads threads_;
  InterruptPoll interrupted_;
};

// Forced alignment: pair by pair, so that it can sit on a pipe.
ExitStatus align_with_model(const AlignVerbOptions& options, Context& context) {
  const align::AlignmentModel model = align::AlignmentModel::open(options.load);
  AlignmentOutput output(options, context);
  align::BitextReader reader = open_bitext(options);
  struct Item {
    std::vector<std::string> source, target;  // the reader's words do not outlive the next pair
    std::uint64_t number = 0;
    align::AlignedPair aligned;
  };
  const Threads threads(static_cast<unsigned>(context.threads()));
  align::SentencePair pair;
  const auto read = [&](Item& item) {
    if (!reader.next(pair)) return false;
    item.source.assign(pair.source.begin(), pair.source.end());
    item.target.assign(pair.target.begin(), pair.target.end());
    item.number = reader.num_pairs();
    return true;
  };
  const auto work = [&](Item& item, unsigned) {
    const align::SentencePair words{{item.source.begin(), item.source.end()},
                                    {item.target.begin(), item.target.end()}};
    item.aligned = align::choose_links(model.align(words, options.training.seed, item.number),
                                       output.choice());
  };
  run_pipeline<Item>(threads, read, work, [&](Item& item) { output.write(item.aligned); });
  output.commit();
  context.talk("aligned {} with {}", counted(reader.num_pairs(), "pair"),
               counted(output.num_links(), "link"));
  return report_bad_pairs(reader, context);
}

// Two files of links make one.
ExitStatus combine(const AlignVerbOptions& options, Context& context) {
  AlignmentOutput output(options, context);
  text::PharaohReader forward{LineReader(options.forward)}, backward{LineReader(options.backward)};
  align::Links forward_links, backward_links;
  for (;;) {
    const bool more = forward.next(forward_links), more_backward = backward.next(backward_links);
    if (more != more_backward) {
      const text::PharaohReader& shorter = more ? backward : forward;
      throw ParseError(
          fmt::format("there is no line {}, which the other file has", shorter.line_number() + 1),
          {.code = "E140", .where = {.file = shorter.name(), .line = shorter.line_number()}});
    }
    if (!more) break;
    output.write(
        {align::symmetrise(forward_links, backward_links, output.choice().symmetrisation), {}});
  }
  output.commit();
  return ExitStatus::kDone;
}

void require_files(const AlignVerbOptions& options) {
  if (options.forward.empty() != options.backward.empty())
    throw UsageError("--forward and --backward need each other", {.code = "E004"});
  const bool combines = !options.forward.empty();
  const bool has_texts = !options.source.empty() || !options.target.empty();
  if (combines && (has_texts || !options.load.empty() || !options.save.empty() ||
                   !options.posteriors.empty())) {
    throw UsageError("--forward and --backward combine alignments: nothing is trained or aligned",
                     {.code = "E006"});
  }
  if (!combines && (options.source.empty() || options.target.empty())) {
    throw UsageError("align needs the files of both languages (--source, --target)",
                     {.code = "E004"});
  }
  if (!options.load.empty() && !options.save.empty())
    throw UsageError("--load uses a model as it is, so that there is none to --save",
                     {.code = "E006"});
}

ExitStatus run(AlignVerbOptions& options, Context& context) {
  require_files(options);
  if (!options.forward.empty()) return combine(options, context);
  if (!options.load.empty()) return align_with_model(options, context);
  options.training.method = align::parse_method(options.method);
  return TrainAligner(options, context).run();
}

std::vector<Option> file_options(AlignVerbOptions& o) {
  return {{.name = "source",
           .letter = 's',
           .value = &o.source,
           .metavar = "FILE",
           .help = "sentences of the source language, one a line, words between blanks"},
          {.name = "target",
           .letter = 't',
           .value = &o.target,
           .metavar = "FILE",
           .help = "their translations, line by line"},
          {.name = "output",
           .letter = 'o',
           .value = &o.output,
           .metavar = "FILE",
           .help = "links, a line for each pair: 0-0 1-2; - is stdout"},
          {.name = "posteriors",
           .value = &o.posteriors,
           .metavar = "FILE",
           .help = "write the posteriors of links too: 0-0:0.9981 1-2:0.6134"},
          {.name = "min-posterior",
           .value = &o.min_posterior,
           .metavar = "P",
           .help = "the smallest posterior to write",
           .min = 0,
           .max = 1},
          {.name = "save", .value = &o.save, .metavar = "FILE", .help = "keep the trained model"},
          {.name = "load",
           .value = &o.load,
           .metavar = "FILE",
           .help = "align with a model that --save kept; nothing is trained"},
          {.name = "forward",
           .value = &o.forward,
           .metavar = "FILE",
           .help = "combine these links with those of --backward; nothing is aligned"},
          {.name = "backward",
           .value = &o.backward,
           .metavar = "FILE",
           .help = "links of the other direction, also as source-target"}};
}

std::vector<Option> model_options(AlignVerbOptions& o) {
  return {{.name = "model",
           .value = &o.method,
           .choices = {"ibm1", "hmm", "diagonal", "gibbs"},
           .help = "IBM model 1, hidden Markov model, diagonal model, or the Bayesian hidden "
                   "Markov model with fertility by sampling"},
          {.name = "symmetrise",
           .value = &o.symmetrise,
           .choices = align::symmetrisation_names(),
           .help = "how the two directions become one"},
          {.name = "iterations",
           .value = &o.training.iterations,
           .metavar = "N",
           .help = "of training; without it 5, or for gibbs by the size of the data",
           .min = 1},
          {.name = "seed", .value = &o.training.seed, .metavar = "N", .help = "of sampling"},
          {.name = "max-length",
           .value = &o.max_length,
           .metavar = "N",
           .help = "longer sentences (words) are an error",
           .min = 1,
           .max = align::kMaxSentenceLength},
          {.name = "on-error",
           .value = &o.on_error,
           .choices = {"stop", "skip"},
           .help = "skip: leave pairs that are empty, too long or not UTF-8 without links"},
          {.name = "chains",
           .value = &o.training.chains,
           .metavar = "N",
           .help = "Markov chains of each direction, whose posteriors are averaged",
           .advanced = true,
           .min = 1,
           .max = 64,
           .only_with = {"model", {"gibbs"}}},
          {.name = "warm-up",
           .value = &o.training.warm_up,
           .metavar = "N",
           .help = "iterations of IBM model 1 before those of the hidden Markov model",
           .advanced = true,
           .only_with = {"model", {"hmm"}}},
          {.name = "null-probability",
           .value = &o.training.null_probability,
           .metavar = "P",
           .help = "of a word without a link; without it 0.2, or for diagonal 0.08",
           .advanced = true,
           .min = 0,
           .max = 1,
           .only_with = {"model", {"hmm", "diagonal", "gibbs"}}},
          {.name = "lexical-prior",
           .value = &o.training.lexical_prior,
           .metavar = "X",
           .help = "of each translation of a word (Dirichlet); 0 is maximum likelihood; without it "
                   "0.001 for gibbs, 0.01 for diagonal, 0 for the others",
           .advanced = true,
           .min = 0},
          {.name = "tension",
           .value = &o.training.tension,
           .metavar = "X",
           .help = "how close to the diagonal links are at the start",
           .advanced = true,
           .min = 0.1,
           .max = 20,
           .only_with = {"model", {"diagonal"}}}};
}

}  // namespace

Command align_verb() {
  auto options = std::make_shared<AlignVerbOptions>();
  std::vector<Option> list = file_options(*options);
  for (Option& option : model_options(*options)) list.push_back(std::move(option));
  return {
      .name = "align",
      .summary = "link the words of translated sentences",
      .group = "models",
      .help =
          "Learns from two files, line k of one being the translation of line k of the other, "
          "which words translate which, and writes the links of each pair in Pharaoh format: "
          "source word - target word, counted from 0. Both directions are aligned and made "
          "into one.\n\n"
          "The default model, gibbs, finds the best links; diagonal takes a third of its time. The "
          "model can be kept (--save) and used for new text (--load). The same data, options and "
          "seed give the same links with any number of threads.",
      .examples = {{"coppice align -s train.fr -t train.en -o train.align", "align a bitext"},
                   {"coppice align -s train.fr -t train.en -o train.align --save fren.cop",
                    "and keep the model"},
                   {"coppice align --load fren.cop -s new.fr -t new.en",
                    "align other text with it"},
                   {"coppice align --forward fe.align --backward ef.align --symmetrise intersect",
                    "combine alignments that exist"},
                   {"coppice eval --task align --gold gold.align --pred train.align",
                    "the alignment error rate"}},
      .options = std::move(list),
      .writes_files = true,
      .run = [options](Context& context) { return run(*options, context); },
  };
}

}  // namespace coppice::cli
