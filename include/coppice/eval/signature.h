// The line that says how a score was computed, so that two scores are comparable or visibly not:
//
//     task:tag|match:conlleval|scheme:iob2|level:span|data:9c1e03d25e0f7a11|coppice:0.1.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace coppice::eval {

class Signature {
 public:
  // Appends key:value. Throws InvalidArgument when either is empty or holds '|', a line break, or
  // (the key) ':'.
  Signature& add(std::string_view key, std::string_view value);

  const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

}  // namespace coppice::eval
