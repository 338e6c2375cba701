// Digests of data: 16 hexadecimal digits that say whether two inputs hold the same bytes. XXH3, 64
// bits, at the speed of memory. Not for secrets: collisions can be made.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace coppice {

// "9c1e03d25e0f7a11".
std::string digest(std::string_view bytes);

// The same, of bytes that arrive in pieces.
class Digest {
 public:
  Digest();
  ~Digest();
  Digest(Digest&& other) noexcept;
  Digest& operator=(Digest&& other) noexcept;

  void add(std::string_view bytes);
  // digest() of everything added so far.
  std::string text() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace coppice
