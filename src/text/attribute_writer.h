// From the slots of a token to its attributes. Private to the extractor.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "coppice/text/extractor.h"
#include "text/attribute_hash.h"
#include "text/extraction_program.h"

namespace coppice::text {

// Conditions and numbers of a template: whether all are there, and the product of the numbers.
inline bool hold(const CompiledTemplate& one, const std::uint32_t* uses, const std::uint64_t* slots,
                 float& value) {
  for (std::uint32_t i = 0; i < one.conditions; ++i) {
    if (slots[uses[i]] == 0) return false;
  }
  double product = 1;
  for (std::uint32_t i = one.conditions; i < one.conditions + one.numbers; ++i) {
    if (slots[uses[i]] == 0) return false;
    product *= std::bit_cast<double>(slots[uses[i]]);
  }
  value = static_cast<float>(product);
  return true;
}

// Writes the attributes of one list of templates, token after token. An absent one is written
// too, and then written over: that spares a branch that nobody could predict.
class AttributeWriter {
 public:
  AttributeWriter(const CompiledList& templates, const std::uint32_t* uses, AttributeList& out)
      : templates_(templates), uses_(uses), out_(out) {}

  // Room for every template at every token. With `values`, those are written; with origins too.
  void begin(std::size_t tokens, bool values, Origins origins) {
    const std::size_t room = tokens * templates_.size();
    out_.offsets.resize(tokens + 1);
    out_.offsets[0] = 0;
    out_.keys.resize(room);
    out_.values.resize(values ? room : 0);
    out_.templates.resize(origins == Origins::kRecord ? room : 0);
  }

  // The attributes of token t, whose slots hold `slots`.
  template <bool kValues, bool kOrigins>
  void write(std::size_t t, const std::uint64_t* slots) {
    std::size_t count = count_;
    const auto put = [&](std::uint64_t key, std::uint32_t index, bool present, float value) {
      out_.keys[count] = key;
      if constexpr (kValues) out_.values[count] = value;
      if constexpr (kOrigins) out_.templates[count] = index;
      count += present ? 1 : 0;
    };
    for (const Single& one : templates_.singles) {
      const std::uint64_t hash = slots[one.slot];
      put(mix(one.seed, hash), one.index, hash != 0, 1);
    }
    for (const Pair& one : templates_.pairs) {
      const std::uint64_t first = slots[one.first], second = slots[one.second];
      put(mix(mix(one.seed, first), second), one.index, (first != 0) & (second != 0), 1);
    }
    for (const CompiledTemplate& one : templates_.others) {
      const std::uint32_t* uses = uses_ + one.first;
      std::uint64_t key = one.seed;
      bool present = true;
      for (std::uint32_t i = 0; i < one.texts; ++i) {
        present &= slots[uses[i]] != 0;
        key = mix(key, slots[uses[i]]);
      }
      float value = 1;
      present = present && hold(one, uses + one.texts, slots, value);
      put(key, one.index, present, value);
    }
    count_ = count;
    out_.offsets[t + 1] = count;
  }

  void end() {
    out_.keys.resize(count_);
    if (!out_.values.empty()) out_.values.resize(count_);
    if (!out_.templates.empty()) out_.templates.resize(count_);
  }

 private:
  const CompiledList& templates_;
  const std::uint32_t* uses_;
  AttributeList& out_;
  std::size_t count_ = 0;
};

}  // namespace coppice::text
