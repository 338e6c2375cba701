// How fast a trained tagger labels column files, one thread, and where the time goes.
//
//     predict_bench FOLDER
//
// FOLDER is CoNLL-2000 (train.txt, test.txt: word, tag, chunk). For the default templates and for
// CRFsuite's chunking templates, a model is trained for a few iterations (speed depends on which
// attributes have weights, not on how good these are), written, opened again, and applied to the
// test file. Stages are differences of runs that each do one stage more, in processor time, medians
// of interleaved repeats. "cold" is a session that has seen no word yet, as after opening a model;
// the stages are those of a warm one. "from keys" is decoding alone: attribute keys in memory to
// labels, by looking every key up.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "coppice/tag/tagger.h"
#include "coppice/tag/tagger_training.h"
#include "coppice/text/reader.h"
#include "coppice/text/template_defaults.h"
#include "coppice/text/writer.h"
#include "tag/tagger_state.h"

namespace coppice::chain {
namespace {

constexpr int kRepeats = 9;
constexpr int kIterations = 12;

double processor_seconds() {
  std::timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::unique_ptr<text::SentenceReader> open(const std::string& path) {
  return text::open_sentences(path, {.fallback = text::Format::kColumns});
}

std::string train(const std::string& path, const text::TemplateSet& templates) {
  tag::TaggerTrainingOptions options;
  options.templates = templates;
  options.encoder = {.feature_columns = {0, 1}, .label_column = 2};
  tag::TaggerTraining training(options);
  const auto reader = open(path);
  for (text::Sentence sentence; reader->next(sentence);) training.add(sentence);
  training.begin();
  const Threads threads;
  for (int i = 0; i < kIterations && training.iterate(threads); ++i) {
  }
  const std::string file = (std::filesystem::temp_directory_path() / "predict_bench.cop").string();
  training.model("{}").write(file, Overwrite::kAllow);
  return file;
}

enum Stage { kRead, kExtract, kScore, kDecode, kWrite, kStages };

// One pass over the file that ends with the stage. Returns the number of tokens.
std::size_t pass(const std::string& path, Stage last, const tag::Tagger& tagger,
                 tag::TaggingSession& session, text::Extractor& extractor) {
  const auto reader = open(path);
  std::ofstream nowhere("/dev/null");
  const auto writer = text::make_writer(nowhere, {});
  tag::FeatureCells cells({0, 1});
  text::Attributes attributes;
  text::Prediction prediction;
  std::vector<std::uint16_t> labels;
  for (text::Sentence sentence; reader->next(sentence);) {
    if (last == kExtract) extractor.extract_joint(cells.of(sentence), attributes);
    if (last >= kScore) session.read(sentence, cells);
    if (last >= kDecode) session.best_labels(labels);
    if (last < kWrite) continue;
    prediction.labels.clear();
    for (const std::uint16_t label : labels) prediction.labels.push_back(tagger.label(label));
    writer->write(sentence, prediction);
  }
  return reader->counts().tokens;
}

// What a token asks for, on average.
struct Work {
  double attributes = 0;  // in all
  double places = 0;      // rows of words that are added
  double phrases = 0;     // and rows of phrases
  double probes = 0;      // attributes of several cells
  double found = 0;       // of those
  double weights = 0;     // that these have
};

Work count_work(const std::string& path, const tag::Tagger& tagger) {
  Work work;
  text::Extractor extractor = tagger.extractor();
  text::Attributes attributes;
  tag::FeatureCells cells({0, 1});
  std::vector<LinearPotential::Entry> row;
  const auto reader = open(path);
  for (text::Sentence sentence; reader->next(sentence);) {
    extractor.extract(cells.of(sentence), attributes);
    work.attributes += static_cast<double>(attributes.states.keys.size());
    extractor.extract_joint(cells.of(sentence), attributes);
    work.probes += static_cast<double>(attributes.states.keys.size());
    for (const std::uint64_t key : attributes.states.keys) {
      const auto* slot = tagger.state().potential().find(key);
      if (slot == nullptr) continue;
      work.found += 1;
      const bool dense = slot->size == FrozenLinear::dense_row;
      work.weights += static_cast<double>(dense ? tagger.state().potential().stride() : slot->size);
    }
  }
  const auto tokens = static_cast<double>(reader->counts().tokens);
  for (double* number : {&work.attributes, &work.probes, &work.found, &work.weights}) {
    *number /= tokens;
  }
  work.places = static_cast<double>(extractor.num_word_places());
  work.phrases = static_cast<double>(extractor.num_phrase_places());
  return work;
}

// From all attribute keys of the file in memory to labels; the time of a token.
double seconds_from_keys(const std::string& path, const tag::Tagger& tagger) {
  text::Extractor extractor = tagger.extractor();
  tag::FeatureCells cells({0, 1});
  std::vector<text::Attributes> attributes;
  const auto reader = open(path);
  for (text::Sentence sentence; reader->next(sentence);) {
    extractor.extract(cells.of(sentence), attributes.emplace_back());
  }
  const FrozenLinear& potential = tagger.state().potential();
  AlignedVector<float> scores;
  Workspace workspace;
  std::vector<std::uint16_t> labels;
  const double begin = processor_seconds();
  for (const text::Attributes& sentence : attributes) {
    const text::AttributeList& states = sentence.states;
    const std::size_t length = states.offsets.size() - 1;
    scores.assign(length * potential.stride(), 0.0f);
    for (std::size_t t = 0; t < length; ++t) {
      for (std::size_t k = states.offsets[t]; k < states.offsets[t + 1]; ++k) {
        potential.prefetch(states.keys[std::min(k + 16, states.keys.size() - 1)]);
        if (const auto* slot = potential.find(states.keys[k])) {
          potential.add(*slot, 1.0f, scores.data() + t * potential.stride());
        }
      }
    }
    labels.resize(length);
    best_labels(scores.data(), length, tagger.state().transitions(), workspace, labels);
  }
  return (processor_seconds() - begin) / static_cast<double>(reader->counts().tokens);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

struct Times {
  std::array<double, kStages> stages{};  // seconds a token, each stage by itself
  double warm = 0, cold = 0, from_keys = 0;
  double load = 0;  // seconds, of the model
};

Times measure(const std::string& model, const std::string& path) {
  std::array<std::vector<double>, kStages> until;
  std::vector<double> cold, from_keys, load;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const double begin = processor_seconds();
    const tag::Tagger tagger = tag::Tagger::open(model);
    load.push_back(processor_seconds() - begin);
    text::Extractor extractor = tagger.extractor();
    tag::TaggingSession session(tagger);
    const auto timed = [&](Stage last) {
      const double start = processor_seconds();
      const std::size_t tokens = pass(path, last, tagger, session, extractor);
      return (processor_seconds() - start) / static_cast<double>(tokens);
    };
    cold.push_back(timed(kWrite));
    timed(kExtract);  // fills the extractor's cache
    for (int stage = kRead; stage < kStages; ++stage) {
      until[stage].push_back(timed(static_cast<Stage>(stage)));
    }
    from_keys.push_back(seconds_from_keys(path, tagger));
  }
  Times times;
  double before = 0;
  for (int stage = kRead; stage < kStages; ++stage) {
    times.stages[stage] = median(until[stage]) - before;
    before = median(until[stage]);
  }
  times.warm = before;
  times.cold = median(cold);
  times.from_keys = median(from_keys);
  times.load = median(load);
  return times;
}

void print(const std::string& name, const tag::Tagger& tagger, const Work& work,
           const Times& times) {
  const auto stride = static_cast<double>(tagger.state().potential().stride());
  std::printf("%s: model of %.1f MB, opened in %.1f ms\n", name.c_str(),
              static_cast<double>(std::filesystem::file_size(tagger.file().name())) / 1e6,
              1e3 * times.load);
  std::printf(
      "  a token: %.1f attributes; %.0f words' and %.0f phrases' rows (%.0f bytes); %.1f probes "
      "(%.0f bytes), "
      "%.1f found, %.1f weights; %.0f transitions\n",
      work.attributes, work.places, work.phrases,
      (work.places + work.phrases) * stride * sizeof(float), work.probes, work.probes * 64,
      work.found, work.weights, static_cast<double>(tagger.num_labels()) * stride);
  std::printf(
      "  ns a token:  read %.0f  extract %.0f  look up %.0f  decode %.0f  write %.0f  all %.0f;"
      "  cold %.0f;  from keys %.0f\n",
      1e9 * times.stages[kRead], 1e9 * times.stages[kExtract], 1e9 * times.stages[kScore],
      1e9 * times.stages[kDecode], 1e9 * times.stages[kWrite], 1e9 * times.warm, 1e9 * times.cold,
      1e9 * times.from_keys);
}

int run(const std::string& folder) {
  const std::vector<std::string> columns{"w", "pos"};
  const std::pair<std::string, text::TemplateSet> sets[] = {
      {"default", text::default_templates(columns)},
      {"chunking", text::crfsuite_chunking_templates()}};
  std::string result = "result:";
  for (const auto& [name, templates] : sets) {
    const std::string model = train(folder + "/train.txt", templates);
    const tag::Tagger tagger = tag::Tagger::open(model);
    const Times times = measure(model, folder + "/test.txt");
    print(name, tagger, count_work(folder + "/test.txt", tagger), times);
    std::array<char, 200> line{};
    std::snprintf(line.data(), line.size(),
                  " %s_tokens_per_s=%.0f %s_cold_tokens_per_s=%.0f %s_decode_tokens_per_s=%.0f"
                  " %s_load_ms=%.1f",
                  name.c_str(), 1 / times.warm, name.c_str(), 1 / times.cold, name.c_str(),
                  1 / times.from_keys, name.c_str(), 1e3 * times.load);
    result += line.data();
    std::filesystem::remove(model);
  }
  std::printf("%s\n", result.c_str());
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace coppice::chain

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: predict_bench FOLDER\n");
    return EXIT_FAILURE;
  }
  try {
    return coppice::chain::run(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "predict_bench: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
