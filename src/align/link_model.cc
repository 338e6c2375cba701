#include "coppice/align/link_model.h"

#include <algorithm>
#include <cstdlib>

namespace coppice::align {

namespace {

constexpr double kSmallestSaved = 1e-7;

// For each sentence: starts from nothing, sweeps of each stage before samples are used, samples.
constexpr int kRestarts = 4, kBurnIn = 3, kSamples = 8;

}  // namespace

void EmLinkModel::align(std::span<const std::uint32_t> source,
                        std::span<const std::uint32_t> target, Random /*random*/,
                        LinkMatrix& posteriors) const {
  lexicon_->look_up(source, target, posteriors);
  positions_->infer(posteriors, nullptr);
}

void EmLinkModel::write(ModelWriter& writer, const std::string& prefix) const {
  writer.add_section(prefix + "links", lexicon_->entries(kSmallestSaved), {.codec = Codec::kZstd});
  writer.add_section(prefix + "positions", positions_->parameters());
}

GibbsLinkModel::GibbsLinkModel(GibbsCounts counts, const GibbsPriors& priors,
                               std::size_t num_sources, std::size_t num_targets)
    : counts_(std::move(counts)),
      priors_(priors),
      table_(num_targets),
      totals_(num_sources + 1, 0),
      num_targets_(num_targets) {
  const auto keep_all = [](const Entry&) { return false; };
  for (const LexicalEntry& link : counts_.links) {
    table_.row(link.target).insert(link.source, keep_all).count = link.value;
    totals_[link.source] += static_cast<double>(link.value);
  }
  for (const float count : counts_.jumps) num_jumps_ += static_cast<double>(count);
}

void GibbsLinkModel::write(ModelWriter& writer, const std::string& prefix) const {
  writer.add_section(prefix + "links", counts_.links, {.codec = Codec::kZstd});
  writer.add_section(prefix + "jumps", counts_.jumps);
  writer.add_section(prefix + "fertilities", counts_.fertilities, {.codec = Codec::kZstd});
}

// p(link) p(word | source word) of all links.
void GibbsLinkModel::look_up(std::span<const std::uint32_t> source,
                             std::span<const std::uint32_t> target, LinkMatrix& weights) const {
  weights.reset(source.size(), target.size());
  const auto words = static_cast<double>(std::max<std::size_t>(1, num_targets_));
  const auto nothing = static_cast<std::uint32_t>(totals_.size() - 1);
  const auto weight = [&](std::uint32_t f, std::uint32_t e, double alpha) {
    const Entry* entry = f < num_targets_ ? table_.row(f).find(e) : nullptr;
    const double count = entry == nullptr ? 0 : static_cast<double>(entry->count);
    const double total = e < totals_.size() ? totals_[e] : 0;
    return (count + alpha) / (total + alpha * words);
  };
  for (std::size_t j = 0; j < target.size(); ++j) {
    const std::span<double> cells = weights.row(j);
    cells[0] = priors_.null_probability * weight(target[j], nothing, priors_.null_lexical);
    for (std::size_t i = 0; i < source.size(); ++i)
      cells[i + 1] = (1 - priors_.null_probability) * weight(target[j], source[i], priors_.lexical);
  }
}

double GibbsLinkModel::jump_weight(std::ptrdiff_t jump) const noexcept {
  const auto largest = static_cast<std::ptrdiff_t>(counts_.jumps.size() / 2);
  const bool is_known = jump >= -largest && jump <= largest;
  const double count =
      is_known ? static_cast<double>(counts_.jumps[static_cast<std::size_t>(jump + largest)]) : 0;
  return (count + priors_.jump) /
         (num_jumps_ + priors_.jump * static_cast<double>(counts_.jumps.size()));
}

double GibbsLinkModel::fertility_ratio(std::uint32_t source, std::size_t fertility) const noexcept {
  if (fertility + 1 >= kFertilities) return 1;
  const auto weight = [&](std::size_t phi) {
    const bool is_known = source < counts_.fertilities.size();
    return priors_.fertility[phi] +
           (is_known ? static_cast<double>(counts_.fertilities[source][phi]) : 0);
  };
  return weight(fertility + 1) / weight(fertility);
}

// Gibbs sampling of the links of one pair of sentences.
class GibbsLinkModel::Sampler {
 public:
  Sampler(const GibbsLinkModel& model, std::span<const std::uint32_t> source, LinkMatrix weights,
          Random random)
      : model_(model),
        source_(source),
        weights_(std::move(weights)),
        random_(random),
        links_(weights_.targets(), kUnlinked),
        degree_(source.size(), 0),
        cumulative_(source.size() + 1) {
    const auto length = static_cast<std::ptrdiff_t>(source.size());
    for (std::ptrdiff_t jump = -length - 1; jump <= length + 1; ++jump)
      jumps_.push_back(model.jump_weight(jump));
  }

  void restart() {
    std::ranges::fill(links_, kUnlinked);
    std::ranges::fill(degree_, 0);
  }

  // Draws all links; with `sum`, adds the distributions drawn from.
  void sweep(GibbsStage stage, LinkMatrix* sum) {
    std::ptrdiff_t before = -1;
    for (std::size_t j = 0; j < links_.size(); ++j) {
      if (links_[j] != kUnlinked) --degree_[links_[j]];
      weigh(stage, j, before, next_link(j));
      const double point = random_.uniform() * cumulative_.back();
      std::size_t at = 0;
      while (at + 1 < cumulative_.size() && cumulative_[at] <= point) ++at;
      links_[j] = at == 0 ? kUnlinked : static_cast<std::uint32_t>(at - 1);
      if (at > 0) {
        ++degree_[at - 1];
        before = static_cast<std::ptrdiff_t>(at) - 1;
      }
      if (sum != nullptr) add(j, *sum);
    }
  }

 private:
  std::ptrdiff_t next_link(std::size_t j) const {
    for (++j; j < links_.size(); ++j)
      if (links_[j] != kUnlinked) return static_cast<std::ptrdiff_t>(links_[j]);
    return static_cast<std::ptrdiff_t>(source_.size());
  }

  double jump(std::ptrdiff_t from, std::ptrdiff_t to) const {
    return jumps_[static_cast<std::size_t>(to - from) + source_.size() + 1];
  }

  void weigh(GibbsStage stage, std::size_t j, std::ptrdiff_t before, std::ptrdiff_t after) {
    const std::span<const double> weights = weights_.row(j);
    const bool uses_jumps = stage != GibbsStage::kLexical;
    double sum = weights[0] * (uses_jumps ? jump(before, after) : 1);
    cumulative_[0] = sum;
    for (std::size_t i = 0; i < source_.size(); ++i) {
      const auto at = static_cast<std::ptrdiff_t>(i);
      double weight = weights[i + 1];
      if (uses_jumps) weight *= jump(before, at) * jump(at, after);
      if (stage == GibbsStage::kFertility) weight *= model_.fertility_ratio(source_[i], degree_[i]);
      cumulative_[i + 1] = sum += weight;
    }
  }

  void add(std::size_t j, LinkMatrix& sum) const {
    const std::span<double> cells = sum.row(j);
    double below = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      cells[i] += (cumulative_[i] - below) / cumulative_.back() / (kRestarts * kSamples);
      below = cumulative_[i];
    }
  }

  const GibbsLinkModel& model_;
  std::span<const std::uint32_t> source_;
  LinkMatrix weights_;
  Random random_;
  std::vector<std::uint32_t> links_;
  std::vector<std::uint32_t> degree_;
  std::vector<double> cumulative_;
  std::vector<double> jumps_;
};

void GibbsLinkModel::align(std::span<const std::uint32_t> source,
                           std::span<const std::uint32_t> target, Random random,
                           LinkMatrix& posteriors) const {
  LinkMatrix weights;
  look_up(source, target, weights);
  posteriors.reset(source.size(), target.size());
  Sampler sampler(*this, source, std::move(weights), random);
  for (int start = 0; start < kRestarts; ++start) {
    sampler.restart();
    sampler.sweep(GibbsStage::kLexical, nullptr);
    sampler.sweep(GibbsStage::kJumps, nullptr);
    for (int k = 0; k < kBurnIn; ++k) sampler.sweep(GibbsStage::kFertility, nullptr);
    for (int k = 0; k < kSamples; ++k) sampler.sweep(GibbsStage::kFertility, &posteriors);
  }
}

}  // namespace coppice::align
