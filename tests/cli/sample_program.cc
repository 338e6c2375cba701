// A program of verbs that use every service of the frame, for the golden tests.
#include <chrono>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "cli/context.h"
#include "cli/human.h"
#include "cli/program.h"
#include "coppice/base/error.h"
#include "coppice/base/file.h"

namespace coppice::cli {
namespace {

struct CopyOptions {
  std::string output = "-";
  std::vector<std::string> files;
};

void copy_file(const std::string& path, std::ostream& out, Context& context) {
  LineReader reader(path);
  context.progress().begin("copying " + reader.name(), 0);
  for (std::string_view line; reader.next(line);) {
    const Location where{.file = reader.name(), .line = reader.line_number()};
    if (line.empty()) context.warn("empty line", {.code = "E205", .where = where});
    if (line.starts_with("bad")) {
      throw ParseError(
          "bad line",
          {.code = "E203", .where = where, .excerpt = std::string(line), .help = "leave it out"});
    }
    out << line << '\n';
    context.end_record();
    context.progress().update(reader.line_number());
  }
  context.progress().end();
}

ExitStatus copy(const CopyOptions& options, Context& context) {
  Output output = context.output_file(options.output);
  for (const std::string& path : options.files) copy_file(path, output.stream(), context);
  output.commit();
  context.talk("saved   {}", options.output);
  context.detail("with {}", counted(options.files.size(), "file"));
  return ExitStatus::kDone;
}

Command copy_verb() {
  auto options = std::make_shared<CopyOptions>();
  return {.name = "copy",
          .summary = "copy lines",
          .options = {{.name = "output",
                       .letter = 'o',
                       .value = &options->output,
                       .metavar = "FILE",
                       .help = "write here"}},
          .files = {.values = &options->files, .help = "what to copy", .min = 1},
          .writes_files = true,
          .run = [options](Context& context) { return copy(*options, context); }};
}

struct TrainOptions {
  int steps = 2;
  bool stubborn = false;
  std::string output = "-";
};

ExitStatus train(const TrainOptions& options, Context& context) {
  const InterruptPoll poll = context.interrupt_poll();
  Table table = context.stage_table({{.name = "iter", .width = 5},
                                     {.name = "loss", .width = 8},
                                     {.name = "|grad|", .width = 7, .decimals = 1, .key = "grad"},
                                     {.name = "time", .width = 6, .align = Align::kRight}});
  Output output = context.output_file(options.output);
  int step = 0;
  while (step < options.steps && (!interrupted(poll) || options.stubborn)) {
    ++step;
    if (step <= 2) table.row({step, 41203.714 / step, 912.44 / step, duration(6.5 * step)});
    if (options.steps > 2) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  output.stream() << (step == options.steps ? "all" : "some") << " steps\n";
  output.commit();
  return ExitStatus::kDone;
}

Command train_verb() {
  auto options = std::make_shared<TrainOptions>();
  return {
      .name = "train",
      .summary = "pretend to train",
      .options = {{.name = "steps", .value = &options->steps, .help = "how many"},
                  {.name = "stubborn", .value = &options->stubborn, .help = "never stop"},
                  {.name = "output", .letter = 'o', .value = &options->output, .help = "where"}},
      .writes_files = true,
      .run = [options](Context& context) { return train(*options, context); }};
}

ExitStatus fail(const std::string& kind) {
  if (kind == "model")
    throw ModelError("not a model", {.code = "E401", .where = {.file = "x.cop"}});
  if (kind == "memory") throw std::bad_alloc();
  if (kind == "argument") throw InvalidArgument("beam must be positive");
  if (kind == "bug") throw std::logic_error("vector::at");
  return ExitStatus::kCheckFailed;
}

Command fail_verb() {
  auto kind = std::make_shared<std::string>("check");
  return {.name = "fail",
          .summary = "fail in some way",
          .options = {{.name = "kind",
                       .value = kind.get(),
                       .choices = {"check", "model", "memory", "argument", "bug"},
                       .help = "how"}},
          .run = [kind](Context&) { return fail(*kind); }};
}

ExitStatus flood(Context& context) {
  for (int i = 0; i < 1'000'000; ++i) context.out() << "a line of some length, again and again\n";
  context.talk("the reader stayed");
  return ExitStatus::kDone;
}

}  // namespace
}  // namespace coppice::cli

int main(int argc, char** argv) {
  using namespace coppice::cli;  // NOLINT(google-build-using-namespace): the whole file is
  const std::vector<std::string> words(argv + 1, argv + argc);
  return run_program(words, {copy_verb(),
                             train_verb(),
                             fail_verb(),
                             {.name = "flood", .summary = "write much", .run = flood}});
}
