// sample_model PATH [--card TEXT]: writes a small model file, with a card of its own or that one.
// tests/data/format-1.0.cop is what version 0.1.0 wrote.
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/base/model_file.h"

namespace {

const std::string kCard = R"({
  "v": 1, "task": "tag", "date": "2024-05-01T12:00:00Z", "licence": "CC-BY-4.0",
  "labels": ["B-LOC", "I-LOC", "O"],
  "options": {"learner": "crf", "l2": 0.5, "templates": ["U[0]", "U[-1]"]},
  "data": [{"file": "train|1.conll", "digest": "9c1e03d25e0f7a11", "sentences": 120}],
  "scores": {"dev": {"f1": 93.6, "accuracy": 97.25}},
  "notes": "two lines,\nthe second one"
})";

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const bool has_card = argc == 4 && std::string_view(argv[2]) == "--card";
  if (argc != 2 && !has_card) {
    std::cerr << "usage: sample_model PATH [--card TEXT]\n";
    return EXIT_FAILURE;
  }
  try {
    coppice::ModelWriter writer("tag");
    writer.add_section("card", has_card ? argv[3] : kCard, {.hashed = false});
    writer.add_section("labels", "B-LOC\nI-LOC\nO\n");
    writer.add_section("dict", repeated("w[0]=Bern\n", 20), {.codec = coppice::Codec::kZstd});
    writer.add_section("weights", std::vector<float>{0.5F, -1.25F, 3.0F});
    writer.write(argv[1], coppice::Overwrite::kAllow);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
