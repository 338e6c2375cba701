// Any bytes are trees or faults; a tree that was read is written, read back, edited, made binary
// and scored without loss.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "coppice/eval/parseval.h"
#include "coppice/text/brackets.h"
#include "coppice/text/tree_binary.h"
#include "coppice/text/tree_normal.h"
#include "fuzz/property.h"

namespace {

using namespace coppice::text;  // NOLINT(google-build-using-namespace)
using coppice::testing::fuzz_require;

void check_binary(const Tree& tree) {
  if (tree.num_words() == 0) return;
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < tree.num_words(); ++i) words.push_back(tree.word(i));
  for (const Direction direction : {Direction::kRight, Direction::kLeft, Direction::kHead}) {
    Binariser binariser({.direction = direction, .horizontal = 1, .vertical = 2});
    fuzz_require(binariser.restore(binariser.binarise(tree), words) == tree,
                 "a binary tree is restored");
  }
}

void check_tree(const Tree& tree) {
  fuzz_require(parse_tree(one_line(tree)) == tree, "one line is read back");
  fuzz_require(parse_tree(pretty(tree, 10)) == tree, "indented brackets are read back");
  const Tree normal = normalised(tree);
  fuzz_require(normalised(normal) == normal, "a normal form stays as it is");
  check_binary(normal);
  const auto score = coppice::eval::score_total(tree, normal);
  fuzz_require(score.brackets.predicted <= score.brackets.gold, "edits make no brackets");
  const auto strict = coppice::eval::score_strict(tree, tree);
  fuzz_require(strict.brackets.correct == strict.brackets.gold, "a tree agrees with itself");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  BracketReader reader(coppice::LineReader::over(text, "fuzz"), {.on_error = OnError::kSkip});
  for (Sentence sentence; reader.next(sentence);) check_tree(*reader.tree());
  return 0;
}
