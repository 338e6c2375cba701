#include "cli/words_report.h"

#include "cli/human.h"

namespace coppice::cli {

void describe_words(const text::ClassLearning& learning, const text::WordBigrams& bigrams,
                    Context& context) {
  const text::BigramCounter& counter = learning.counter();
  context.talk("raw     {} sent {} tok, {} words that occur {} times or more",
               thousands(counter.num_sentences()), thousands(counter.num_tokens()),
               thousands(bigrams.num_words()), learning.counts().min_count);
}

}  // namespace coppice::cli
