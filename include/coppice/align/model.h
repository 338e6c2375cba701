// A trained aligner of both directions as one model file of the task "align", for new text.
//
//     const AlignmentModel model = AlignmentModel::open("fren.cop");
//     const PairPosteriors posteriors = model.align(pair, seed, number_of_pair);
//
// Sections: `config` (JSON: method and priors), `source.words` and `target.words` (words, each
// ended by a newline), and for each direction `forward.` or `backward.` followed by `links` and
// `positions` (expectation maximisation) or `links`, `jumps` and `fertilities` (sampling).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "coppice/align/bitext.h"
#include "coppice/align/link_model.h"
#include "coppice/align/training.h"
#include "coppice/base/model_file.h"
#include "coppice/base/symbols.h"

namespace coppice::align {

class AlignmentModel {
 public:
  // Throws ModelError (E401..E406) when the file is no aligner or is damaged.
  static AlignmentModel open(const std::string& path);
  explicit AlignmentModel(const ModelFile& file);

  Method method() const noexcept { return method_; }
  const Symbols& source_words() const noexcept { return source_; }
  const Symbols& target_words() const noexcept { return target_; }

  // What is drawn at random depends on `seed` and `number` alone. A pair that was skipped has no
  // posteriors. Threads: may be called at once.
  PairPosteriors align(const SentencePair& pair, std::uint64_t seed, std::uint64_t number) const;

 private:
  Method method_;
  Symbols source_, target_;
  std::shared_ptr<const LinkModel> forward_, backward_;
};

// The model of a training whose bitext has been aligned. `card` is a JSON object for people.
ModelWriter write_model(const AlignmentTraining& training, const Bitext& bitext,
                        const std::string& card);

}  // namespace coppice::align
