// The slow, obvious reference: lists every derivation. For tests only; exponential by design.
#pragma once

#include <vector>

#include "coppice/forest/forest.h"

namespace coppice::testing {

using EdgeList = std::vector<EdgeId>;  // a derivation: its edges in prefix order

inline std::vector<EdgeList> derivations(const Forest& forest, NodeId node) {
  std::vector<EdgeList> all;
  for (EdgeId edge : forest.incoming(node)) {
    std::vector<EdgeList> partial{{edge}};
    for (NodeId tail : forest.tails(edge)) {
      std::vector<EdgeList> longer;
      for (const EdgeList& prefix : partial) {
        for (const EdgeList& suffix : derivations(forest, tail)) {
          longer.push_back(prefix);
          longer.back().insert(longer.back().end(), suffix.begin(), suffix.end());
        }
      }
      partial = std::move(longer);
    }
    all.insert(all.end(), partial.begin(), partial.end());
  }
  return all;
}

}  // namespace coppice::testing
