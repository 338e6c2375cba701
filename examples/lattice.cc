// A word lattice, as a speech recogniser might leave it: what was said?
//
// A lattice is a forest whose edges have one tail each. A state is a node, an arc is an edge from
// its source (the tail) into its target (the head), and the first state has an edge without tails,
// with which every path begins.
#include <cstdio>
#include <initializer_list>
#include <string>
#include <utility>

#include "coppice/forest/forest.h"
#include "coppice/forest/kbest.h"
#include "coppice/forest/marginals.h"

using coppice::EdgeId;
using coppice::NodeId;

int main() {
  // The forest holds the shape. Words and scores stand beside it, under the same ids.
  coppice::ForestBuilder builder;
  coppice::EdgeMap<std::string> words;
  coppice::EdgeMap<double> scores;  // log-probabilities, up to a constant
  const auto arc = [&](NodeId target, std::initializer_list<NodeId> source, const char* word,
                       double score) {
    builder.add_edge(target, source);
    words.push_back(word);
    scores.push_back(score);
  };

  // States in the order of time; the arcs into a state come after it and before the next one.
  const NodeId start = builder.add_node();
  arc(start, {}, "", 0.0);
  const NodeId after_1 = builder.add_node();
  arc(after_1, {start}, "how", -0.2);
  const NodeId after_2 = builder.add_node();
  arc(after_2, {after_1}, "to", -0.1);
  const NodeId wreck = builder.add_node();
  arc(wreck, {after_2}, "wreck", -1.2);
  const NodeId a = builder.add_node();
  arc(a, {wreck}, "a", -0.3);
  const NodeId nice = builder.add_node();
  arc(nice, {a}, "nice", -0.4);
  const NodeId recognise = builder.add_node();
  arc(recognise, {after_2}, "recognise", -1.6);
  const NodeId end = builder.add_node();
  arc(end, {nice}, "beach", -0.5);
  arc(end, {recognise}, "speech", -0.6);
  arc(end, {recognise}, "beach", -2.1);
  const coppice::Forest lattice = std::move(builder).build();  // the root is the node added last

  // ln of the sum over all paths of exp(score), in one sweep.
  std::printf("log Z = %.4f\n\n", coppice::log_partition(lattice, scores));

  // How probable is each arc, whatever the rest of the path?
  std::printf("probability  word\n");
  const auto marginals = coppice::edge_marginals(lattice, scores);
  for (const EdgeId edge : lattice.edges()) {
    if (!words[edge].empty()) std::printf("%11.3f  %s\n", marginals[edge], words[edge].c_str());
  }

  // The best paths, one after another; each is asked for only when it is wanted. A derivation
  // lists its edges from the root down: here from the last word to the first.
  std::printf("\n  score  path\n");
  coppice::KBest paths(lattice, scores);
  while (const auto path = paths.next()) {
    std::string text;
    for (const EdgeId edge : path->edges) text = words[edge] + (text.empty() ? "" : " ") + text;
    std::printf("%7.2f %s\n", path->score, text.c_str());
  }
}
