// Which label sequences are possible at all: from a label scheme, and from rules in a file.
//
// A rule file has one rule a line, which holds for the labels that its patterns match: `*` stands
// for any run of characters, and a backslash makes the next character an ordinary one.
//
//     # a span of type X ends before one of type Y begins
//     forbid I-X B-Y           the second label may not follow the first
//     forbid * E-*
//     allow B-PER E-PER        and here it may after all
//     forbid-first I-*         no sentence begins with it
//     forbid-last B-*          no sentence ends with it
//     allow-first I-X
//     allow-last B-X
//
// Rules are applied from top to bottom, on top of what the scheme says: the last one that speaks of
// a pair decides. Words are separated by blanks; `\ ` is a blank in a label. Blank lines, and lines
// whose first character is #, say nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/text/spans.h"

namespace coppice::chain {

struct Constraints {
  std::vector<unsigned char> pairs;  // labels x labels; empty: every pair
  std::vector<unsigned char> first;  // by label; empty: any may begin
  std::vector<unsigned char> last;   // by label; empty: any may end

  bool allows(std::size_t previous, std::size_t next, std::size_t labels) const noexcept {
    return pairs.empty() || pairs[previous * labels + next] != 0;
  }
  bool may_begin(std::size_t label) const noexcept { return first.empty() || first[label] != 0; }
  bool may_end(std::size_t label) const noexcept { return last.empty() || last[label] != 0; }
};

// Sets the scores of labels to -inf that may not begin, in the first of a sentence's rows of label
// scores, and that may not end, in the last. Does nothing without rows.
void forbid_ends(const Constraints& constraints, std::size_t labels, std::span<float> rows);

// What a scheme forbids; nothing for raw labels.
Constraints scheme_constraints(const std::vector<std::string>& labels, text::Scheme scheme);

class ConstraintRules {
 public:
  ConstraintRules() = default;  // no rules
  // Throws ParseError (E125) with file, line and column.
  static ConstraintRules parse(std::string_view text, const std::string& file);

  bool empty() const noexcept { return rules_.empty(); }

  // Applies the rules in order. Throws ParseError (E126) with file and line when a pattern matches
  // none of the labels.
  void apply(const std::vector<std::string>& labels, Constraints& constraints) const;

 private:
  enum class Place : unsigned char { kPair, kFirst, kLast };
  struct Rule {
    Place place;
    bool allow;
    std::string previous;  // of pairs only
    std::string label;
    std::size_t line;
  };
  static Rule parse_rule(std::string_view text, const std::string& file, std::size_t line);

  std::vector<Rule> rules_;
  std::string file_;
};

}  // namespace coppice::chain
