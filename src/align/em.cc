#include "align/em.h"

#include <algorithm>
#include <cmath>

#include "base/reduce.h"
#include "coppice/base/error.h"

namespace coppice::align {

namespace {

constexpr std::size_t kPairsOfChunk = 256;

}  // namespace

EmAligner::EmAligner(const BitextSide& source, const BitextSide& target, double prior)
    : source_(source),
      target_(target),
      prior_(prior),
      lexicon_(std::make_shared<Lexicon>(source, target)) {
  require(prior >= 0 && std::isfinite(prior), "the prior of a lexicon cannot be ", prior);
}

double EmAligner::iterate(const Threads& threads) {
  FixedSums sums(positions_->num_sums());
  const std::size_t chunks = (target_.size() + kPairsOfChunk - 1) / kPairsOfChunk;
  std::vector<double> log_likelihoods(chunks, 0);
  std::vector<LinkMatrix> matrices(threads.size());
  threads.for_chunks(chunks, [&](std::size_t chunk, unsigned worker) {
    LinkMatrix& matrix = matrices[worker];
    const std::size_t end = std::min(target_.size(), (chunk + 1) * kPairsOfChunk);
    for (std::size_t k = chunk * kPairsOfChunk; k < end; ++k) {
      if (target_[k].empty()) continue;
      lexicon_->look_up(source_[k], target_[k], matrix);
      log_likelihoods[chunk] += positions_->infer(matrix, &sums);
      lexicon_->count(source_[k], target_[k], matrix);
    }
  });
  lexicon_->maximise(prior_, threads);
  positions_->maximise(sums);
  return pairwise_sum(std::move(log_likelihoods));
}

void EmAligner::infer(std::size_t k, LinkMatrix& posteriors) const {
  lexicon_->look_up(source_[k], target_[k], posteriors);
  if (!target_[k].empty()) positions_->infer(posteriors, nullptr);
}

}  // namespace coppice::align
