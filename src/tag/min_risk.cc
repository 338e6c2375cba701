#include "coppice/tag/min_risk.h"

#include <algorithm>
#include <string>
#include <utility>

#include "chain/forbidden.h"
#include "chain/items.h"
#include "chain/kernel.h"
#include "chain/loss.h"
#include "coppice/base/assert.h"
#include "coppice/base/error.h"
#include "coppice/text/spans.h"
#include "tag/tagger_state.h"

namespace coppice::tag {

namespace {

// Less probable spans are left out: they are worth something only where wrong ones cost nothing.
constexpr double kLeastSpanProbability = 1e-4;

constexpr std::size_t kNoCandidate = static_cast<std::size_t>(-1);

chain::Transitions allowed_pairs(const Tagger::State& tagger) {
  const chain::Transitions& scores = tagger.transitions();
  if (scores.none()) return chain::Transitions(scores.labels());
  std::vector<float> pairs(scores.labels() * scores.stride(), chain::kForbidden);
  for (std::size_t u = 0; u < scores.labels(); ++u) {
    for (std::size_t y = 0; y < scores.labels(); ++y) {
      if (scores.score(u, y) != chain::kForbidden) pairs[u * scores.stride() + y] = 0;
    }
  }
  return chain::Transitions(scores.labels(), pairs);
}

struct Candidate {
  text::LabelledSpan span;
  double worth = 0;
};

// The best set of spans that do not overlap.
std::vector<text::LabelledSpan> best_spans(const std::vector<Candidate>& candidates,
                                           std::size_t length) {
  std::vector<double> best(length + 1, 0.0);
  std::vector<std::size_t> last(length + 1, kNoCandidate);
  std::vector<std::vector<std::size_t>> ending(length + 1);
  for (std::size_t i = 0; i < candidates.size(); ++i) ending[candidates[i].span.end].push_back(i);
  for (std::size_t end = 1; end <= length; ++end) {
    best[end] = best[end - 1];
    for (const std::size_t i : ending[end]) {
      const double value = best[candidates[i].span.begin] + candidates[i].worth;
      if (value <= best[end]) continue;
      best[end] = value;
      last[end] = i;
    }
  }
  std::vector<text::LabelledSpan> chosen;
  for (std::size_t end = length; end > 0;) {
    if (last[end] == kNoCandidate) {
      --end;
    } else {
      chosen.push_back(candidates[last[end]].span);
      end = chosen.back().begin;
    }
  }
  return {chosen.rbegin(), chosen.rend()};
}

// The label's number. A model that never saw it (B-X of IOB1 between spans of one type) has another
// of its type.
std::uint16_t known_label(const std::vector<std::string>& known, const std::string& name) {
  auto found = std::find(known.begin(), known.end(), name);
  if (found == known.end()) {
    const auto wanted = text::split_label(name)->type;
    found = std::find_if(known.begin(), known.end(), [&](const std::string& other) {
      const auto parts = text::split_label(other);
      return parts && parts->prefix != 'O' && parts->type == wanted;
    });
  }
  COPPICE_ASSERT(found != known.end());  // spans are made of labels that the model has
  return static_cast<std::uint16_t>(found - known.begin());
}

}  // namespace

struct MinRiskDecoder::State {
  State(const Tagger& model, const learn::TrainingObjective& objective);

  void decode_labels(TaggingSession& session, std::vector<std::uint16_t>& labels) const;
  double type_posterior(TaggingSession& session, std::size_t token, std::size_t type) const;
  void decode_spans(TaggingSession& session, std::vector<std::uint16_t>& labels) const;

  const Tagger& tagger;
  chain::ItemRules rules;
  chain::ChainLoss loss;
  chain::Transitions allowed;  // 0 for label pairs that may stand side by side, else -inf
};

MinRiskDecoder::State::State(const Tagger& model, const learn::TrainingObjective& objective)
    : tagger(model),
      rules(model.config().labels, model.config().scheme),
      loss(chain::chain_loss(objective, model.config().labels, model.config().scheme)),
      allowed(allowed_pairs(model.state())) {
  require(
      loss.kind != chain::ChainLoss::Kind::kMeasure,
      "minimum-risk decoding is for losses that add over labels or spans (hamming, cost-matrix, "
      "dec-precision, dec-recall, dec-f1); a measure of the whole sentence does not");
  if (loss.kind == chain::ChainLoss::Kind::kErrorCosts && !rules.counts_spans()) {
    loss =
        chain::ChainLoss::hamming(tagger.num_labels());  // an item a token: each is right or wrong
  }
}

void MinRiskDecoder::State::decode_labels(TaggingSession& session,
                                          std::vector<std::uint16_t>& labels) const {
  const std::size_t size = tagger.num_labels(), stride = row_stride(size);
  AlignedVector<float> worth(session.length() * stride, chain::kForbidden);
  for (std::size_t t = 0; t < session.length(); ++t) {
    const auto posterior = session.posteriors(t);
    for (std::size_t y = 0; y < size; ++y) {
      if (session.scores(t)[y] == chain::kForbidden) continue;
      float cost = 0;
      for (std::size_t gold = 0; gold < size; ++gold) {
        cost += posterior[gold] * loss.matrix[gold * size + y];
      }
      worth[t * stride + y] = -cost;
    }
  }
  labels.resize(session.length());
  chain::Workspace workspace;
  chain::best_labels(worth.data(), session.length(), allowed, workspace, labels);
}

// How probable it is that a token has a label of the type.
double MinRiskDecoder::State::type_posterior(TaggingSession& session, std::size_t token,
                                             std::size_t type) const {
  const auto row = session.posteriors(token);
  double sum = 0;
  for (std::size_t y = 0; y < rules.num_labels(); ++y) {
    if (rules.has_item(y) && rules.type(y) == type) sum += row[y];
  }
  return sum;
}

void MinRiskDecoder::State::decode_spans(TaggingSession& session,
                                         std::vector<std::uint16_t>& labels) const {
  std::vector<Candidate> candidates;
  for (std::size_t type = 0; type < rules.num_labels(); ++type) {
    if (!rules.has_item(type) || rules.type(type) != type) continue;
    const learn::ErrorCosts& costs = loss.errors[type];
    for (std::size_t begin = 0; begin < session.length(); ++begin) {
      for (std::size_t end = begin + 1; end <= session.length(); ++end) {
        if (type_posterior(session, end - 1, type) < kLeastSpanProbability) break;
        const text::LabelledSpan span{begin, end, text::split_label(tagger.label(type))->type};
        const double worth =
            (costs.false_positive + costs.false_negative) * session.span_probability(span) -
            costs.false_positive;
        if (worth > 0) candidates.push_back({span, worth});
      }
    }
  }
  const auto spans = best_spans(candidates, session.length());
  labels.clear();
  for (const std::string& name : text::labels_of(spans, tagger.config().scheme, session.length())) {
    labels.push_back(known_label(tagger.config().labels, name));
  }
}

MinRiskDecoder::MinRiskDecoder(const Tagger& tagger, const learn::TrainingObjective& loss)
    : state_(std::make_unique<const State>(tagger, loss)) {}
MinRiskDecoder::~MinRiskDecoder() = default;
MinRiskDecoder::MinRiskDecoder(MinRiskDecoder&&) noexcept = default;

void MinRiskDecoder::decode(TaggingSession& session, std::vector<std::uint16_t>& labels) const {
  if (state_->loss.kind == chain::ChainLoss::Kind::kErrorCosts) {
    state_->decode_spans(session, labels);
  } else {
    state_->decode_labels(session, labels);
  }
}

}  // namespace coppice::tag
