// coppice lm convert: language models from ARPA text and back.
#include <memory>

#include "cli/lm_output.h"
#include "cli/lm_verbs.h"
#include "coppice/base/model_file.h"
#include "coppice/lm/arpa.h"
#include "coppice/lm/card.h"
#include "coppice/lm/model.h"

namespace coppice::cli {

namespace {

struct LmConvertOptions {
  LmOutput output;
  std::vector<std::string> files;
};

void convert_model(const std::string& path, const LmOutput& output, Output& file,
                   Context& context) {
  const lm::Model model = lm::Model::open(path);
  const auto card = [&] {
    return model.file().has("card") ? std::string(model.file().text("card")) : std::string();
  };
  save_lm(model.ngrams(output.workspace()), output, file, card, context);
}

void convert_arpa(LineReader lines, const std::string& path, const LmOutput& output, Output& file,
                  Context& context) {
  lm::ArpaNotes notes;
  const lm::Ngrams ngrams = lm::read_arpa(std::move(lines), output.workspace(), &notes);
  if (notes.unknown_added)
    context.talk("note    the file has no <unk>; words that it does not know get 10^-100");
  if (notes.blanks > 0)
    context.talk("note    {} n-grams were added that longer ones end in", notes.blanks);
  save_lm(
      ngrams, output, file, [&] { return lm::conversion_card(ngrams, path); }, context);
}

ExitStatus run(const LmConvertOptions& options, Context& context) {
  Output output = open_lm_output(options.output, context);
  const std::string& path = options.files.front();
  LineReader lines(path);
  const std::string_view magic(reinterpret_cast<const char*>(kModelMagic), sizeof kModelMagic);
  if (path != "-" && lines.peek(magic.size()) == magic)
    convert_model(path, options.output, output, context);
  else
    convert_arpa(std::move(lines), path, options.output, output, context);
  return ExitStatus::kDone;
}

}  // namespace

Command lm_convert_verb() {
  auto options = std::make_shared<LmConvertOptions>();
  return {.name = "convert",
          .summary = "make a language model file from ARPA text, or ARPA text from a model",
          .help =
              "Reads ARPA text, whoever wrote it, or a model of coppice, and writes hash tables, a "
              "trie or ARPA text. No probability changes.",
          .examples = {{"coppice lm convert en.arpa -o en.lm --binary trie", ""},
                       {"coppice lm convert en.lm -o en.arpa", ""}},
          .options = lm_output_options(options->output),
          .files = {.values = &options->files,
                    .metavar = "MODEL",
                    .help = "ARPA text or a model file; - is stdin, ARPA text",
                    .min = 1,
                    .max = 1},
          .writes_files = true,
          .run = [options](Context& context) { return run(*options, context); }};
}

}  // namespace coppice::cli
