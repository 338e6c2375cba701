// coppice lm: n-gram language models.
#include "cli/lm_verbs.h"
#include "cli/verbs.h"

namespace coppice::cli {

Command lm_verb() {
  return {
      .name = "lm",
      .summary = "train, ask and convert n-gram language models",
      .group = "models",
      .help =
          "A language model gives each word a probability after the words before it. Models "
          "are files of hash tables (fast) or a trie (small), or ARPA text, which other "
          "toolkits read and write.",
      .examples = {{"coppice lm train -t news.txt --order 4 -o en.lm", "learn a model"},
                   {"coppice lm query -m en.lm test.txt", "its perplexity on other text"},
                   {"coppice lm convert en.arpa -o en.lm --binary trie", "somebody else's model"}},
      .verbs = {lm_train_verb(), lm_query_verb(), lm_convert_verb()}};
}

}  // namespace coppice::cli
