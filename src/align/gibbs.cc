#include "coppice/align/gibbs.h"

#include <algorithm>

namespace coppice::align {

namespace {

constexpr auto kIsUnused = [](const auto& entry) { return entry.count == 0; };

}  // namespace

GibbsChain::GibbsChain(const BitextSide& source, const BitextSide& target,
                       const GibbsPriors& priors, Random random)
    : source_(source),
      target_(target),
      priors_(priors),
      random_(random),
      longest_(static_cast<std::ptrdiff_t>(source.longest()) + 1),
      links_(target.tokens.size(), kNoLink),
      pairs_(target.words.size()),
      sources_(source.words.size() + 1),
      totals_(source.words.size() + 1, 0),
      jumps_(static_cast<std::size_t>(2 * longest_ + 1), 0) {
  static_assert(kMaxSentenceLength < kNoLink);
  for (std::uint32_t e = 0; e < totals_.size(); ++e) {
    const double alpha = e + 1 == totals_.size() ? priors.null_lexical : priors.lexical;
    sources_[e].inverse =
        static_cast<float>(1 / (alpha * static_cast<double>(target.words.size())));
  }
  for (const std::uint32_t e : source.tokens) ++sources_[e].fertilities[0];
}

void GibbsChain::sweep(GibbsStage stage) {
  num_changed_ = 0;
  switch (stage) {
    case GibbsStage::kLexical:
      sweep_stage<GibbsStage::kLexical>();
      break;
    case GibbsStage::kJumps:
      sweep_stage<GibbsStage::kJumps>();
      break;
    case GibbsStage::kFertility:
      sweep_stage<GibbsStage::kFertility>();
      break;
  }
  is_first_ = false;
}

template <GibbsStage kStage>
void GibbsChain::sweep_stage() {
  for (std::size_t k = 0; k < target_.size(); ++k) resample_sentence<kStage>(k, nullptr);
}

void GibbsChain::resample(std::size_t k, LinkMatrix& sum) {
  resample_sentence<GibbsStage::kFertility>(k, &sum);
}

// Links per occurrence of a source word, and the next linked position after each target word: both
// by the links before any of them is drawn.
void GibbsChain::start_sentence(std::size_t k) {
  const std::size_t sources = source_[k].size(), targets = target_[k].size();
  const std::uint16_t* links = links_.data() + target_.begin[k];
  degree_.assign(sources, 0);
  after_.resize(targets);
  auto after = static_cast<std::ptrdiff_t>(sources);
  for (std::size_t j = targets; j > 0; --j) {
    after_[j - 1] = after;
    if (links[j - 1] == kNoLink) continue;
    after = links[j - 1];
    ++degree_[links[j - 1]];
  }
  weights_.resize(sources + 1);
  if (!is_first_ || targets == 0) return;
  ++jump(-1, after);  // a sentence without links jumps over all of itself
  ++num_jumps_;
}

template <GibbsStage kStage>
void GibbsChain::resample_sentence(std::size_t k, LinkMatrix* sum) {
  start_sentence(k);
  std::uint16_t* links = links_.data() + target_.begin[k];
  Place place{.source = source_[k]};
  for (std::size_t j = 0; j < target_[k].size(); ++j) {
    place.word = target_[k][j];
    place.after = after_[j];
    const std::uint16_t old = links[j];
    if (!is_first_) {
      change<false>(place, old);
    } else {
      --jump(place.before, place.after);
      --num_jumps_;
    }
    weigh<kStage>(place);
    links[j] = draw();
    change<true>(place, links[j]);
    num_changed_ += links[j] != old ? 1 : 0;
    if (links[j] != kNoLink) place.before = links[j];
    if (sum == nullptr) continue;
    const std::span<double> cells = sum->row(j);
    const double scale = 1 / weights_.back();
    for (std::size_t i = weights_.size() - 1; i > 0; --i)
      cells[i] += (weights_[i] - weights_[i - 1]) * scale;
    cells[0] += weights_[0] * scale;
  }
}

template <GibbsStage kStage>
void GibbsChain::weigh(const Place& place) {
  constexpr bool uses_jumps = kStage != GibbsStage::kLexical;
  constexpr bool uses_fertility = kStage == GibbsStage::kFertility;
  const PairTable<LinkCount>::Row& row = pairs_.row(place.word);
  const auto count = [&](std::uint32_t e) {
    const LinkCount* found = row.find(e);
    return found == nullptr ? 0.0 : static_cast<double>(found->count);
  };
  const auto nothing = static_cast<std::uint32_t>(totals_.size() - 1);
  double sum = priors_.null_probability * (count(nothing) + priors_.null_lexical) *
               static_cast<double>(sources_[nothing].inverse);
  const double links = 1 - priors_.null_probability;
  double scale = links;
  if constexpr (uses_jumps) {
    const double gamma = priors_.jump;
    const double all = static_cast<double>(num_jumps_) + gamma * static_cast<double>(jumps_.size());
    sum *= (jump(place.before, place.after) + gamma) / all;
    scale = links / (all * (all + 1));
  }
  weights_[0] = sum;
  const std::uint32_t* in = nullptr;
  const std::uint32_t* out = nullptr;
  if constexpr (uses_jumps) {
    in = &jump(place.before, 0);
    out = &jump(0, place.after);
  }
  for (std::size_t i = 0; i < place.source.size(); ++i) {
    const std::uint32_t e = place.source[i];
    const SourceCounts& counts = sources_[e];
    double weight = scale * (count(e) + priors_.lexical) * static_cast<double>(counts.inverse);
    if constexpr (uses_jumps) {
      const std::uint32_t* to = in + i;
      const std::uint32_t* from = out - i;
      weight *= (*to + priors_.jump) * (*from + priors_.jump + (to == from ? 1 : 0));
    }
    if constexpr (uses_fertility) {
      const std::size_t phi = degree_[i];
      if (phi + 1 < kFertilities) {
        weight *= (counts.fertilities[phi + 1] + priors_.fertility[phi + 1]) /
                  (counts.fertilities[phi] - 1 + priors_.fertility[phi]);
      }
    }
    sum += weight;
    weights_[i + 1] = sum;
  }
}

std::uint16_t GibbsChain::draw() {
  const double point = random_.uniform() * weights_.back();
  std::size_t at = 0;
  while (at + 1 < weights_.size() && weights_[at] <= point) ++at;
  return at == 0 ? kNoLink : static_cast<std::uint16_t>(at - 1);
}

void GibbsChain::change_lexical(std::uint32_t word, std::uint32_t source, int by) {
  LinkCount& entry = pairs_.row(word).insert(source, kIsUnused);
  entry.count += static_cast<std::uint32_t>(by);
  totals_[source] += static_cast<std::uint32_t>(by);
  const double alpha =
      source + 1 == totals_.size() ? priors_.null_lexical : priors_.lexical;
  sources_[source].inverse = static_cast<float>(
      1 / (totals_[source] + alpha * static_cast<double>(target_.words.size())));
}

// Counts the word's link, or takes it out of the counts: then its neighbours are not counted as
// neighbours, until change<true> has been called.
template <bool kAdd>
void GibbsChain::change(const Place& place, std::uint16_t link) {
  constexpr int by = kAdd ? 1 : -1;
  const auto count = [&](std::uint32_t& number) { number += static_cast<std::uint32_t>(by); };
  if (link == kNoLink) {
    change_lexical(place.word, static_cast<std::uint32_t>(totals_.size() - 1), by);
    count(jump(place.before, place.after));
    num_jumps_ += static_cast<std::uint64_t>(by);
    return;
  }
  const std::uint32_t e = place.source[link];
  change_lexical(place.word, e, by);
  count(jump(place.before, link));
  count(jump(link, place.after));
  num_jumps_ += static_cast<std::uint64_t>(2 * by);
  std::array<std::uint32_t, kFertilities>& fertilities = sources_[e].fertilities;
  --fertilities[std::min<std::size_t>(degree_[link], kFertilities - 1)];
  degree_[link] += static_cast<std::uint32_t>(by);
  ++fertilities[std::min<std::size_t>(degree_[link], kFertilities - 1)];
}

double GibbsChain::changed() const noexcept {
  return static_cast<double>(num_changed_) / static_cast<double>(std::max<std::size_t>(1, links_.size()));
}

std::vector<std::uint32_t> GibbsChain::links(std::size_t k) const {
  std::vector<std::uint32_t> links;
  for (std::size_t at = target_.begin[k]; at < target_.begin[k + 1]; ++at)
    links.push_back(links_[at] == kNoLink ? kUnlinked : links_[at]);
  return links;
}

std::vector<double> GibbsChain::conditional(GibbsStage stage, std::size_t k, std::size_t j) {
  start_sentence(k);
  Place place{.source = source_[k], .word = target_[k][j], .after = after_[j]};
  const std::uint16_t* links = links_.data() + target_.begin[k];
  for (std::size_t before = 0; before < j; ++before) {
    if (links[before] != kNoLink) place.before = links[before];
  }
  change<false>(place, links[j]);
  switch (stage) {
    case GibbsStage::kLexical:
      weigh<GibbsStage::kLexical>(place);
      break;
    case GibbsStage::kJumps:
      weigh<GibbsStage::kJumps>(place);
      break;
    case GibbsStage::kFertility:
      weigh<GibbsStage::kFertility>(place);
      break;
  }
  change<true>(place, links[j]);
  std::vector<double> distribution(weights_);
  for (std::size_t i = distribution.size() - 1; i > 0; --i) distribution[i] -= distribution[i - 1];
  for (double& p : distribution) p /= weights_.back();
  return distribution;
}

void GibbsChain::add_counts(double chains, GibbsCounts& counts) const {
  const auto share = [&](std::uint32_t count) { return static_cast<float>(count / chains); };
  for (std::uint32_t word = 0; word < pairs_.num_rows(); ++word) {
    pairs_.row(word).for_each([&](const LinkCount& entry) {
      if (entry.count > 0) counts.links.push_back({word, entry.key, share(entry.count)});
    });
  }
  counts.jumps.resize(jumps_.size(), 0);
  for (std::size_t d = 0; d < jumps_.size(); ++d) counts.jumps[d] += share(jumps_[d]);
  counts.fertilities.resize(sources_.size(), {});
  for (std::size_t e = 0; e < sources_.size(); ++e) {
    for (std::size_t phi = 0; phi < kFertilities; ++phi)
      counts.fertilities[e][phi] += share(sources_[e].fertilities[phi]);
  }
}

}  // namespace coppice::align
