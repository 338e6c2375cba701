#include "coppice/align/gibbs.h"

#include <algorithm>
#include <numeric>

namespace coppice::align {

namespace {

constexpr auto kIsUnused = [](const auto& entry) { return entry.count == 0; };

// Calls visit.operator()<stage>(): the stage becomes a constant of the inner loops.
template <class Visit>
decltype(auto) with_stage(GibbsStage stage, const Visit& visit) {
  switch (stage) {
    case GibbsStage::kLexical:
      return visit.template operator()<GibbsStage::kLexical>();
    case GibbsStage::kJumps:
      return visit.template operator()<GibbsStage::kJumps>();
    default:
      return visit.template operator()<GibbsStage::kFertility>();
  }
}

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
      jumps_(static_cast<std::size_t>(2 * longest_ + 1), priors.jump),
      num_jumps_(priors.jump * static_cast<double>(jumps_.size())) {
  static_assert(kMaxSentenceLength < kNoLink);
  for (const std::uint32_t e : source.tokens) ++sources_[e].fertilities[0];
}

void GibbsChain::sweep(GibbsStage stage) {
  num_changed_ = 0;
  with_stage(stage, [&]<GibbsStage kStage>() {
    for (std::size_t k = 0; k < target_.size(); ++k) {
      if (k + 1 < target_.size()) prefetch(k + 1);
      resample_sentence<kStage>(k, nullptr);
    }
  });
  is_first_ = false;
}

void GibbsChain::resample(std::size_t k, LinkMatrix& sum) {
  resample_sentence<GibbsStage::kFertility>(k, &sum);
}

// Most of the time would go into waiting for memory: words come in no order that a cache likes.
void GibbsChain::prefetch(std::size_t k) const {
  const std::span<const std::uint32_t> source = source_[k], target = target_[k];
  for (const std::uint32_t e : source) __builtin_prefetch(&sources_[e]);
  const std::uint16_t* links = links_.data() + target_.begin[k];
  for (std::size_t j = 0; j < target.size(); ++j)
    pairs_.row(target[j]).prefetch(links[j] == kNoLink ? no_word() : source[links[j]]);
}

// Links per occurrence of a source word, and the next linked position after each target word: both
// by the links before any of them is drawn.
template <GibbsStage kStage>
void GibbsChain::start_sentence(std::size_t k) {
  const std::span<const std::uint32_t> source = source_[k];
  const std::size_t targets = target_[k].size();
  const std::uint16_t* links = links_.data() + target_.begin[k];
  degree_.assign(source.size(), 0);
  after_.resize(targets);
  auto after = static_cast<std::ptrdiff_t>(source.size());
  for (std::size_t j = targets; j > 0; --j) {
    after_[j - 1] = after;
    if (links[j - 1] == kNoLink) continue;
    after = links[j - 1];
    ++degree_[links[j - 1]];
  }
  has_repetitions_ = false;
  for (std::size_t i = 1; i < source.size() && !has_repetitions_; ++i)
    has_repetitions_ = std::find(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(i),
                                 source[i]) != source.begin() + static_cast<std::ptrdiff_t>(i);
  scales_.resize(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) scales_[i] = scale<kStage>(source[i], degree_[i]);
  counts_.resize(source.size());
  weights_.resize(source.size() + 1);
  if (!is_first_ || targets == 0) return;
  ++jump(-1, after);  // a sentence without links jumps over all of itself
  ++num_jumps_;
}

template <GibbsStage kStage>
void GibbsChain::resample_sentence(std::size_t k, LinkMatrix* sum) {
  start_sentence<kStage>(k);
  std::uint16_t* links = links_.data() + target_.begin[k];
  Place place{.source = source_[k]};
  for (std::size_t j = 0; j < target_[k].size(); ++j) {
    place.row = &pairs_.row(target_[k][j]);
    place.after = after_[j];
    place.link = links[j];
    if (is_first_) {
      --jump(place.before, place.after);
      --num_jumps_;
      place.entry = nullptr;
    } else {
      take_out<kStage>(place);
    }
    weigh<kStage>(place);
    links[j] = draw();
    put_in<kStage>(place, links[j]);
    num_changed_ += links[j] != place.link ? 1 : 0;
    if (links[j] != kNoLink) place.before = links[j];
    if (sum == nullptr) continue;
    const std::span<double> cells = sum->row(j);
    const double share = 1 / weights_.back();
    for (std::size_t i = weights_.size() - 1; i > 0; --i)
      cells[i] += (weights_[i] - weights_[i - 1]) * share;
    cells[0] += weights_[0] * share;
  }
}

template <GibbsStage kStage>
double GibbsChain::scale(std::uint32_t source, std::size_t fertility) const noexcept {
  const SourceCounts& counts = sources_[source];
  const double all = counts.links + priors_.lexical * static_cast<double>(target_.words.size());
  if (kStage != GibbsStage::kFertility || fertility + 1 >= kFertilities) return 1 / all;
  return (counts.fertilities[fertility + 1] + priors_.fertility[fertility + 1]) /
         ((counts.fertilities[fertility] - 1 + priors_.fertility[fertility]) * all);
}

template <GibbsStage kStage>
void GibbsChain::rescale(const Place& place, std::uint16_t link) {
  const std::uint32_t e = place.source[link];
  if (!has_repetitions_) {
    scales_[link] = scale<kStage>(e, degree_[link]);
    return;
  }
  for (std::size_t i = 0; i < place.source.size(); ++i)
    if (place.source[i] == e) scales_[i] = scale<kStage>(e, degree_[i]);
}

// Three passes: the look-ups, which jump about; arithmetic, which the compiler makes vectors of;
// and the sums.
template <GibbsStage kStage>
void GibbsChain::weigh(const Place& place) {
  const std::size_t sources = place.source.size();
  double no_link = 0;
  if (place.row->empty()) {
    std::ranges::fill(counts_, 0);
  } else {
    no_link = place.row->find_or_free(no_word()).count;
    for (std::size_t i = 0; i < sources; ++i)
      counts_[i] = place.row->find_or_free(place.source[i]).count;
  }
  const double links = 1 - priors_.null_probability;
  double* weights = weights_.data();
  weights[0] =
      priors_.null_probability * (no_link + priors_.null_lexical) /
      (sources_.back().links + priors_.null_lexical * static_cast<double>(target_.words.size()));
  if constexpr (kStage == GibbsStage::kLexical) {
    for (std::size_t i = 0; i < sources; ++i)
      weights[i + 1] = links * (counts_[i] + priors_.lexical) * scales_[i];
  } else {
    // All divided by the probability of a jump of the mean weight.
    weights[0] *= jump(place.before, place.after) * (num_jumps_ + 1);
    const double* in = &jump(place.before, 0);
    const double* out = &jump(0, place.after);
    for (std::size_t i = 0; i < sources; ++i) {
      weights[i + 1] = links * (counts_[i] + priors_.lexical) * scales_[i] * in[i] *
                       out[-static_cast<std::ptrdiff_t>(i)];
    }
    // Where both jumps are the same, the second one finds the first one counted.
    const std::ptrdiff_t both = place.before + place.after, middle = both / 2;
    if (both % 2 == 0 && middle >= 0 && middle < static_cast<std::ptrdiff_t>(sources))
      weights[middle + 1] *= (in[middle] + 1) / in[middle];
  }
  std::partial_sum(weights_.begin(), weights_.end(), weights_.begin());
}

std::uint16_t GibbsChain::draw() {
  const double point = random_.uniform() * weights_.back();
  std::size_t at = 0;
  while (at + 1 < weights_.size() && weights_[at] <= point) ++at;
  return at == 0 ? kNoLink : static_cast<std::uint16_t>(at - 1);
}

void GibbsChain::count_jumps(const Place& place, std::uint16_t link, int by) {
  if (link == kNoLink) {
    jump(place.before, place.after) += by;
    num_jumps_ += by;
    return;
  }
  jump(place.before, link) += by;
  jump(link, place.after) += by;
  num_jumps_ += 2 * by;
}

void GibbsChain::count_fertility(std::uint32_t source, std::uint16_t link, int by) {
  std::array<std::uint32_t, kFertilities>& fertilities = sources_[source].fertilities;
  --fertilities[std::min<std::size_t>(degree_[link], kFertilities - 1)];
  degree_[link] += static_cast<std::uint32_t>(by);
  ++fertilities[std::min<std::size_t>(degree_[link], kFertilities - 1)];
}

template <GibbsStage kStage>
void GibbsChain::take_out(Place& place) {
  const bool is_linked = place.link != kNoLink;
  const std::uint32_t e = is_linked ? place.source[place.link] : no_word();
  place.entry = place.row->find(e);
  --place.entry->count;
  --sources_[e].links;
  count_jumps(place, place.link, -1);
  if (!is_linked) return;
  count_fertility(e, place.link, -1);
  place.scale = scales_[place.link];
  rescale<kStage>(place, place.link);
}

// Links seldom change, so that what take_out found is used again where it can be.
template <GibbsStage kStage>
void GibbsChain::put_in(const Place& place, std::uint16_t link) {
  const bool is_linked = link != kNoLink;
  const std::uint32_t e = is_linked ? place.source[link] : no_word();
  const bool is_old = place.entry != nullptr && link == place.link;
  LinkCount& entry = is_old ? *place.entry : place.row->insert(e, kIsUnused);
  ++entry.count;
  ++sources_[e].links;
  count_jumps(place, link, 1);
  if (!is_linked) return;
  count_fertility(e, link, 1);
  if (is_old && !has_repetitions_) {
    scales_[link] = place.scale;
  } else {
    rescale<kStage>(place, link);
  }
}

double GibbsChain::changed() const noexcept {
  return static_cast<double>(num_changed_) /
         static_cast<double>(std::max<std::size_t>(1, links_.size()));
}

std::vector<std::uint32_t> GibbsChain::links(std::size_t k) const {
  std::vector<std::uint32_t> links;
  for (std::size_t at = target_.begin[k]; at < target_.begin[k + 1]; ++at)
    links.push_back(links_[at] == kNoLink ? kUnlinked : links_[at]);
  return links;
}

template <GibbsStage kStage>
std::vector<double> GibbsChain::conditional_of(std::size_t k, std::size_t j) {
  start_sentence<kStage>(k);
  const std::uint16_t* links = links_.data() + target_.begin[k];
  Place place{.source = source_[k],
              .row = &pairs_.row(target_[k][j]),
              .after = after_[j],
              .link = links[j]};
  for (std::size_t before = 0; before < j; ++before)
    if (links[before] != kNoLink) place.before = links[before];
  take_out<kStage>(place);
  weigh<kStage>(place);
  put_in<kStage>(place, links[j]);
  std::vector<double> distribution(weights_);
  std::adjacent_difference(weights_.begin(), weights_.end(), distribution.begin());
  for (double& p : distribution) p /= weights_.back();
  return distribution;
}

std::vector<double> GibbsChain::conditional(GibbsStage stage, std::size_t k, std::size_t j) {
  return with_stage(stage, [&]<GibbsStage kStage>() { return this->conditional_of<kStage>(k, j); });
}

void GibbsChain::add_counts(double chains, GibbsCounts& counts) const {
  const auto share = [&](double count) { return static_cast<float>(count / chains); };
  for (std::uint32_t word = 0; word < pairs_.num_rows(); ++word) {
    pairs_.row(word).for_each([&](const LinkCount& entry) {
      if (entry.count > 0) counts.links.push_back({word, entry.key, share(entry.count)});
    });
  }
  counts.jumps.resize(jumps_.size(), 0);
  for (std::size_t d = 0; d < jumps_.size(); ++d)
    counts.jumps[d] += share(jumps_[d] - priors_.jump);
  counts.fertilities.resize(sources_.size(), {});
  for (std::size_t e = 0; e < sources_.size(); ++e) {
    for (std::size_t phi = 0; phi < kFertilities; ++phi)
      counts.fertilities[e][phi] += share(sources_[e].fertilities[phi]);
  }
}

}  // namespace coppice::align
