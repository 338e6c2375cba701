// Many sentences through a tagger, by several threads, without the interpreter's lock.
#pragma once

#include <pybind11/pybind11.h>

#include <functional>

#include "coppice/chain/predictor.h"
#include "coppice/chain/tagger.h"
#include "coppice/text/writer.h"

namespace coppice::python {

// The sentence's number, from 0, and the answer, which is gone after the call.
using AnswerVisitor = std::function<void(std::size_t, const text::Prediction&)>;

// Calls `visit` for each of `sentences` (python/src/sentences.h), in order, with the lock held.
// Sentences are taken, answered and visited in batches, so that any iterable will do and Ctrl-C is
// heard. Throws as SentenceConverter and chain::Predictor do.
void predict_all(const chain::Tagger& tagger, const chain::PredictionOptions& options,
                 pybind11::handle sentences, pybind11::handle threads, const AnswerVisitor& visit);

}  // namespace coppice::python
