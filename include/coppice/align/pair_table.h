// A sparse matrix of words by words: an entry for each pair of a target and a source word that
// has something to be remembered.
//
// The entries of a target word stand together, in a hash table of their own with open addressing:
// aligners ask for one target word and all words of the source sentence, and find them in one or
// two cache lines. An `Entry` is a plain struct whose member `key` is the source word.
//
// At most one slot in kRoom is used: more room, fewer collisions. Entries that are free are those
// of Entry{} but for their key.
//
// Cost: find takes one comparison on average, insert is amortised O(1); memory for kRoom to
// 2 kRoom entries for each that is used.
// Threads: find may run in several threads at once; what it returns stays where it is until insert.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace coppice::align {

template <class Entry, std::size_t kRoom = 2>
class PairTable {
  static_assert(kRoom >= 2);

 public:
  // No word has this number.
  static constexpr std::uint32_t kNoKey = std::numeric_limits<std::uint32_t>::max();

  // The entries of one target word.
  class Row {
   public:
    // Null where there is none.
    const Entry* find(std::uint32_t key) const noexcept {
      if (slots_.empty()) return nullptr;
      const Entry& slot = slots_[slot_of(key)];
      return slot.key == key ? &slot : nullptr;
    }
    Entry* find(std::uint32_t key) noexcept {
      return const_cast<Entry*>(std::as_const(*this).find(key));
    }
    bool empty() const noexcept { return slots_.empty(); }
    // Asks for the memory where the key belongs, so that a later find does not wait for it.
    void prefetch(std::uint32_t key) const noexcept {
      if (!slots_.empty()) __builtin_prefetch(&slots_[first_slot(key)]);
    }
    // The entry of the key, or a free one. For inner loops. Requires a row that is not empty.
    const Entry& find_or_free(std::uint32_t key) const noexcept {
      const Entry& first = slots_[first_slot(key)];
      if ((first.key == key) | (first.key == kNoKey)) [[likely]]
        return first;
      return slots_[slot_of(key)];
    }

    // The entry of the key; a new one is Entry{.key = key}. When the table has no more room it is
    // laid out again, and loses the entries for which is_empty(entry).
    template <class IsEmpty>
    Entry& insert(std::uint32_t key, const IsEmpty& is_empty) {
      if (Entry* found = find(key)) return *found;
      if (kRoom * (used_ + 1) > slots_.size()) grow(is_empty);
      ++used_;
      Entry& slot = slots_[slot_of(key)];
      slot.key = key;
      return slot;
    }

    template <class Visit>
    void for_each(const Visit& visit) {
      for (Entry& slot : slots_)
        if (slot.key != kNoKey) visit(slot);
    }
    template <class Visit>
    void for_each(const Visit& visit) const {
      for (const Entry& slot : slots_)
        if (slot.key != kNoKey) visit(slot);
    }

   private:
    std::size_t first_slot(std::uint32_t key) const noexcept { return key * 0x9e3779b1u >> shift_; }

    // Requires a free slot.
    std::size_t slot_of(std::uint32_t key) const noexcept {
      const std::size_t mask = slots_.size() - 1;
      std::size_t at = first_slot(key);
      while (slots_[at].key != key && slots_[at].key != kNoKey) at = (at + 1) & mask;
      return at;
    }

    template <class IsEmpty>
    void grow(const IsEmpty& is_empty) {
      std::size_t left = 1;
      for_each([&](const Entry& entry) { left += is_empty(entry) ? 0 : 1; });
      std::size_t size = 2 * kRoom;
      // With room for some more, or the next insert would be here again.
      while (2 * size < (2 * kRoom + 1) * left) size *= 2;
      std::vector<Entry> old = std::exchange(slots_, {});
      Entry free{};
      free.key = kNoKey;
      slots_.assign(size, free);
      for (shift_ = 32; size > 1; size /= 2) --shift_;
      used_ = 0;
      for (const Entry& entry : old) {
        if (entry.key == kNoKey || is_empty(entry)) continue;
        slots_[slot_of(entry.key)] = entry;
        ++used_;
      }
    }

    std::vector<Entry> slots_;  // a power of two of them
    std::size_t used_ = 0;
    unsigned shift_ = 30;
  };

  explicit PairTable(std::size_t num_targets = 0) : rows_(num_targets) {}

  std::size_t num_rows() const noexcept { return rows_.size(); }
  Row& row(std::uint32_t target) noexcept { return rows_[target]; }
  const Row& row(std::uint32_t target) const noexcept { return rows_[target]; }

 private:
  std::vector<Row> rows_;
};

}  // namespace coppice::align
