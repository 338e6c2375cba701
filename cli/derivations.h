// CCGbank derivations as check, convert and eval read them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "coppice/ccg/derivation.h"
#include "coppice/text/data_options.h"

namespace coppice::cli {

struct DerivationOptions {
  std::string markup;
  std::string rules;
};

// The declarations of --markup and --rules.
std::vector<Option> derivation_options(DerivationOptions& options);

// The grammar that derives sentences: forms, rules and mark-up, as the options name them.
class DerivationGrammar {
 public:
  explicit DerivationGrammar(const DerivationOptions& options);

  ccg::Derivation derive(const text::Sentence& sentence, const text::CcgbankTree& tree) {
    return deriver_->derive(sentence, tree);
  }
  const ccg::Categories& categories() const { return forms_.categories(); }
  // Entries of the mark-up file that cannot be used; convert lists them.
  const std::vector<ParseError>& markup_problems() const;

 private:
  ccg::Forms forms_;
  std::optional<ccg::Markup> markup_;
  std::optional<ccg::Deriver> deriver_;
};

// Returns whether the file holds CCGbank derivations: by its name, or as the options say.
bool is_derivation_file(const std::string& path, const text::DataOptions& options);

// "parg", "deps", "drawing" or "svg": what convert makes of derivations beside data formats.
bool is_derivation_target(const std::string& target);
ExitStatus convert_derivations(const std::string& path, const std::string& target,
                               const text::DataOptions& data, const DerivationOptions& options,
                               const std::string& output, Context& context);

// Scores derivations or PARG files; `fail_under` is a bound of the labelled F1, in percent.
struct DependencyFiles {
  std::string gold;
  std::string predicted;
  text::DataOptions data;
  DerivationOptions derivations;
  std::optional<double> fail_under{};
};
bool is_dependency_file(const std::string& path, const text::DataOptions& options);
ExitStatus score_dependencies(const DependencyFiles& files, Context& context);

}  // namespace coppice::cli
