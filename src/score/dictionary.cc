#include "score/dictionary.h"

#include <tsl/robin_map.h>

#include <limits>

#include "coppice/base/error.h"

namespace coppice {

namespace {

struct Identity {  // keys are hashes already
  std::size_t operator()(std::uint64_t key) const noexcept { return key; }
};

}  // namespace

KeyFold::KeyFold(unsigned bits) {
  require(bits <= 32, "attribute keys of ", bits, " bits; at most 32, or 0 for whole keys");
  if (bits > 0) mask_ = (std::uint64_t{1} << bits) - 1;
}

struct AttributeDictionary::State {
  tsl::robin_map<std::uint64_t, std::uint32_t, Identity> ids;
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> counts;
};

AttributeDictionary::AttributeDictionary() : state_(std::make_unique<State>()) {}
AttributeDictionary::~AttributeDictionary() = default;
AttributeDictionary::AttributeDictionary(AttributeDictionary&&) noexcept = default;
AttributeDictionary& AttributeDictionary::operator=(AttributeDictionary&&) noexcept = default;

std::uint32_t AttributeDictionary::add(std::uint64_t key) {
  State& s = *state_;
  const auto next = static_cast<std::uint32_t>(s.keys.size());
  const auto [entry, is_new] = s.ids.try_emplace(key, next);
  if (is_new) {
    require(next < std::numeric_limits<std::uint32_t>::max(), "more than 2^32 attributes");
    s.keys.push_back(key);
    s.counts.push_back(0);
  }
  ++s.counts[entry->second];
  return entry->second;
}

std::size_t AttributeDictionary::size() const noexcept { return state_->keys.size(); }
const std::vector<std::uint64_t>& AttributeDictionary::keys() const noexcept {
  return state_->keys;
}
const std::vector<std::uint32_t>& AttributeDictionary::counts() const noexcept {
  return state_->counts;
}

}  // namespace coppice
