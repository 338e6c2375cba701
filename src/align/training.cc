#include "coppice/align/training.h"

#include <algorithm>
#include <array>

#include "align/em_training.h"
#include "align/gibbs_training.h"
#include "coppice/base/error.h"

namespace coppice::align {

namespace {

constexpr std::array<std::string_view, 4> kMethodNames = {"ibm1", "hmm", "diagonal", "gibbs"};

// Posteriors are kept for so many pairs of words at a time, or for one pair of sentences.
constexpr std::size_t kCellsOfBlock = std::size_t{1} << 17;

}  // namespace

Method parse_method(std::string_view name) {
  const auto* found = std::ranges::find(kMethodNames, name);
  require(found != kMethodNames.end(), "no method of alignment is called \"", name, "\"");
  return static_cast<Method>(found - kMethodNames.begin());
}

std::string_view to_string(Method method) noexcept {
  return kMethodNames[static_cast<std::size_t>(method)];
}

TrainingStep AlignmentTraining::step(const Threads& threads) {
  require(num_done_ < num_steps(), "the training of this aligner is over");
  const TrainingStep step = make_step(num_done_, threads);
  ++num_done_;
  return step;
}

void AlignmentTraining::align(const Threads& threads, const LinkChoice& choice,
                              const std::function<void(const AlignedPair&)>& visit,
                              Progress& progress) {
  require(num_done_ > 0, "an aligner must be trained before it aligns");
  progress.begin("aligning", bitext_.size());
  std::vector<PairPosteriors> posteriors;
  std::vector<AlignedPair> aligned;
  for (std::size_t first = 0, end = 0; first < bitext_.size(); first = end) {
    for (std::size_t cells = 0; end < bitext_.size() && cells < kCellsOfBlock; ++end)
      cells += bitext_.source[end].size() * bitext_.target[end].size();
    posteriors.resize(end - first);
    aligned.resize(end - first);
    infer(first, posteriors, threads);
    threads.for_chunks(posteriors.size(), [&](std::size_t k, unsigned) {
      aligned[k] = choose_links(posteriors[k], choice);
    });
    for (const AlignedPair& pair : aligned) visit(pair);
    progress.update(end);
  }
  progress.end();
}

void AlignmentTraining::write_models(ModelWriter& writer) const {
  forward_model()->write(writer, "forward.");
  backward_model()->write(writer, "backward.");
}

std::unique_ptr<AlignmentTraining> make_training(const Bitext& bitext,
                                                 const TrainingOptions& options) {
  require(!options.iterations || *options.iterations > 0, "training needs at least one iteration");
  return options.method == Method::kGibbs ? make_gibbs_training(bitext, options)
                                          : make_em_training(bitext, options);
}

}  // namespace coppice::align
