#include "cli/derivations.h"

#include <fmt/core.h>

#include <array>

#include "cli/human.h"
#include "cli/skipped.h"
#include "coppice/base/usage_error.h"
#include "coppice/ccg/draw.h"

namespace coppice::cli {

namespace {

constexpr std::array<const char*, 4> kTargets = {"parg", "deps", "drawing", "svg"};

std::vector<std::string_view> words_of(const text::Sentence& sentence) {
  std::vector<std::string_view> words;
  words.reserve(sentence.num_tokens());
  for (std::size_t row = 0; row < sentence.num_tokens(); ++row)
    words.push_back(sentence.cell(row, *sentence.form_column()));
  return words;
}

std::string title_of(const text::Sentence& sentence) {
  return sentence.id().empty() ? fmt::format("s{}", sentence.number()) : std::string(sentence.id());
}

// Writes one sentence after another in one form.
class DerivationWriter {
 public:
  DerivationWriter(std::ostream& out, const std::string& target) : out_(out), target_(target) {}

  void write(const text::Sentence& sentence, const ccg::Derivation& derivation,
             const ccg::Categories& categories) {
    if (target_ == "drawing") {
      out_ << (count_ == 0 ? "" : "\n") << title_of(sentence) << '\n'
           << ccg::derivation_to_text(derivation, categories, words_of(sentence));
    } else if (target_ == "svg") {
      if (count_ > 0)
        throw UsageError("--to svg draws one derivation, and the file has more", {.code = "E006"});
      out_ << ccg::derivation_to_svg(derivation, categories, words_of(sentence),
                                     title_of(sentence));
    } else {
      const text::PargSentence parg = ccg::parg_of(sentence, derivation, categories);
      target_ == "parg" ? write_parg(out_, parg) : write_deps(out_, parg);
    }
    ++count_;
  }

 private:
  std::ostream& out_;
  const std::string& target_;
  std::size_t count_ = 0;
};

}  // namespace

std::vector<Option> derivation_options(DerivationOptions& options) {
  return {{.name = "markup",
           .value = &options.markup,
           .metavar = "FILE",
           .help = "of CCGbank derivations: the co-indexation of categories (docs/ccg.md)"},
          {.name = "rules",
           .value = &options.rules,
           .metavar = "FILE",
           .help = "of CCGbank derivations: unary rules, punctuation, conjunctions"}};
}

DerivationGrammar::DerivationGrammar(const DerivationOptions& options) {
  if (!options.markup.empty())
    markup_ = ccg::read_markup(forms_, options.markup, {.on_error = text::OnError::kSkip});
  ccg::Rules rules = options.rules.empty() ? ccg::default_rules(forms_.categories())
                                           : ccg::read_rules(forms_, options.rules);
  deriver_.emplace(forms_, std::move(rules), markup_ ? &*markup_ : nullptr);
}

const std::vector<ParseError>& DerivationGrammar::markup_problems() const {
  static const std::vector<ParseError> none;
  return markup_ ? markup_->problems() : none;
}

bool is_derivation_file(const std::string& path, const text::DataOptions& options) {
  return options.format == "ccgbank" || (options.format == "auto" && path.ends_with(".auto"));
}

bool is_dependency_file(const std::string& path, const text::DataOptions& options) {
  return is_derivation_file(path, options) || path.ends_with(".parg");
}

bool is_derivation_target(const std::string& target) {
  for (const char* known : kTargets)
    if (target == known) return true;
  return false;
}

ExitStatus convert_derivations(const std::string& path, const std::string& target,
                               const text::DataOptions& data, const DerivationOptions& options,
                               const std::string& output, Context& context) {
  const text::ReaderOptions reading = reader_options(data, text::Format::kCcgbank);
  if (reading.format != text::Format::kAuto && reading.format != text::Format::kCcgbank)
    throw UsageError(fmt::format("--to {} needs CCGbank derivations", target), {.code = "E006"});
  DerivationGrammar grammar(options);
  for (const ParseError& problem : grammar.markup_problems()) context.report(problem);
  Output file = context.output_file(output);
  text::CcgbankReader reader(path, reading.policy);
  DerivationWriter writer(file.stream(), target);
  for (text::Sentence sentence; reader.next(sentence);) {
    writer.write(sentence, grammar.derive(sentence, reader.derivation()), grammar.categories());
    if (output == "-") context.end_record();
  }
  text::require_sentences(reader);
  file.commit();
  context.talk("wrote   {}, {}", counted(reader.counts().sentences, "sentence"),
               counted(reader.counts().tokens, "token"));
  return report_skipped(reader, context) ? ExitStatus::kSkippedRecords : ExitStatus::kDone;
}

}  // namespace coppice::cli
