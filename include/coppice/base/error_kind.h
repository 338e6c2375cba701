// What an exception means to whoever called: the exit status of the program, the class that Python
// raises.
#pragma once

#include <exception>
#include <string>

namespace coppice {

enum class ErrorKind {
  kInternal,   // a bug of ours
  kUsage,      // unknown or unfit options or arguments
  kData,       // malformed input, or a record that cannot be worked on
  kModel,      // a model or rule file that is missing, damaged or of another kind
  kResources,  // the system refused, or memory is short
};

// Codes E3xx, of single records, kData; otherwise UsageError and InvalidArgument kUsage, ParseError
// kData, ModelError kModel, IoError and lack of memory kResources, anything else kInternal.
ErrorKind kind_of(const std::exception& error);

// The code of an Error; one for all (E100, E504, E900) where it has none or is no Error.
std::string code_of(const std::exception& error);

}  // namespace coppice
