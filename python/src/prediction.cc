#include "python/src/prediction.h"

#include <deque>
#include <numeric>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/base/threads.h"
#include "coppice/tag/encode.h"
#include "coppice/text/column_names.h"
#include "python/src/options.h"
#include "python/src/sentences.h"

namespace py = pybind11;

namespace coppice::python {

namespace {

constexpr std::size_t kBatch = 4096;  // sentences
constexpr std::size_t kChunk = 8;     // that a thread takes at once

tag::FeatureCells all_columns(const tag::Tagger& tagger) {
  std::vector<std::size_t> places(tagger.config().columns.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  return tag::FeatureCells(std::move(places));
}

std::string columns_in_words(const std::vector<std::string>& columns) {
  if (columns.empty()) return "the model reads attributes only: a dict or set for each token";
  return concat("the model reads ", text::ColumnNames(columns).to_string());
}

// A predictor for each thread.
class BatchPredictor {
 public:
  BatchPredictor(const tag::Tagger& tagger, const tag::PredictionOptions& options, unsigned threads)
      : threads_(threads) {
    for (unsigned i = 0; i < threads; ++i) {
      workers_.push_back({tag::Predictor(tagger, options), all_columns(tagger)});
    }
  }

  // `first` is the number of the first sentence, from 0.
  std::vector<text::Prediction> predict(const std::vector<text::Sentence>& sentences,
                                        std::size_t first) {
    std::vector<text::Prediction> answers(sentences.size());
    const std::size_t chunks = (sentences.size() + kChunk - 1) / kChunk;
    threads_.for_chunks(chunks, [&](std::size_t chunk, unsigned worker) {
      auto& [predictor, cells] = workers_[worker];
      const std::size_t end = std::min(sentences.size(), (chunk + 1) * kChunk);
      for (std::size_t i = chunk * kChunk; i < end; ++i) {
        answers[i] = predictor.predict(sentences[i], cells, first + i + 1);
      }
    });
    return answers;
  }

 private:
  struct Worker {
    tag::Predictor predictor;
    tag::FeatureCells cells;
  };
  Threads threads_;
  std::deque<Worker> workers_;
};

}  // namespace

void predict_all(const tag::Tagger& tagger, const tag::PredictionOptions& options,
                 py::handle sentences, py::handle threads, const AnswerVisitor& visit) {
  const std::vector<std::string>& columns = tagger.config().columns;
  SentenceConverter converter("sentences", columns.size(), columns_in_words(columns));
  BatchPredictor predictor(tagger, options, thread_count(threads));
  py::iterator next = py::iter(sentences);
  std::vector<text::Sentence> batch;
  for (std::size_t done = 0; next != py::iterator::sentinel(); done += batch.size()) {
    batch.clear();
    for (; batch.size() < kBatch && next != py::iterator::sentinel(); ++next) {
      converter.convert(*next, py::none(), batch.emplace_back());
    }
    std::vector<text::Prediction> answers;
    {
      const py::gil_scoped_release unlocked;
      answers = predictor.predict(batch, done);
    }
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    for (std::size_t i = 0; i < answers.size(); ++i) visit(done + i, answers[i]);
  }
}

}  // namespace coppice::python
