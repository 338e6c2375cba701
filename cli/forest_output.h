// Where verbs that make forests write them: --out and -o.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "coppice/base/error.h"
#include "coppice/forest/binary.h"
#include "coppice/forest/record.h"

namespace coppice::cli {

struct ForestOutput {
  std::string path = "-";
  std::string format = "auto";  // binary for a name that ends in .cpf, else JSON lines
};

// -o, --out and --on-error, which has no null in binary files.
std::vector<Option> output_options(ForestOutput& output, std::string& on_error);

class ForestSink {
 public:
  // Throws IoError when the file exists, UsageError E006 for nulls in a binary file.
  ForestSink(Context& context, const ForestOutput& output, const std::string& on_error);

  void write(const ForestRecord& record);
  // {"v":1,"id":"s7","error":{"code":"E301","message":"..."}}
  void failure(const std::string& name, const Error& error);
  void commit();

 private:
  Context& context_;
  Output file_;
  std::optional<ForestBinaryWriter> binary_;
};

}  // namespace coppice::cli
