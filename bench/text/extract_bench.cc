// extract_bench FILE: nanoseconds of CPU time a token to turn a column file into attributes, with
// CRFsuite's chunking templates and with the default set.
//
// FILE has a token a line, columns separated by blanks, an empty line after a sentence; words
// first, tags second, others ignored. Reading it is not timed. Every set goes over the file five
// times with a cold cache; the median counts. Before that, keys are held to names: as many
// different ones.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <unordered_set>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/base/file.h"
#include "coppice/text/extractor.h"
#include "coppice/text/template_defaults.h"

namespace {

using coppice::text::Attributes;
using coppice::text::Cells;
using coppice::text::Extractor;
using coppice::text::Origins;
using coppice::text::TemplateSet;

struct Corpus {
  std::string text;
  std::vector<std::string_view> cells;    // two a token
  std::vector<std::size_t> sentences{0};  // where each begins in cells, and the end

  Cells sentence(std::size_t i) const {
    return {.cells = {cells.data() + sentences[i], sentences[i + 1] - sentences[i]}, .columns = 2};
  }
  std::size_t size() const { return sentences.size() - 1; }
  std::size_t tokens() const { return cells.size() / 2; }
};

std::string_view next_cell(std::string_view& line) {
  const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
  const std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
  const std::string_view cell = line.substr(begin, end - begin);
  line = line.substr(end);
  return cell;
}

void read(Corpus& corpus, const std::string& path) {
  corpus.text = coppice::read_file(path);
  std::string_view rest = corpus.text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest = rest.substr(std::min(end + 1, rest.size()));
    const std::string_view word = next_cell(line);
    if (word.empty()) {
      if (corpus.sentences.back() != corpus.cells.size()) {
        corpus.sentences.push_back(corpus.cells.size());
      }
      continue;
    }
    corpus.cells.push_back(word);
    corpus.cells.push_back(next_cell(line));
  }
  if (corpus.sentences.back() != corpus.cells.size()) {
    corpus.sentences.push_back(corpus.cells.size());
  }
}

double nanoseconds_per_token(const Corpus& corpus, const Extractor& prototype) {
  Extractor extractor = prototype;  // with an empty cache
  Attributes attributes;
  std::uint64_t check = 0;
  const std::clock_t begin = std::clock();  // of this process: the machine may have other work
  for (std::size_t i = 0; i < corpus.size(); ++i) {
    extractor.extract(corpus.sentence(i), attributes);
    check ^= attributes.states.keys.empty() ? 0 : attributes.states.keys.back();
  }
  const double time = 1e9 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  if (check == 1) std::puts("");  // keeps the work
  return time / static_cast<double>(std::max<std::size_t>(1, corpus.tokens()));
}

// Prints how many different attributes there are; false if keys and names disagree about it.
bool keys_match_names(const Corpus& corpus, Extractor extractor, std::size_t& attributes_of_all) {
  std::unordered_set<std::uint64_t> keys;
  std::unordered_set<std::string> names;
  Attributes attributes;
  attributes_of_all = 0;
  for (std::size_t i = 0; i < corpus.size(); ++i) {
    extractor.extract(corpus.sentence(i), attributes, Origins::kRecord);
    const auto& states = attributes.states;
    attributes_of_all += states.keys.size();
    for (std::size_t t = 0; t + 1 < states.offsets.size(); ++t) {
      for (std::size_t a = states.offsets[t]; a < states.offsets[t + 1]; ++a) {
        if (!keys.insert(states.keys[a]).second) continue;
        names.insert(extractor.name(states.templates[a], corpus.sentence(i), t).value());
      }
    }
  }
  std::printf("  %zu different attributes\n", keys.size());
  return keys.size() == names.size();
}

bool measure(const Corpus& corpus, const char* title, const TemplateSet& set) {
  const Extractor extractor(set);
  std::size_t total = 0;
  std::printf("%s: %zu templates\n", title, set.templates.size());
  if (!keys_match_names(corpus, extractor, total)) {
    std::puts("  keys and names disagree");
    return false;
  }
  std::vector<double> times;
  for (int repeat = 0; repeat < 5; ++repeat) {
    times.push_back(nanoseconds_per_token(corpus, extractor));
  }
  std::sort(times.begin(), times.end());
  std::printf("  %.1f attributes a token, %.0f ns a token (median of 5; best %.0f)\n",
              static_cast<double>(total) / static_cast<double>(corpus.tokens()), times[2],
              times[0]);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: extract_bench FILE\n", stderr);
    return 2;
  }
  try {
    Corpus corpus;
    read(corpus, argv[1]);
    std::printf("%zu sentences, %zu tokens\n", corpus.size(), corpus.tokens());
    const std::vector<std::string> columns{"w", "pos"};
    const bool chunking =
        measure(corpus, "CRFsuite chunking", coppice::text::crfsuite_chunking_templates());
    const bool words = measure(corpus, "default, words only",
                               coppice::text::default_templates({columns.data(), 1}));
    const bool both =
        measure(corpus, "default, words and tags", coppice::text::default_templates(columns));
    return chunking && words && both ? 0 : 1;
  } catch (const coppice::Error& error) {
    std::fprintf(stderr, "extract_bench: %s\n", error.what());
    return 1;
  }
}
