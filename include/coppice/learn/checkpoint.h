// Plain values and vectors to and from a checkpoint's bytes, as they lie in memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <istream>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "coppice/base/error.h"

namespace coppice::learn {

class CheckpointWriter {
 public:
  // `kind` names what is saved; the reader insists on it.
  CheckpointWriter(std::ostream& out, std::string_view kind) : out_(out) {
    out_.write(kind.data(), static_cast<std::streamsize>(kind.size()));
  }

  template <class V>
  void value(const V& value) {
    static_assert(std::is_trivially_copyable_v<V>);
    out_.write(reinterpret_cast<const char*>(&value), sizeof value);
  }

  template <class V>
  void vector(const std::vector<V>& values) {
    value(std::uint64_t{values.size()});
    out_.write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(V)));
  }

 private:
  std::ostream& out_;
};

// Throws ModelError (E430) when the bytes are of another kind or end too soon.
class CheckpointReader {
 public:
  CheckpointReader(std::istream& in, std::string_view kind) : in_(in) {
    std::string found(kind.size(), '\0');
    in_.read(found.data(), static_cast<std::streamsize>(found.size()));
    if (!in_ || found != kind) throw ModelError("not a checkpoint of this kind", {.code = "E430"});
  }

  template <class V>
  V value() {
    static_assert(std::is_trivially_copyable_v<V>);
    V value{};
    in_.read(reinterpret_cast<char*>(&value), sizeof value);
    check();
    return value;
  }

  // Grows as bytes arrive, so that a damaged length does not allocate what is not there.
  template <class V>
  std::vector<V> vector() {
    constexpr std::uint64_t piece_size = std::uint64_t{1} << 20;
    const auto size = value<std::uint64_t>();
    std::vector<V> values;
    while (values.size() < size) {
      const std::uint64_t begin = values.size();
      const std::uint64_t piece = std::min(piece_size, size - begin);
      values.resize(begin + piece);
      in_.read(reinterpret_cast<char*>(values.data() + begin),
               static_cast<std::streamsize>(piece * sizeof(V)));
      check();
    }
    return values;
  }

  void check(bool condition = true) const {
    if (!in_ || !condition) throw ModelError("the checkpoint is damaged", {.code = "E430"});
  }

 private:
  std::istream& in_;
};

}  // namespace coppice::learn
