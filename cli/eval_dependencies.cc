// coppice eval on dependencies of categorial grammar.
#include <fmt/core.h>

#include <map>
#include <nlohmann/json.hpp>

#include "cli/derivations.h"
#include "cli/human.h"
#include "cli/skipped.h"
#include "coppice/base/usage_error.h"
#include "coppice/eval/dependency_score.h"

namespace coppice::cli {

namespace {

using Json = nlohmann::ordered_json;

// A sentence of either file.
struct Analysis {
  text::PargSentence parg;
  std::vector<std::string> words;      // of derivations
  std::vector<std::string> supertags;  // of derivations
};

struct Analyses {
  std::vector<Analysis> list;
  bool skipped = false;
};

Analyses read_parg(const std::string& path) {
  Analyses found;
  text::PargReader reader{LineReader(path)};
  for (text::PargSentence sentence; reader.next(sentence);)
    found.list.push_back({std::move(sentence), {}, {}});
  return found;
}

Analyses read_derivations(const std::string& path, const DependencyFiles& files, Context& context) {
  Analyses found;
  DerivationGrammar grammar(files.derivations);
  text::CcgbankReader reader(path, reader_options(files.data, text::Format::kCcgbank).policy);
  for (text::Sentence sentence; reader.next(sentence);) {
    const ccg::Derivation derivation = grammar.derive(sentence, reader.derivation());
    Analysis one{ccg::parg_of(sentence, derivation, grammar.categories()), {}, {}};
    for (std::size_t row = 0; row < sentence.num_tokens(); ++row) {
      one.words.emplace_back(sentence.cell(row, text::CcgbankReader::kForm));
      one.supertags.emplace_back(sentence.cell(row, text::CcgbankReader::kSupertag));
    }
    found.list.push_back(std::move(one));
  }
  text::require_sentences(reader);
  found.skipped = report_skipped(reader, context);
  return found;
}

Analyses read_analyses(const std::string& path, const DependencyFiles& files, Context& context) {
  return path.ends_with(".parg") ? read_parg(path) : read_derivations(path, files, context);
}

[[noreturn]] void refuse_pair(const std::string& message, const std::string& path,
                              std::size_t line) {
  throw ParseError(message, {.code = "E140",
                             .where = {.file = path, .line = line},
                             .help = "sentences are matched by their ids"});
}

void compare(const Analysis& gold, const Analysis& predicted, const std::string& path,
             eval::DependencyScorer& scorer) {
  if (gold.parg.num_words != predicted.parg.num_words ||
      (!gold.words.empty() && !predicted.words.empty() && gold.words != predicted.words))
    refuse_pair(fmt::format("the words of sentence \"{}\" are others", gold.parg.id), path,
                predicted.parg.line);
  scorer.add(gold.parg.dependencies, predicted.parg.dependencies);
  if (gold.words.empty() || predicted.words.empty()) return;
  const std::vector<std::string_view> right(gold.supertags.begin(), gold.supertags.end());
  const std::vector<std::string_view> found(predicted.supertags.begin(), predicted.supertags.end());
  scorer.add_supertags(right, found);
}

eval::DependencyScorer score_pairs(const Analyses& gold, const Analyses& predicted,
                                   const std::string& path) {
  std::map<std::string_view, const Analysis*> by_id;
  for (const Analysis& each : predicted.list)
    if (!by_id.try_emplace(each.parg.id, &each).second)
      refuse_pair(fmt::format("two sentences have the id \"{}\"", each.parg.id), path,
                  each.parg.line);
  eval::DependencyScorer scorer;
  for (const Analysis& each : gold.list) {
    const auto found = by_id.find(each.parg.id);
    if (found == by_id.end()) {
      scorer.add_failure(each.parg.dependencies);
      continue;
    }
    compare(each, *found->second, path, scorer);
    by_id.erase(found);
  }
  if (!by_id.empty())
    refuse_pair(fmt::format("the sentence \"{}\" is not among the gold ones", by_id.begin()->first),
                path, by_id.begin()->second->parg.line);
  return scorer;
}

struct CountsRow {
  const char* name;
  const char* key;
  eval::Counts counts;
};

void print_dependency_scores(const eval::DependencyScorer& scorer, Context& context) {
  const std::array<CountsRow, 4> rows = {
      {{"labelled", "labelled", scorer.labelled()},
       {"unlabelled", "unlabelled", scorer.unlabelled()},
       {"labelled, of all", "labelled_of_all", scorer.labelled_of_all()},
       {"unlabelled, of all", "unlabelled_of_all", scorer.unlabelled_of_all()}}};
  if (context.json()) {
    Json document{{"v", 1}};
    for (const CountsRow& row : rows)
      document[row.key] = {{"precision", percent(row.counts.precision())},
                           {"recall", percent(row.counts.recall())},
                           {"f1", percent(row.counts.f1())},
                           {"gold", row.counts.gold},
                           {"predicted", row.counts.predicted},
                           {"correct", row.counts.correct}};
    document["sentences"] = scorer.sentences();
    document["analysed"] = scorer.analysed();
    document["exact"] = scorer.exact();
    document["supertags"] = {{"words", scorer.supertags()},
                             {"correct", scorer.correct_supertags()}};
    context.out() << document.dump(2) << '\n';
    return;
  }
  Table table = context.report_table({{.name = "dependencies"},
                                      {.name = "P"},
                                      {.name = "R"},
                                      {.name = "F1"},
                                      {.name = "gold"},
                                      {.name = "pred"},
                                      {.name = "right"}});
  for (const CountsRow& row : rows)
    table.row({row.name, percent(row.counts.precision()), percent(row.counts.recall()),
               percent(row.counts.f1()), row.counts.gold, row.counts.predicted,
               row.counts.correct});
  table.finish();
  context.out() << fmt::format("\ncoverage   {:.2f} ({} of {})\nexact      {}\n",
                               percent(scorer.coverage()), scorer.analysed(),
                               counted(scorer.sentences(), "sentence"),
                               counted(scorer.exact(), "sentence"));
  if (scorer.supertags() > 0)
    context.out() << fmt::format("supertags  {:.2f} ({} of {})\n",
                                 percent(scorer.supertag_accuracy()), scorer.correct_supertags(),
                                 counted(scorer.supertags(), "word"));
}

}  // namespace

ExitStatus score_dependencies(const DependencyFiles& files, Context& context) {
  if (files.predicted.empty())
    throw UsageError("dependencies are compared with those of --pred", {.code = "E004"});
  if (!is_dependency_file(files.predicted, files.data))
    throw UsageError("--pred must be a file of derivations (.auto) or dependencies (.parg)",
                     {.code = "E006"});
  const Analyses gold = read_analyses(files.gold, files, context);
  const Analyses predicted = read_analyses(files.predicted, files, context);
  const eval::DependencyScorer scorer = score_pairs(gold, predicted, files.predicted);
  print_dependency_scores(scorer, context);
  if (files.fail_under && percent(scorer.labelled().f1()) < *files.fail_under)
    return ExitStatus::kCheckFailed;
  return gold.skipped || predicted.skipped ? ExitStatus::kSkippedRecords : ExitStatus::kDone;
}

}  // namespace coppice::cli
