#include "coppice/base/error_kind.h"

#include <new>

#include "coppice/base/error.h"
#include "coppice/base/usage_error.h"

namespace coppice {

ErrorKind kind_of(const std::exception& error) {
  const auto is = [&]<class T>(const T*) { return dynamic_cast<const T*>(&error) != nullptr; };
  const auto* ours = dynamic_cast<const Error*>(&error);
  // A record that cannot be worked on, whatever function found that out.
  if (ours != nullptr && ours->code().starts_with("E3")) return ErrorKind::kData;
  if (is(static_cast<const UsageError*>(nullptr))) return ErrorKind::kUsage;
  if (is(static_cast<const InvalidArgument*>(nullptr))) return ErrorKind::kUsage;
  if (is(static_cast<const ParseError*>(nullptr))) return ErrorKind::kData;
  if (is(static_cast<const ModelError*>(nullptr))) return ErrorKind::kModel;
  if (is(static_cast<const IoError*>(nullptr))) return ErrorKind::kResources;
  if (is(static_cast<const std::bad_alloc*>(nullptr))) return ErrorKind::kResources;
  return ErrorKind::kInternal;
}

std::string code_of(const std::exception& error) {
  const auto* ours = dynamic_cast<const Error*>(&error);
  if (ours != nullptr && !ours->code().empty()) return ours->code();
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return "E504";
  return kind_of(error) == ErrorKind::kUsage ? "E100" : "E900";
}

}  // namespace coppice
