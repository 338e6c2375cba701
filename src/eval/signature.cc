#include "coppice/eval/signature.h"

#include "coppice/base/error.h"

namespace coppice::eval {

Signature& Signature::add(std::string_view key, std::string_view value) {
  require(!key.empty() && key.find_first_of(":|\r\n") == std::string_view::npos, "signature: \"",
          key, "\" is no key");
  require(!value.empty() && value.find_first_of("|\r\n") == std::string_view::npos, "signature: \"",
          value, "\" is no value for ", key);
  if (!text_.empty()) text_ += '|';
  text_.append(key).append(":").append(value);
  return *this;
}

}  // namespace coppice::eval
