// Feature templates: which attributes a token has, written as text. docs/templates.md is the
// guide; this is the same as data.
//
//   columns w pos                    names of the columns, from 0 (without it: w)
//   list cities = cities.txt         a gazetteer: an entry of one or more words a line
//   classes brown = paths.txt        word classes: BITS word COUNT, or word CLASS, tab-separated
//   outside omit                     what an offset past the sentence gives (without it: mark)
//   w[-2..2]                         a template a line; a range stands for several templates
//   w[-1]|w[0]                       a conjunction
//   suffix(lower(w[0]),1..4)         functions, which nest
//   near: w[-2]                      a bag: all templates of one bag give the same attributes
//   transition                       weights for pairs of labels
//   transition: pos[0]               an attribute conjoined with the pair of labels
//
// A term yields a text, or a mere yes, or a number, or is absent; a conjunction is absent when one
// of its terms is. The attribute's name is the template (or its bag) and the texts:
// "w[-1]|w[0]=the|cat", "suffix(w[0],3)=ing", "first()", "near=the". Outside the sentence, `mark`
// gives _BOS1_, _BOS2_ ... before it and _EOS1_ ... after it for terms that are always present,
// and nothing for the others; `omit` gives nothing for all. Names are unambiguous: inside a text,
// \ and | have a \ before them, controls are written \xHH, and so has a text that begins
// with _BOS or _EOS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/text/regex.h"

namespace coppice::text {

enum class Function : std::uint8_t {
  // of a text, giving a text
  kLower,
  kPrefix,     // number: code points; absent when the text has fewer
  kSuffix,     // the same
  kShape,      // shape.h
  kCollapsed,  // shape.h
  kClass,      // shape.h
  kLength,     // shape.h
  kTest,       // argument: a regular expression; "true" or "false"
  kFind,       // argument: a regular expression; the leftmost longest match, or ""
  kCluster,    // argument: classes; number: length of the prefix, 0 for all; absent if unknown
  // of a text, and outermost
  kMatch,  // argument: a regular expression; yes, or absent
  kIn,     // argument: a list; B or I of the longest entry found from the left, or absent
  kValue,  // of a plain cell: its number; absent when 0, empty or "_"
  // of the position
  kPosition,  // only, first, middle or last
  kFirst,     // yes on the first token
  kLast,      // yes on the last
  kBias,      // yes
};

struct Step {
  Function function;
  std::uint32_t number = 0;
  std::string argument{};
  LetterCase letter_case = LetterCase::kSensitive;  // of a regular expression: /.../i

  bool operator==(const Step&) const = default;
};

// A cell, through functions; or a function of the position, alone.
struct Term {
  std::size_t column = 0;
  int offset = 0;             // in [-kMaxOffset, kMaxOffset]
  std::vector<Step> steps{};  // the innermost first

  bool operator==(const Term&) const = default;
};

inline constexpr int kMaxOffset = 64;

enum class Scope : std::uint8_t { kState, kTransition };  // conjoined with a label, or with a pair

struct Template {
  Scope scope = Scope::kState;
  std::string bag{};          // empty: the template names its attributes itself
  std::vector<Term> terms{};  // at least one

  bool operator==(const Template&) const = default;
};

struct Resource {
  enum class Kind : std::uint8_t { kList, kClasses };
  Kind kind = Kind::kList;
  std::string name{};
  std::string path{};

  bool operator==(const Resource&) const = default;
};

enum class Outside : std::uint8_t { kMark, kOmit };

struct TemplateSet {
  std::vector<std::string> columns{"w"};
  std::vector<Resource> resources{};
  Outside outside = Outside::kMark;
  bool transition = false;  // weights for pairs of labels, whatever the tokens
  std::vector<Template> templates{};

  bool operator==(const TemplateSet&) const = default;
};

struct TemplateSource {
  std::string file = "<templates>";       // for messages
  std::vector<std::string> columns{"w"};  // known names, unless the text has a `columns` line
};

// Throws ParseError with file, line and column: E120 syntax, E121 unknown name, E122 regular
// expression, E123 the same template or name twice.
TemplateSet parse_templates(std::string_view text, const TemplateSource& source = {});

// Canonical text, ranges written out: parse_templates(to_text(set)) == set for every set that
// parse_templates or an import returned.
std::string to_text(const TemplateSet& set);
std::string to_text(const Template& one, const TemplateSet& set);
std::string to_text(const Term& term, const TemplateSet& set);

// What a function of the language is called, takes and gives.
enum class Argument : std::uint8_t { kNone, kNumber, kRegex, kList, kClasses };
enum class Yield : std::uint8_t { kText, kTextOrAbsent, kYes, kNumber };

struct FunctionInfo {
  Function function;
  std::string_view name;
  Argument argument;
  Yield yield;
  bool of_position;  // takes no text
  bool outermost;    // its result is no text for another function
};

const FunctionInfo& info(Function function) noexcept;
// nullptr when there is none of that name.
const FunctionInfo* find_function(std::string_view name) noexcept;
// All names, comma-separated, for messages.
std::string function_names();

// Whether the term reads a cell (and not the position alone).
bool reads_cell(const Term& term) noexcept;
// What the whole term yields.
Yield yield(const Term& term) noexcept;

// The contents of the resources, by name: what a model stores beside the templates' text.
using ResourceTexts = std::map<std::string, std::string>;

// Reads the resources of `set`; relative paths are taken from `directory`. Throws IoError.
ResourceTexts load_resources(const TemplateSet& set, const std::string& directory);

}  // namespace coppice::text
