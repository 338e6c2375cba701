#include "cli/forest_output.h"

#include "cli/forest_input.h"
#include "cli/forest_report.h"
#include "coppice/base/usage_error.h"
#include "coppice/forest/json.h"

namespace coppice::cli {

std::vector<Option> output_options(ForestOutput& output, std::string& on_error) {
  return {{.name = "output",
           .letter = 'o',
           .value = &output.path,
           .metavar = "FILE",
           .help = "where to write; - is standard output"},
          {.name = "out",
           .value = &output.format,
           .choices = {"auto", "jsonl", "binary"},
           .help = "format; auto is binary for a name that ends in .cpf, JSON lines otherwise"},
          on_error_option(on_error)};
}

ForestSink::ForestSink(Context& context, const ForestOutput& output, const std::string& on_error)
    : context_(context), file_(context.output_file(output.path)) {
  const bool is_binary =
      output.format == "binary" || (output.format == "auto" && output.path.ends_with(".cpf"));
  if (!is_binary) return;
  if (on_error == "null")
    throw UsageError("--on-error null: binary forest files hold no nulls", {.code = "E006"});
  binary_.emplace(file_.stream());
}

void ForestSink::write(const ForestRecord& record) {
  if (binary_) {
    binary_->write(record);
  } else {
    write_forest_json(file_.stream(), record);
  }
  context_.end_record();
}

void ForestSink::failure(const std::string& name, const Error& error) {
  file_.stream() << failure_line(name, error);
  context_.end_record();
}

void ForestSink::commit() {
  if (binary_) binary_->finish();
  file_.commit();
}

}  // namespace coppice::cli
