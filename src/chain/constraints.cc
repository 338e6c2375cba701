#include "coppice/chain/constraints.h"

#include <algorithm>
#include <array>
#include <utility>

#include "chain/forbidden.h"
#include "chain/label_pattern.h"
#include "coppice/base/error.h"
#include "coppice/base/file.h"
#include "score/linear.h"

namespace coppice::chain {

namespace {

constexpr const char* kForms =
    "a rule is `forbid A B`, `allow A B`, `forbid-first A`, `allow-first A`, `forbid-last A` or "
    "`allow-last A`";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

struct Word {
  std::string_view text;
  std::size_t column;  // from 1
};

// Words between blanks; a backslash takes the next character along.
std::vector<Word> words_of(std::string_view line) {
  std::vector<Word> words;
  for (std::size_t at = 0; at < line.size();) {
    if (is_blank(line[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < line.size() && !is_blank(line[at])) at += line[at] == '\\' ? 2 : 1;
    at = std::min(at, line.size());
    words.push_back({line.substr(begin, at - begin), begin + 1});
  }
  return words;
}

void fill_if_empty(std::vector<unsigned char>& flags, std::size_t size) {
  if (flags.empty()) flags.assign(size, 1);
}

}  // namespace

void forbid_ends(const Constraints& constraints, std::size_t labels, std::span<float> rows) {
  if (rows.empty()) return;
  float* first = rows.data();
  float* last = rows.data() + rows.size() - row_stride(labels);
  for (std::size_t y = 0; y < labels; ++y) {
    if (!constraints.may_begin(y)) first[y] = kForbidden;
    if (!constraints.may_end(y)) last[y] = kForbidden;
  }
}

Constraints scheme_constraints(const std::vector<std::string>& labels, text::Scheme scheme) {
  Constraints constraints;
  if (scheme == text::Scheme::kRaw) return constraints;
  for (const std::string& previous : labels) {
    constraints.first.push_back(text::allowed_at_start(scheme, previous) ? 1 : 0);
    constraints.last.push_back(text::allowed_at_end(scheme, previous) ? 1 : 0);
    for (const std::string& next : labels) {
      constraints.pairs.push_back(text::allowed(scheme, previous, next) ? 1 : 0);
    }
  }
  return constraints;
}

ConstraintRules ConstraintRules::parse(std::string_view text, const std::string& file) {
  ConstraintRules rules;
  rules.file_ = file;
  LineReader lines = LineReader::over(text, file);
  for (std::string_view line; lines.next(line);) {
    if (line.starts_with('#') || std::all_of(line.begin(), line.end(), is_blank)) continue;
    rules.rules_.push_back(parse_rule(line, file, lines.line_number()));
  }
  return rules;
}

ConstraintRules::Rule ConstraintRules::parse_rule(std::string_view text, const std::string& file,
                                                  std::size_t line) {
  struct Form {
    std::string_view word;
    Place place;
    bool allow;
  };
  constexpr std::array forms = {
      Form{"forbid", Place::kPair, false},        Form{"allow", Place::kPair, true},
      Form{"forbid-first", Place::kFirst, false}, Form{"allow-first", Place::kFirst, true},
      Form{"forbid-last", Place::kLast, false},   Form{"allow-last", Place::kLast, true},
  };
  const std::vector<Word> words = words_of(text);
  const auto fail = [&](const std::string& message, std::size_t column) {
    return ParseError(message, {.code = "E125",
                                .where = {.file = file, .line = line, .column = column},
                                .excerpt = std::string(text),
                                .help = kForms});
  };
  const auto* form = std::find_if(forms.begin(), forms.end(), [&](const Form& known) {
    return known.word == words.front().text;
  });
  if (form == forms.end()) {
    throw fail(concat("unknown rule \"", words.front().text, "\""), words.front().column);
  }
  const std::size_t wanted = form->place == Place::kPair ? 2 : 1;
  if (words.size() != wanted + 1) {
    throw fail(concat(form->word, " takes ", wanted, wanted == 1 ? " label" : " labels", ", found ",
                      words.size() - 1),
               words.size() > wanted + 1 ? words[wanted + 1].column : text.size() + 1);
  }
  return {form->place, form->allow, std::string(wanted == 2 ? words[1].text : ""),
          std::string(words.back().text), line};
}

void ConstraintRules::apply(const std::vector<std::string>& labels,
                            Constraints& constraints) const {
  const std::size_t size = labels.size();
  for (const Rule& rule : rules_) {
    const auto find = [&](const std::string& pattern) {
      std::vector<std::size_t> found = matching(pattern, labels);
      if (found.empty()) {
        throw ParseError(concat("no label of the training data matches ", pattern),
                         {.code = "E126", .where = {.file = file_, .line = rule.line}});
      }
      return found;
    };
    const unsigned char flag = rule.allow ? 1 : 0;
    const std::vector<std::size_t> second = find(rule.label);
    if (rule.place == Place::kPair) {
      fill_if_empty(constraints.pairs, size * size);
      for (const std::size_t u : find(rule.previous)) {
        for (const std::size_t y : second) constraints.pairs[u * size + y] = flag;
      }
    } else {
      auto& flags = rule.place == Place::kFirst ? constraints.first : constraints.last;
      fill_if_empty(flags, size);
      for (const std::size_t y : second) flags[y] = flag;
    }
  }
}

}  // namespace coppice::chain
