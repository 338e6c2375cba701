#include "lm/ngram_sorter.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include "lm/radix_sort.h"

namespace coppice::lm {

namespace {

constexpr std::size_t kFewestRecords = 256;  // of a block, however little memory there is
constexpr std::size_t kMaxReadBytes = std::size_t{1} << 20;

// The places of a record's words, the most significant first.
struct SortKey {
  SortKey(unsigned length, NgramOrder order) : size(length) {
    std::iota(places.begin(), places.begin() + length, std::size_t{0});
    if (order == NgramOrder::kContext)
      std::rotate(places.begin(), places.begin() + 1, places.begin() + length);
  }
  std::span<const std::size_t> span() const { return {places.data(), size}; }

  // Negative, 0 or positive.
  int compare(const Word* a, const Word* b) const noexcept {
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t place = places[i];
      if (a[place] != b[place]) return a[place] < b[place] ? -1 : 1;
    }
    return 0;
  }

  std::array<std::size_t, kMaxOrder> places{};
  std::size_t size;
};

struct Run {
  std::uint64_t begin;
  std::uint64_t end;
};

}  // namespace

void add_counts(Word* kept, const Word* other, unsigned length) {
  put_count(kept + length, count_at(kept + length) + count_at(other + length));
}

struct SortedNgrams::State {
  State(unsigned ngram_length, NgramOrder order, Combine how, Workspace space)
      : length(ngram_length), key(ngram_length, order), combine(how), workspace(std::move(space)) {}

  std::size_t stride() const noexcept { return length + kPayloadWords; }
  std::size_t num_records() const noexcept { return records.size() / stride(); }

  // Sorts the first `used` words, combines equals, and returns how many words are left.
  std::size_t sort_block(std::size_t used) {
    radix_sort(std::span(records).first(used), std::span(scratch), stride(), key.span());
    if (combine == nullptr || used == 0) return used;
    std::size_t kept = 0;
    for (std::size_t at = stride(); at < used; at += stride()) {
      if (std::equal(&records[kept], &records[kept] + length, &records[at])) {
        combine(&records[kept], &records[at], length);
      } else {
        kept += stride();
        if (kept != at) std::memcpy(&records[kept], &records[at], stride() * sizeof(Word));
      }
    }
    return kept + stride();
  }

  void spill(std::size_t used) {
    if (!file) file.emplace(workspace.folder);
    const std::uint64_t begin = file->size();
    file->append(std::as_bytes(std::span(records).first(used)));
    runs.push_back({begin, file->size()});
  }

  unsigned length;
  SortKey key;
  Combine combine;
  Workspace workspace;
  std::vector<Word> records{};  // all of them, when there are no runs
  std::vector<Word> scratch{};
  std::vector<Run> runs{};
  std::optional<SpillFile> file{};
};

// A heap of runs by their next records; equals come in the order of the runs.
struct SortedNgrams::Reader::Merge {
  struct Cursor {
    Run run;  // what is still on disk
    std::vector<Word> buffer;
    std::size_t at = 0;
    const Word* record() const noexcept { return &buffer[at]; }
  };

  auto later(const State& state) const {
    return [this, &state](std::size_t a, std::size_t b) {
      const int order = state.key.compare(cursors[a].record(), cursors[b].record());
      return order != 0 ? order > 0 : a > b;
    };
  }

  explicit Merge(const State& state) : stride(state.stride()), current(stride) {
    const std::size_t room = static_cast<std::size_t>(state.workspace.memory) / state.runs.size();
    const std::size_t record_bytes = stride * sizeof(Word);
    records_read = std::max<std::size_t>(16, std::min(room, kMaxReadBytes) / record_bytes);
    for (const Run& run : state.runs) {
      cursors.push_back({.run = run, .buffer = {}});
      if (fill(state, cursors.back())) heap.push_back(cursors.size() - 1);
    }
    std::ranges::make_heap(heap, later(state));
  }

  bool fill(const State& state, Cursor& cursor) const {
    const std::uint64_t words =
        std::min<std::uint64_t>(records_read * stride, (cursor.run.end - cursor.run.begin) / 4);
    cursor.buffer.resize(static_cast<std::size_t>(words));
    cursor.at = 0;
    state.file->read(cursor.run.begin, std::as_writable_bytes(std::span(cursor.buffer)));
    cursor.run.begin += words * sizeof(Word);
    return words > 0;
  }

  // Copies the first record of all to `to` and moves on behind it.
  void take(const State& state, Word* to) {
    std::ranges::pop_heap(heap, later(state));
    Cursor& cursor = cursors[heap.back()];
    std::memcpy(to, cursor.record(), stride * sizeof(Word));
    cursor.at += stride;
    if (cursor.at == cursor.buffer.size() && !fill(state, cursor)) {
      heap.pop_back();
    } else {
      std::ranges::push_heap(heap, later(state));
    }
  }

  const Word* next(const State& state) {
    if (heap.empty()) return nullptr;
    take(state, current.data());
    std::vector<Word>& equal = other;
    equal.resize(stride);
    while (state.combine != nullptr && !heap.empty() &&
           state.key.compare(cursors[heap.front()].record(), current.data()) == 0) {
      take(state, equal.data());
      state.combine(current.data(), equal.data(), state.length);
    }
    return current.data();
  }

  std::size_t stride;
  std::size_t records_read = 0;
  std::vector<Cursor> cursors{};
  std::vector<std::size_t> heap{};
  std::vector<Word> current;
  std::vector<Word> other{};
};

SortedNgrams::Reader::Reader(std::shared_ptr<const State> state) : state_(std::move(state)) {
  if (state_ && !state_->runs.empty()) merge_ = std::make_unique<Merge>(*state_);
}
SortedNgrams::Reader::~Reader() = default;
SortedNgrams::Reader::Reader(Reader&&) noexcept = default;
SortedNgrams::Reader& SortedNgrams::Reader::operator=(Reader&&) noexcept = default;

const Word* SortedNgrams::Reader::next() {
  if (merge_) return merge_->next(*state_);
  if (!state_ || at_ == state_->records.size()) return nullptr;
  const Word* const record = &state_->records[at_];
  at_ += state_->stride();
  return record;
}

std::uint64_t SortedNgrams::count() const {
  if (!state_) return 0;
  if (state_->runs.empty()) return state_->num_records();
  std::uint64_t count = 0;
  for (Reader reader = read(); reader.next() != nullptr;) ++count;
  return count;
}

NgramSorter::NgramSorter(unsigned length, NgramOrder order, Combine combine, Workspace workspace)
    : state_(std::make_shared<SortedNgrams::State>(length, order, combine, std::move(workspace))),
      stride_(state_->stride()),
      // Half of the memory is for the scratch space of sorting.
      most_(stride_ * std::max<std::size_t>(kFewestRecords,
                                            static_cast<std::size_t>(state_->workspace.memory) /
                                                (2 * stride_ * sizeof(Word)))) {}
NgramSorter::~NgramSorter() = default;
NgramSorter::NgramSorter(NgramSorter&&) noexcept = default;
NgramSorter& NgramSorter::operator=(NgramSorter&&) noexcept = default;

void NgramSorter::make_room() {
  std::vector<Word>& records = state_->records;
  if (records.size() < most_) {
    records.resize(std::min(most_, std::max(kFewestRecords * stride_, 2 * records.size())));
  } else {
    state_->scratch.resize(most_);
    used_ = state_->sort_block(used_);
    // Where many were equal there is room again.
    if (used_ > most_ / 2) {
      state_->spill(used_);
      used_ = 0;
    }
  }
  begin_ = records.data();
  room_ = records.size();
}

SortedNgrams NgramSorter::finish() {
  state_->scratch.resize(used_);
  used_ = state_->sort_block(used_);
  state_->scratch = {};
  if (state_->runs.empty()) {
    state_->records.resize(used_);
  } else {
    state_->spill(used_);
    state_->records = {};
  }
  return SortedNgrams(std::exchange(state_, nullptr));
}

}  // namespace coppice::lm
