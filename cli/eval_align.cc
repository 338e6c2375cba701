#include "cli/eval_align.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "cli/human.h"
#include "coppice/base/usage_error.h"
#include "coppice/eval/alignment_draw.h"
#include "coppice/eval/alignment_score.h"
#include "coppice/text/pharaoh.h"

namespace coppice::cli {

namespace {

using Json = nlohmann::ordered_json;

// The words of a line, or "0", "1", ... without a file.
class WordLines {
 public:
  explicit WordLines(const std::string& path) {
    if (!path.empty()) lines_.emplace(path);
  }

  void next(std::size_t number, std::size_t needed, std::vector<std::string>& words) {
    words.clear();
    if (!lines_) {
      for (std::size_t i = 0; i < needed; ++i) words.push_back(std::to_string(i));
      return;
    }
    std::string_view line;
    if (!lines_->next(line)) {
      throw ParseError(fmt::format("there is no line {}, which the alignments have", number),
                       {.code = "E140", .where = {.file = lines_->name(), .line = number - 1}});
    }
    std::string word;
    for (const char c : std::string(line) + ' ') {
      if (std::string_view(" \t\r\v\f").find(c) == std::string_view::npos) {
        word += c;
      } else if (!word.empty()) {
        words.push_back(visible(word));
        word.clear();
      }
    }
    if (words.size() < needed) {
      throw ParseError(fmt::format("the sentence has {}, but a link to word {}",
                                   counted(words.size(), "word"), needed - 1),
                       {.code = "E140", .where = {.file = lines_->name(), .line = number}});
    }
  }

 private:
  std::optional<LineReader> lines_;
};

struct ScoredPair {
  std::size_t line = 0;
  eval::AlignmentCounts counts;
  eval::AlignmentPicture picture;
};

// The pairs with the most errors, the first ones of equally bad ones.
class WorstPairs {
 public:
  explicit WorstPairs(std::size_t size) : size_(size) {}

  bool wants(const eval::AlignmentCounts& counts) const {
    return size_ > 0 && (pairs_.size() < size_ || worse(counts, pairs_.back().counts));
  }
  void add(ScoredPair pair) {
    const auto at = std::ranges::find_if(
        pairs_, [&](const ScoredPair& other) { return worse(pair.counts, other.counts); });
    pairs_.insert(at, std::move(pair));
    if (pairs_.size() > size_) pairs_.pop_back();
  }
  const std::vector<ScoredPair>& pairs() const { return pairs_; }

 private:
  static bool worse(const eval::AlignmentCounts& a, const eval::AlignmentCounts& b) {
    return a.errors() > b.errors();
  }

  std::size_t size_;
  std::vector<ScoredPair> pairs_;
};

struct Evaluated {
  WorstPairs worst;
  std::size_t pairs = 0;
  eval::AlignmentCounts counts{};
};

std::size_t words_needed(const eval::AlignmentPicture& picture,
                         std::uint32_t text::AlignmentLink::*position) {
  std::size_t needed = 0;
  for (const auto& links : {picture.found, *picture.gold})
    for (const text::AlignmentLink& link : links)
      needed = std::max<std::size_t>(needed, link.*position + std::size_t{1});
  return needed;
}

Evaluated read_and_score(const std::string& gold_path, const std::string& predicted_path,
                         const AlignmentEvalOptions& options) {
  text::PharaohReader gold{LineReader(gold_path)}, predicted{LineReader(predicted_path)};
  WordLines source(options.source), target(options.target);
  Evaluated evaluated{
      .worst = WorstPairs(std::max<std::uint64_t>(options.draw, options.svg.empty() ? 0 : 1))};
  std::vector<text::AlignmentLink> gold_links, found;
  for (std::size_t line = 1;; ++line) {
    const bool more = gold.next(gold_links), more_predicted = predicted.next(found);
    if (more != more_predicted) {
      throw ParseError(
          fmt::format("there is no line {}, which {} has", line,
                      more ? gold.name() : predicted.name()),
          {.code = "E140",
           .where = {.file = more ? predicted.name() : gold.name(), .line = line - 1}});
    }
    if (!more) break;
    ++evaluated.pairs;
    const eval::AlignmentCounts counts = eval::score_alignment(gold_links, found);
    evaluated.counts += counts;
    eval::AlignmentPicture picture;
    picture.found = found;
    picture.gold = gold_links;
    const std::size_t sources = words_needed(picture, &text::AlignmentLink::source);
    const std::size_t targets = words_needed(picture, &text::AlignmentLink::target);
    const bool is_wanted = evaluated.worst.wants(counts);
    if (!is_wanted && options.source.empty() && options.target.empty()) continue;
    source.next(line, sources, picture.source);
    target.next(line, targets, picture.target);
    picture.title = fmt::format("line {}: AER {:.2f}", line, percent(counts.error_rate()));
    if (is_wanted) evaluated.worst.add({line, counts, std::move(picture)});
  }
  if (evaluated.pairs == 0)
    throw ParseError("the file has no alignments", {.code = "E204", .where = {.file = gold_path}});
  return evaluated;
}

void print_json(const Evaluated& evaluated, Context& context) {
  const eval::AlignmentCounts& counts = evaluated.counts;
  const Json document{{"v", 1},
                      {"task", "align"},
                      {"aer", counts.error_rate()},
                      {"precision", counts.precision()},
                      {"recall", counts.recall()},
                      {"f1", counts.f1()},
                      {"pairs", evaluated.pairs},
                      {"sure", counts.sure},
                      {"possible", counts.possible},
                      {"predicted", counts.found},
                      {"predicted_sure", counts.found_sure},
                      {"predicted_possible", counts.found_possible}};
  context.out() << document.dump(2) << '\n';
}

void print_drawings(const Evaluated& evaluated, std::uint64_t draw, Context& context) {
  if (draw == 0) return;
  context.out() << "\n■ sure, found   ▣ possible, found   × wrong   □ sure, missed   ○ possible\n";
  for (const ScoredPair& pair : evaluated.worst.pairs()) {
    context.out() << fmt::format("\n{}, {}\n", pair.picture.title,
                                 counted(pair.counts.errors(), "error"))
                  << eval::draw_alignment(pair.picture);
  }
}

}  // namespace

std::vector<Option> alignment_eval_options(AlignmentEvalOptions& options) {
  return {{.name = "source",
           .value = &options.source,
           .metavar = "FILE",
           .help = "alignments: the source sentences, for drawings"},
          {.name = "target",
           .value = &options.target,
           .metavar = "FILE",
           .help = "alignments: the target sentences, for drawings"},
          {.name = "draw",
           .value = &options.draw,
           .metavar = "N",
           .help = "alignments: draw the N pairs with the most errors"},
          {.name = "svg",
           .value = &options.svg,
           .metavar = "FILE",
           .help = "alignments: draw the pair with the most errors as SVG"}};
}

bool asks_for_drawings(const AlignmentEvalOptions& options) {
  return options.draw > 0 || !options.source.empty() || !options.target.empty() ||
         !options.svg.empty();
}

ExitStatus score_alignments(const std::string& gold, const std::string& predicted,
                            const AlignmentEvalOptions& options, Context& context) {
  std::optional<Output> svg;  // refused before the work, not after it
  if (!options.svg.empty()) svg.emplace(context.output_file(options.svg));
  const Evaluated evaluated = read_and_score(gold, predicted, options);
  if (svg) {
    svg->stream() << eval::alignment_svg(evaluated.worst.pairs().front().picture);
    svg->commit();
  }
  if (context.json()) {
    print_json(evaluated, context);
    return ExitStatus::kDone;
  }
  const eval::AlignmentCounts& counts = evaluated.counts;
  Table table = context.report_table({{.name = "AER"},
                                      {.name = "P"},
                                      {.name = "R"},
                                      {.name = "F1"},
                                      {.name = "pairs"},
                                      {.name = "sure"},
                                      {.name = "possible"},
                                      {.name = "pred"}});
  table.row({percent(counts.error_rate()), percent(counts.precision()), percent(counts.recall()),
             percent(counts.f1()), std::uint64_t{evaluated.pairs}, counts.sure, counts.possible,
             counts.found});
  table.finish();
  print_drawings(evaluated, options.draw, context);
  return ExitStatus::kDone;
}

}  // namespace coppice::cli
