// How errors and warnings reach the user: on stderr, as text or as JSON lines.
//
//     coppice: error[E203]: train.conll:1812: expected 4 columns, found 3
//        1812 | Bern>NNP>I-LOC                          (a tab is drawn as an arrow)
//        help: fix the line, or skip bad sentences with --on-error skip
//
// The first line of an error's excerpt is the offending line, with a caret under the column when
// that is known; further lines are remarks. Control characters and bytes that are not UTF-8 are
// shown as \xNN, and a long line is cut around its column.
#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <ostream>
#include <string>

#include "cli/command.h"
#include "coppice/base/error.h"

namespace coppice::cli {

enum class ErrorFormat { kText, kJson };

// That of the error's kind (coppice/base/error_kind.h).
ExitStatus exit_status(const std::exception& error);

class Diagnostics {
 public:
  // Requires that `out` outlives this object.
  explicit Diagnostics(std::ostream& out) : out_(out) {}

  void set_format(ErrorFormat format) { format_ = format; }
  void set_color(bool color) { color_ = color; }
  // With -q: warnings are counted, not shown.
  void hide_warnings() { hide_warnings_ = true; }

  void error(const std::exception& error);

  // The first warning of each code is shown; the others are counted.
  void warning(const std::string& message, const ErrorDetails& details);
  // Says how many warnings of each code were not shown.
  void count_hidden_warnings();

  // "1 error, 0 warnings; nothing was written"; nothing in JSON.
  void summary(const std::string& written);

  std::uint64_t errors() const { return errors_; }
  std::uint64_t warnings() const;

 private:
  void print(const std::string& severity, const std::string& message, const ErrorDetails& details);
  void print_json(const std::string& severity, const std::string& message,
                  const ErrorDetails& details);

  std::ostream& out_;
  ErrorFormat format_ = ErrorFormat::kText;
  bool color_ = false;
  bool hide_warnings_ = false;
  std::uint64_t errors_ = 0;
  std::map<std::string, std::uint64_t> warnings_;  // by code
};

}  // namespace coppice::cli
