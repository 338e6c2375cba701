// Costs as people write them.
#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>

#include "coppice/base/error.h"
#include "coppice/learn/training_objective.h"

namespace coppice::learn {

namespace {

std::optional<double> cost_of(std::string_view text) {
  double cost = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cost);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || !std::isfinite(cost) || cost < 0) return std::nullopt;
  return cost;
}

[[noreturn]] void refuse_costs(std::string_view text) {
  throw InvalidArgument(
      concat("costs '", text, "'"),
      {.code = "E116",
       .help = "write fn=5,fp=1 (a missed item, a wrong one), with numbers from 0 "
               "up; Type:fn=5,fp=1 for one type"});
}

[[noreturn]] void refuse_line(const std::string& file, std::size_t line, const std::string& text,
                              std::string_view what) {
  throw ParseError(std::string(what), {.code = "E217",
                                       .where = {.file = file, .line = line},
                                       .excerpt = text,
                                       .help = "a line is: gold label, answered label, cost"});
}

}  // namespace

std::vector<ItemCost> parse_costs(std::string_view text) {
  ItemCost item;
  std::string_view rest = text;
  if (const std::size_t colon = rest.rfind(':'); colon != std::string_view::npos) {
    item.type = rest.substr(0, colon);
    rest = rest.substr(colon + 1);
  }
  if (rest.empty()) refuse_costs(text);
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    const auto cost = one.size() > 3 ? cost_of(one.substr(3)) : std::nullopt;
    if (!cost) refuse_costs(text);
    if (one.starts_with("fn=")) {
      item.costs.false_negative = *cost;
    } else if (one.starts_with("fp=")) {
      item.costs.false_positive = *cost;
    } else {
      refuse_costs(text);
    }
  }
  return {item};
}

std::vector<LabelCost> parse_cost_matrix(std::string_view text, const std::string& file) {
  std::vector<LabelCost> entries;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string gold, answer, cost, more;
    if (!(words >> gold)) continue;
    if (!(words >> answer >> cost) || words >> more) {
      refuse_line(file, number, line, "expected three words");
    }
    const auto value = cost_of(cost);
    if (!value) refuse_line(file, number, line, concat("a cost of '", cost, "'"));
    if (gold == answer && *value != 0) {
      refuse_line(file, number, line, "the right label has a cost");
    }
    entries.push_back({gold, answer, *value});
  }
  if (entries.empty()) {
    throw ParseError("no costs in the file", {.code = "E217", .where = {.file = file}});
  }
  return entries;
}

}  // namespace coppice::learn
