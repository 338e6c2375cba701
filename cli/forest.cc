// coppice forest: everything that works on forest files.
#include "cli/forest_verbs.h"
#include "cli/verbs.h"

namespace coppice::cli {

Command forest_verb() {
  return {.name = "forest",
          .summary = "parse sentences into forests and compute on them",
          .group = "forests",
          .help =
              "A forest file holds packed forests, as JSON lines or binary; every verb reads both. "
              "Results come a record at a time and in the order of the input. Scores are ln of "
              "weights: a derivation's weight is exp of the sum of its edges' scores, and its "
              "probability is its share of the sum over all derivations.",
          .examples = {{"coppice forest parse -g g.cfg text.txt | coppice forest kbest -k 3 -",
                        "the three best parses of each sentence"}},
          .verbs = {forest_parse_verb(), forest_check_verb(), forest_convert_verb(),
                    forest_inside_verb(), forest_outside_verb(), forest_count_verb(),
                    forest_marginals_verb(), forest_kbest_verb(), forest_sample_verb(),
                    forest_entropy_verb(), forest_expect_verb(), forest_variance_verb(),
                    forest_kl_verb(), forest_risk_verb(), forest_grad_verb(), forest_prune_verb(),
                    forest_split_verb(), forest_draw_verb()}};
}

}  // namespace coppice::cli
