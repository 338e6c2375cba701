// Many sentences through a tagger, by several threads, without the interpreter's lock.
#pragma once

#include <pybind11/pybind11.h>

#include <functional>

#include "coppice/tag/predictor.h"
#include "coppice/tag/tagger.h"
#include "coppice/text/writer.h"

namespace coppice::python {

// The sentence's number, from 0, and the answer, which is gone after the call.
using AnswerVisitor = std::function<void(std::size_t, const text::Prediction&)>;

// Calls `visit` for each of `sentences` (python/src/sentences.h), in order, with the lock held.
// Sentences are taken, answered and visited in batches, so that any iterable will do and Ctrl-C is
// heard. Throws as SentenceConverter and tag::Predictor do.
void predict_all(const tag::Tagger& tagger, const tag::PredictionOptions& options,
                 pybind11::handle sentences, pybind11::handle threads, const AnswerVisitor& visit);

}  // namespace coppice::python
