#include "coppice/base/symbols.h"

#include <functional>
#include <limits>

#include "coppice/base/error.h"

namespace coppice {

namespace {

constexpr std::uint32_t kFree = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kFirstSlots = 16;

}  // namespace

SymbolId Symbols::add(std::string_view text) {
  if (2 * (size() + 1) > slots_.size()) grow();
  const std::size_t slot = slot_of(text);
  if (slots_[slot] != kFree) return static_cast<SymbolId>(slots_[slot]);
  require(size() < kFree, "symbols: more than ", kFree, " strings");
  const auto id = static_cast<std::uint32_t>(size());
  text_.append(text);
  begin_.push_back(text_.size());
  slots_[slot] = id;
  return static_cast<SymbolId>(id);
}

std::optional<SymbolId> Symbols::find(std::string_view text) const noexcept {
  if (slots_.empty()) return std::nullopt;
  const std::uint32_t id = slots_[slot_of(text)];
  if (id == kFree) return std::nullopt;
  return static_cast<SymbolId>(id);
}

std::size_t Symbols::slot_of(std::string_view text) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = std::hash<std::string_view>{}(text)&mask;
  while (slots_[slot] != kFree && (*this)[static_cast<SymbolId>(slots_[slot])] != text) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

void Symbols::grow() {
  slots_.assign(slots_.empty() ? kFirstSlots : 2 * slots_.size(), kFree);
  for (SymbolId id : ids()) slots_[slot_of((*this)[id])] = static_cast<std::uint32_t>(index(id));
}

}  // namespace coppice
