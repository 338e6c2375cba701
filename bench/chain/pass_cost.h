// What one evaluation of a chain's objective has to do, by token, and how fast the machine could.
#pragma once

#include "chain/corpus_objective.h"
#include "coppice/learn/trainer.h"

namespace coppice::chain {

// Operations and bytes of a pass over the data, gradient included, divided by the tokens. Least
// counts: every weight that is on is added once to a score and gets one derivative once.
//
//     entries    columns on at the token (equal attributes merged)
//     additions  2 sum over entries of the column's labels
//     products   3 labels^2: forward, backward, pairs
//     bytes      2 sum over entries of (4 of index + 4 a label), and 9 rows of labels
struct PassCost {
  double entries = 0;
  double additions = 0;
  double products = 0;
  double bytes = 0;
};
PassCost pass_cost(const CorpusObjective& objective);

// Best of several tries: floats added a second within the nearest cache, in vectors, and bytes
// read a second from a table of the size of the derivatives.
struct MachineSpeed {
  double additions = 0;
  double bytes = 0;
};
MachineSpeed machine_speed(std::size_t table_floats);

// Prints both, and the time of an evaluation of the trainer's objective beside them. Returns its
// nanoseconds a token.
double print_pass_cost(const CorpusObjective& objective, learn::Trainer& trainer,
                       const Threads& threads);

}  // namespace coppice::chain
