// coppice explain of a tagger: why a token has its label.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "cli/explain.h"
#include "cli/human.h"
#include "cli/label_number.h"
#include "cli/skipped.h"
#include "cli/tag.h"
#include "coppice/base/error.h"
#include "coppice/base/usage_error.h"
#include "coppice/tag/explanation.h"
#include "coppice/tag/feature_columns.h"
#include "coppice/text/reader.h"

namespace coppice::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxFeatureWidth = 36;

// A name and what it adds to the log-odds.
using Line = std::pair<std::string, double>;

class Explain {
 public:
  Explain(ModelFile model, const ExplainOptions& options, Context& context)
      : options_(options), context_(context), tagger_(std::move(model)), explainer_(tagger_) {
    if (options.text.has_value() == !options.files.empty()) {
      throw UsageError("explain needs a sentence: either --text or a file", {.code = "E004"});
    }
    if (options.against) {
      other_ = static_cast<std::uint16_t>(label_number(tagger_, *options.against));
    }
  }

  ExitStatus run() {
    const auto reader = open();
    text::Sentence sentence;
    std::uint64_t number = 0;
    while (reader->next(sentence)) {
      if (options_.sentence && ++number != *options_.sentence) continue;
      explain(*reader, sentence);
    }
    text::require_sentences(*reader);
    if (options_.sentence && number < *options_.sentence) {
      throw UsageError(
          fmt::format("--sentence is {}, and there are {}", *options_.sentence, number),
          {.code = "E003"});
    }
    const bool skipped = report_skipped(*reader, context_);
    if (context_.json()) {
      const Json document = {{"v", 1}, {"model", options_.model}, {"sentences", sentences_}};
      context_.out() << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
    }
    return skipped ? ExitStatus::kSkippedRecords : ExitStatus::kDone;
  }

 private:
  std::unique_ptr<text::SentenceReader> open() const {
    const text::ReaderOptions reading = reader_options(options_.data, text::Format::kText);
    if (!options_.text) return text::open_sentences(options_.files.front(), reading);
    text::ReaderOptions of_text = reading;
    of_text.format = text::Format::kText;
    return text::open_sentences(LineReader::over(*options_.text, "--text"), of_text);
  }

  void explain(const text::SentenceReader& reader, const text::Sentence& sentence) {
    if (!cells_) cells_.emplace(feature_cells(tagger_, reader, sentence));
    const auto& labels = explainer_.read(sentence, *cells_);
    const std::size_t length = sentence.num_tokens();
    if (options_.token && (*options_.token < 1 || *options_.token > length)) {
      throw UsageError(fmt::format("--token is {}, and the sentence has {}", *options_.token,
                                   counted(length, "token")),
                       {.code = "E003", .help = "tokens count from 1"});
    }
    Json explanations = Json::array();
    for (std::size_t t = 0; t < length; ++t) {
      if (options_.token && t + 1 != *options_.token) continue;
      const std::string form(form_of(sentence, t));
      if (other_ == labels[t]) {
        if (!context_.json()) print_heading(t, form, labels[t]) << "the label itself\n";
        continue;
      }
      const auto explanation = explainer_.explain(t, labels[t], other_);
      if (context_.json()) {
        explanations.push_back(json_of(t, form, labels[t], explanation));
      } else {
        print(t, form, labels[t], explanation);
      }
    }
    if (!context_.json()) return;
    sentences_.push_back({{"id", sentence.id().empty() ? fmt::format("s{}", sentence.number())
                                                       : std::string(sentence.id())},
                          {"tags", names_of(labels)},
                          {"tokens", std::move(explanations)}});
  }

  std::string_view form_of(const text::Sentence& sentence, std::size_t token) const {
    return sentence.form_column() ? sentence.cell(token, *sentence.form_column()) : "";
  }

  std::vector<std::string> names_of(const std::vector<std::uint16_t>& labels) const {
    std::vector<std::string> names;
    names.reserve(labels.size());
    for (const std::uint16_t label : labels) names.emplace_back(tagger_.label(label));
    return names;
  }

  std::ostream& print_heading(std::size_t token, const std::string& form, std::uint16_t label) {
    return context_.out() << fmt::format("token {} \"{}\"   {}   ", token + 1, visible(form),
                                         tagger_.label(label));
  }

  void print(std::size_t token, const std::string& form, std::uint16_t label,
             const std::optional<tag::Explanation>& found) {
    if (!found) {
      print_heading(token, form, label) << (other_ ? "the other label is impossible here\n"
                                                   : "no other label is possible here\n");
      return;
    }
    context_.out() << fmt::format(
        "token {} \"{}\"   {} {:.2f}   {} {} {:.2f}   log-odds {:+.2f}\n", token + 1, visible(form),
        tagger_.label(label), found->label_probability, other_ ? "against" : "runner-up",
        tagger_.label(found->other), found->other_probability, found->log_odds);
    const std::vector<Line> lines = lines_of(*found);
    std::size_t longest = 0;
    for (const auto& [name, amount] : lines) longest = std::max(longest, width(name));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const auto& [name, amount] = lines[i];
      const bool ends_line = i % 2 == 1 || i + 1 == lines.size();
      context_.out() << fmt::format("{}{}{}{:+8.2f}{}", i % 2 == 0 ? "  " : "        ", name,
                                    std::string(longest - width(name), ' '), amount,
                                    ends_line ? "\n" : "");
    }
  }

  // Features, then the contexts.
  std::vector<Line> lines_of(const tag::Explanation& found) const {
    std::vector<Line> lines;
    double others = 0;
    std::size_t num_others = 0;
    for (const tag::FeatureContribution& feature : found.features) {
      if (lines.size() < options_.top) {
        lines.emplace_back(shortened(visible(feature.name), kMaxFeatureWidth), feature.amount);
      } else {
        others += feature.amount;
        ++num_others;
      }
    }
    if (num_others > 0) lines.emplace_back(fmt::format("{} other features", num_others), others);
    if (found.base != 0) lines.emplace_back("trees, before any question", found.base);
    const std::string_view label = tagger_.label(found.label);
    if (found.left.exists) {
      const std::string_view neighbour = tagger_.label(found.left.label);
      lines.emplace_back(fmt::format("prev label {}\u2192{}", neighbour, label),
                         found.left.transition);
      lines.emplace_back(fmt::format("left context ({})", neighbour), found.left.beyond);
    }
    if (found.right.exists) {
      const std::string_view neighbour = tagger_.label(found.right.label);
      lines.emplace_back(fmt::format("next label {}\u2192{}", label, neighbour),
                         found.right.transition);
      lines.emplace_back(fmt::format("right context ({})", neighbour), found.right.beyond);
    }
    return lines;
  }

  Json json_of(const tag::ContextContribution& side) const {
    if (!side.exists) return nullptr;
    return {{"label", tagger_.label(side.label)},
            {"transition", side.transition},
            {"beyond", side.beyond}};
  }

  Json json_of(std::size_t token, const std::string& form, std::uint16_t label,
               const std::optional<tag::Explanation>& found) const {
    Json result = {{"token", token + 1}, {"form", form}, {"label", tagger_.label(label)}};
    if (!found) return result;
    result["p"] = found->label_probability;
    result["other"] = tagger_.label(found->other);
    result["other_p"] = found->other_probability;
    result["log_odds"] = found->log_odds;
    result["features"] = Json::array();
    for (const tag::FeatureContribution& feature : found->features) {
      result["features"].push_back({{"name", feature.name},
                                    {"value", feature.value},
                                    {"weight", feature.weight},
                                    {"trees", feature.trees},
                                    {"amount", feature.amount}});
    }
    result["base"] = found->base;
    result["left"] = json_of(found->left);
    result["right"] = json_of(found->right);
    return result;
  }

  const ExplainOptions& options_;
  Context& context_;
  tag::Tagger tagger_;
  tag::Explainer explainer_;
  std::optional<std::uint16_t> other_;
  std::optional<tag::FeatureCells> cells_;
  Json sentences_ = Json::array();
};

}  // namespace

ExitStatus explain_tags(ModelFile model, const ExplainOptions& options, Context& context) {
  return Explain(std::move(model), options, context).run();
}

}  // namespace coppice::cli
