// What is said of words before their classes are learnt.
#pragma once

#include "cli/context.h"
#include "coppice/text/bigrams.h"
#include "coppice/text/class_learning.h"

namespace coppice::cli {

void describe_words(const text::ClassLearning& learning, const text::WordBigrams& bigrams,
                    Context& context);

}  // namespace coppice::cli
