// What a language model says of itself: the section `card` of its file.
#pragma once

#include <string>
#include <vector>

#include "coppice/lm/training.h"

namespace coppice::lm {

// A JSON object for people: the texts, the options, and n-grams and discounts of each length.
std::string training_card(const Training& training, const std::vector<LengthReport>& lengths,
                          const std::vector<std::string>& files);

// The same of a model that was read from an ARPA file.
std::string conversion_card(const Ngrams& ngrams, const std::string& file);

}  // namespace coppice::lm
