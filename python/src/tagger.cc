// The class Tagger: a model and what can be asked of it.
#include "coppice/tag/tagger.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cmath>
#include <string>
#include <unordered_map>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/base/file.h"
#include "coppice/base/model_file.h"
#include "coppice/eval/span_score.h"
#include "python/src/options.h"
#include "python/src/prediction.h"
#include "python/src/register.h"

namespace py = pybind11;

namespace coppice::python {

namespace {

using tag::Tagger;

// One str for each label of a tagger, whose answers have views of its own labels.
class LabelNames {
 public:
  explicit LabelNames(const Tagger& tagger) {
    for (const std::string& label : tagger.config().labels) names_[label.data()] = py::str(label);
  }

  const py::str& operator[](std::string_view label) const { return names_.at(label.data()); }
  py::list list(const std::vector<std::string_view>& labels) const {
    py::list result(labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i) result[i] = (*this)[labels[i]];
    return result;
  }

 private:
  std::unordered_map<const char*, py::str> names_;
};

// The options of predict() only: the others are functions of their own.
std::vector<Option> decoding_options(tag::PredictionOptions& options) {
  std::vector<Option> all;
  for (Option& option : prediction_options(options)) {
    const bool is_other = option.name == "posteriors" || option.name == "kbest" ||
                          option.name == "sample" || option.name == "seed";
    if (!is_other) all.push_back(std::move(option));
  }
  return all;
}

py::list predict(const Tagger& tagger, const py::object& sentences, const py::object& threads,
                 const py::kwargs& given) {
  tag::PredictionOptions options;
  set_options(given, decoding_options(options), "Tagger.predict");
  const LabelNames names(tagger);
  py::list answers;
  predict_all(tagger, options, sentences, threads, [&](std::size_t, const text::Prediction& p) {
    answers.append(names.list(p.labels));
  });
  return answers;
}

py::list posteriors(const Tagger& tagger, const py::object& sentences,
                    std::optional<std::size_t> top, const py::object& threads) {
  tag::PredictionOptions options;
  options.posteriors = top ? concat("top", *top) : "all";
  const LabelNames names(tagger);
  py::list answers;
  predict_all(tagger, options, sentences, threads,
              [&](std::size_t, const text::Prediction& prediction) {
                py::list sentence;
                for (const auto& token : prediction.posteriors) {
                  py::dict labels;
                  for (const auto& [label, probability] : token) labels[names[label]] = probability;
                  sentence.append(labels);
                }
                answers.append(sentence);
              });
  return answers;
}

py::list sequences(const Tagger& tagger, const tag::PredictionOptions& options,
                   const py::object& sentences, const py::object& threads) {
  const LabelNames names(tagger);
  py::list answers;
  predict_all(tagger, options, sentences, threads,
              [&](std::size_t, const text::Prediction& prediction) {
                py::list all;
                for (const auto& one : options.kbest > 0 ? prediction.kbest : prediction.samples) {
                  all.append(py::make_tuple(names.list(one.labels), std::exp(one.log_probability)));
                }
                answers.append(all);
              });
  return answers;
}

double score(const Tagger& tagger, const py::object& sentences, const py::sequence& labels,
             const py::object& threads) {
  eval::SpanScorer scorer(eval::Match::kConlleval, tagger.config().scheme);
  std::size_t scored = 0;
  predict_all(
      tagger, {}, sentences, threads, [&](std::size_t number, const text::Prediction& prediction) {
        require(number < labels.size(), "there are labels for ", labels.size(), " sentences only");
        const auto gold = py::cast<std::vector<std::string>>(labels[number]);
        const std::vector<std::string_view> views(gold.begin(), gold.end());
        scorer.add(views, prediction.labels);
        ++scored;
      });
  require(scored == labels.size(), "labels of ", labels.size(), " sentences for ", scored);
  const bool has_spans = tagger.config().scheme != text::Scheme::kRaw;
  return has_spans ? scorer.total().f1() : scorer.token_accuracy();
}

py::bytes file_bytes(const Tagger& tagger) {
  const auto bytes = tagger.file().file_bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Tagger from_bytes(const py::bytes& state) {
  const std::string_view bytes = state;
  return Tagger(ModelFile::from_bytes(std::as_bytes(std::span(bytes.data(), bytes.size()))));
}

void save(const Tagger& tagger, const py::object& path) {
  const auto bytes = tagger.file().file_bytes();
  OutputFile file(path_text(path));
  file.stream().write(reinterpret_cast<const char*>(bytes.data()),
                      static_cast<std::streamsize>(bytes.size()));
  file.commit();
}

py::object card(const Tagger& tagger) {
  return py::module_::import("json").attr("loads")(std::string(tagger.file().text("card")));
}

std::string representation(const Tagger& tagger) {
  return concat("<coppice.Tagger of order ", tagger.config().order, ", ", tagger.num_labels(),
                " labels, ", tagger.file().payload_digest().substr(0, 16), ">");
}

constexpr const char* kPredict = R"(The labels of each sentence.

A sentence is a list of tokens: str; tuples of columns (`tagger.columns` names them), which a
dict of attributes may follow; or dicts and sets of attributes. Attributes mean what those of JSON
lines do: a number is a value, a str or a list of them gives name=text, True gives the name alone.

Options are those of `coppice predict`: decode ("viterbi", "posterior" or "min-risk") and, for
"min-risk", loss, cost and cost_matrix.)";

}  // namespace

void register_tagger(py::module_& module) {
  const auto threads = py::arg("threads") = py::none();
  py::class_<Tagger>(module, "Tagger", "A trained tagger. May be used by several threads at once.")
      .def_static(
          "load", [](const py::object& path) { return Tagger::open(path_text(path)); },
          py::arg("path"), "Opens a model file.")
      .def("save", &save, py::arg("path"),
           "Writes the model file, aside and then renamed; an older file is replaced.")
      .def("predict", &predict, py::arg("sentences"), py::kw_only(), threads, kPredict)
      .def("posteriors", &posteriors, py::arg("sentences"), py::arg("top") = py::none(),
           py::kw_only(), threads,
           "For each token a dict of the probabilities of all labels, or of the `top` most "
           "probable ones; the most probable first.")
      .def(
          "kbest",
          [](const Tagger& tagger, const py::object& sentences, std::size_t k,
             const py::object& workers) {
            require(k >= 1 && k <= 1000000, "k is ", k, ", not from 1 to 1000000");
            return sequences(tagger, {.kbest = k}, sentences, workers);
          },
          py::arg("sentences"), py::arg("k"), py::kw_only(), threads,
          "For each sentence the k most probable label sequences: pairs of labels and "
          "probability, best first; fewer when there are no more.")
      .def(
          "sample",
          [](const Tagger& tagger, const py::object& sentences, std::size_t n, std::uint64_t seed,
             const py::object& workers) {
            require(n >= 1 && n <= 1000000, "n is ", n, ", not from 1 to 1000000");
            return sequences(tagger, {.samples = n, .seed = seed}, sentences, workers);
          },
          py::arg("sentences"), py::arg("n"), py::arg("seed") = 1, py::kw_only(), threads,
          "For each sentence n label sequences drawn by their probability, with that.")
      .def("score", &score, py::arg("sentences"), py::arg("labels"), py::kw_only(), threads,
           "F1 of spans where labels spell spans (as conlleval counts), else the accuracy of "
           "tokens; in [0, 1].")
      .def_property_readonly("labels", [](const Tagger& t) { return t.config().labels; })
      .def_property_readonly(
          "columns", [](const Tagger& t) { return t.config().columns; },
          "The columns of a token; none where the model has learnt from attributes alone.")
      .def_property_readonly("order", [](const Tagger& t) { return t.config().order; })
      .def_property_readonly(
          "digest", [](const Tagger& t) { return t.file().payload_digest(); },
          "The model's identity: the same for the same data, options and seed.")
      .def_property_readonly("card", &card, "How it was trained, as `coppice inspect` shows it.")
      .def("__repr__", &representation)
      .def(py::pickle(&file_bytes, &from_bytes));
}

}  // namespace coppice::python
