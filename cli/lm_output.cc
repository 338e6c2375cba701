#include "cli/lm_output.h"

#include "cli/model_output.h"
#include "coppice/base/usage_error.h"
#include "coppice/lm/arpa.h"
#include "coppice/lm/model.h"

namespace coppice::cli {

namespace {

bool writes_arpa(const LmOutput& output) { return output.path.ends_with(".arpa"); }

}  // namespace

std::vector<Option> lm_output_options(LmOutput& output) {
  return {{.name = "output",
           .letter = 'o',
           .value = &output.path,
           .metavar = "FILE",
           .help = "the model to write; a name that ends in .arpa asks for text; - is stdout",
           .required = true},
          {.name = "binary",
           .value = &output.binary,
           .metavar = "KIND",
           .choices = {"hash", "trie"},
           .help = "hash tables, which are fast, or a trie, which is small (default: hash)"},
          {.name = "memory",
           .value = &output.megabytes,
           .metavar = "MB",
           .help = "memory for sorting n-grams; what is beyond it goes to disk",
           .min = 1,
           .max = 1 << 24},
          {.name = "temporary",
           .value = &output.folder,
           .metavar = "FOLDER",
           .help = "where that is (default: $TMPDIR, or /tmp)",
           .advanced = true}};
}

Output open_lm_output(const LmOutput& output, Context& context) {
  if (output.binary && writes_arpa(output))
    throw UsageError("--binary does not go with a name that ends in .arpa", {.code = "E006"});
  return context.output_file(output.path);
}

void save_lm(const lm::Ngrams& ngrams, const LmOutput& output, Output& file,
             const std::function<std::string()>& card, Context& context) {
  if (writes_arpa(output)) {
    lm::write_arpa(ngrams, file.stream());
    file.commit();
    context.talk("saved   {}", output.path);
    return;
  }
  const lm::BinaryModel model = lm::binary_model(
      ngrams, lm::parse_storage(output.binary.value_or("hash")), card(), output.workspace());
  model.writer.write(file.stream());
  file.commit();
  context.talk("saved   {}", saved_text(output.path, model.writer));
}

}  // namespace coppice::cli
