// The attributes of a token: those of the templates, and those that the data brings along.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "coppice/text/extractor.h"
#include "coppice/text/sentence.h"

namespace coppice::tag {

// Replaces `keys` and `values`.
inline void token_attributes(const text::AttributeList& states, const text::Sentence& sentence,
                             std::size_t token, std::vector<std::uint64_t>& keys,
                             std::vector<float>& values) {
  keys.clear();
  values.clear();
  for (std::size_t k = states.offsets[token]; k < states.offsets[token + 1]; ++k) {
    keys.push_back(states.keys[k]);
    values.push_back(states.values.empty() ? 1.0f : states.values[k]);
  }
  for (std::size_t i = 0; i < sentence.num_attributes(token); ++i) {
    const text::Attribute attribute = sentence.attribute(token, i);
    keys.push_back(text::key_of_name(attribute.name));
    values.push_back(static_cast<float>(attribute.value));
  }
}

}  // namespace coppice::tag
