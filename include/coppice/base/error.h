// Exceptions thrown at the library's boundaries.
//
// Error is the root: a program catches it once, in main. The derived types exist only where a
// caller acts differently on them; the command line maps each to an exit status. A message is one
// line without a trailing full stop: what was found, what was expected. Where the fault lies in a
// file, `where` says so, and is not repeated in the message. `code` is stable ("E203"), and
// `help`, where there is one, says what to do.
#pragma once

#include <cstddef>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace coppice {

// A place in a file; line and column count from 1, and 0 means unknown.
struct Location {
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;
};

// "file:line:column", as far as it is known.
inline std::string to_string(const Location& where) {
  std::string text = where.file;
  if (where.line != 0) text += ':' + std::to_string(where.line);
  if (where.line != 0 && where.column != 0) text += ':' + std::to_string(where.column);
  return text;
}

struct ErrorDetails {
  std::string code{};     // stable, e.g. "E203"
  Location where{};       // empty when the fault lies in no file
  std::string excerpt{};  // the offending line, as found
  std::string help{};     // what to do about it
};

class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, ErrorDetails details = {})
      : std::runtime_error(message), details_(std::move(details)) {}

  const std::string& code() const noexcept { return details_.code; }
  const Location& where() const noexcept { return details_.where; }
  const std::string& excerpt() const noexcept { return details_.excerpt; }
  const std::string& help() const noexcept { return details_.help; }

 private:
  ErrorDetails details_;
};

// The caller broke a documented requirement of a public function.
class InvalidArgument : public Error {
 public:
  using Error::Error;
};

// Input data is malformed.
class ParseError : public Error {
 public:
  using Error::Error;
};

// A model or rule file is missing, corrupt, of the wrong task or of the wrong version.
class ModelError : public Error {
 public:
  using Error::Error;
};

// The system refused: cannot open, read or write, disk full.
class IoError : public Error {
 public:
  using Error::Error;
};

// Joins the parts with operator<<. (g++ 12 has no <format>.)
template <class... Parts>
std::string concat(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return std::move(out).str();
}

// Throws InvalidArgument when `condition` is false. For entry points, not for inner loops.
template <class... Parts>
void require(bool condition, const Parts&... parts) {
  if (!condition) [[unlikely]]
    throw InvalidArgument(concat(parts...));
}

}  // namespace coppice
