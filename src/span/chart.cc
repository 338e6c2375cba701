#include "span/chart.h"

#include <algorithm>
#include <utility>

#include "coppice/base/error.h"

namespace coppice::span {

namespace {

// Everything that begins with `word`: it, and the left sides of the rules that begin with these.
void add_upward(const RuleIndex& rules, SymbolId word, SymbolSet& set) {
  std::vector<SymbolId> queue{word};
  set.insert(word);
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (SymbolId left : rules.begun_by(queue[i])) {
      if (set.insert(left)) queue.push_back(left);
    }
  }
}

// The left corners of `symbol`, itself included, as far as they are in `allowed`.
void add_downward(const RuleIndex& rules, SymbolId symbol, const SymbolSet& allowed,
                  SymbolSet& set) {
  if (!allowed.contains(symbol) || !set.insert(symbol)) return;
  std::vector<SymbolId> queue{symbol};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (SymbolId corner : rules.left_corners(queue[i])) {
      if (allowed.contains(corner) && set.insert(corner)) queue.push_back(corner);
    }
  }
}

}  // namespace

Chart::Chart(const Grammar& grammar, const RuleIndex& rules, SymbolId start,
             std::span<const SymbolId> words, std::size_t max_edges)
    : grammar_(grammar),
      rules_(rules),
      start_(start),
      words_(words),
      max_edges_(max_edges),
      waiting_(words.size()),
      can_begin_(0),
      arrivals_(words.size()),
      item_of_(rules.num_states(), kNoLink),
      links_of_(rules.num_symbols(), kNoLink),
      is_queued_(rules.num_symbols()) {
  const auto length = static_cast<std::uint32_t>(words.size());
  for (std::uint32_t position = 0; position < length; ++position) {
    can_begin_ = SymbolSet(rules_.num_symbols());
    add_upward(rules_, words_[position], can_begin_);
    if (position > 0) read_word(position);
    if (position > 0 && waiting_[position].empty()) return;  // nobody can go on: no parse
    prepare_position(position);
  }
  read_word(length);
}

void Chart::prepare_position(std::uint32_t position) {
  SymbolSet& wanted = wanted_.emplace_back(rules_.num_symbols());
  if (position == 0) {
    add_downward(rules_, start_, can_begin_, wanted);
    return;
  }
  auto& waiting = waiting_[position];
  std::sort(waiting.begin(), waiting.end());
  for (const Waiting& entry : waiting) add_downward(rules_, entry.symbol, can_begin_, wanted);
}

// Fills the cells that end at `end`, the shortest spans first.
void Chart::read_word(std::uint32_t end) {
  begins_.push(end - 1);
  while (!begins_.empty()) {
    const std::uint32_t begin = begins_.top();
    begins_.pop();
    close_cell(begin, end);
  }
}

void Chart::close_cell(std::uint32_t begin, std::uint32_t end) {
  const std::size_t first = items_.size();
  if (begin + 1 == end && wanted_[begin].contains(words_[begin])) {
    add_item(state_of(words_[begin]), begin, end);
  }
  add_arrivals(begin, end);
  add_constituents(begin, end, first);
  advance(first);
  if (end < words_.size()) wait(first);
}

void Chart::add_arrivals(std::uint32_t begin, std::uint32_t end) {
  const std::size_t first = items_.size();
  for (const Arrival& arrival : arrivals_[begin]) {
    std::uint32_t& known = item_of_[arrival.state];
    if (known == kNoLink) known = static_cast<std::uint32_t>(add_item(arrival.state, begin, end));
    Item& item = items_[static_cast<ItemId>(known)];
    item.first_link =
        add_link(static_cast<std::uint32_t>(arrival.left), arrival.right, item.first_link);
  }
  arrivals_[begin].clear();
  for (std::size_t i = first; i < items_.size(); ++i) {
    item_of_[items_[static_cast<ItemId>(i)].state] = kNoLink;
  }
}

// Applies all rules whose right sides are complete, unary chains included: a symbol leaves the
// queue after every symbol that it can be built of by unary rules (cycles excepted).
void Chart::add_constituents(std::uint32_t begin, std::uint32_t end, std::size_t first) {
  const std::size_t last = items_.size();
  for (std::size_t i = first; i < last; ++i) complete(static_cast<ItemId>(i));
  while (!queue_.empty()) {
    const SymbolId symbol = queue_.top().symbol;
    queue_.pop();
    complete(add_item(state_of(symbol), begin, end));
  }
  for (std::size_t i = last; i < items_.size(); ++i) {
    Item& item = items_[static_cast<ItemId>(i)];
    const auto symbol = static_cast<SymbolId>(item.state);
    item.first_link = std::exchange(links_of_[symbol], kNoLink);
    is_queued_.erase(symbol);
    if (begin == 0 && end == words_.size() && symbol == start_) {
      goal_ = static_cast<ItemId>(i);
    }
  }
}

void Chart::complete(ItemId id) {
  const Item item = items_[id];
  for (RuleId rule : rules_.completed(item.state)) {
    const SymbolId left = grammar_.left(rule);
    if (!wanted_[item.begin].contains(left)) continue;
    count_edge();
    links_of_[left] = add_link(static_cast<std::uint32_t>(rule), id, links_of_[left]);
    if (is_queued_.insert(left)) queue_.push({rules_.unary_order().component(left), left});
  }
}

// Every new constituent meets those that wait for it.
void Chart::advance(std::size_t first) {
  for (std::size_t i = first; i < items_.size(); ++i) {
    const auto id = static_cast<ItemId>(i);
    const Item& item = items_[id];
    if (!rules_.is_symbol(item.state)) continue;
    const bool is_last = item.end == words_.size();
    for (const Waiting& entry : waiting_for(static_cast<SymbolId>(item.state), item.begin)) {
      if (is_last && rules_.completed(entry.next).empty()) continue;  // no words to go on with
      auto& arrivals = arrivals_[items_[entry.item].begin];
      if (arrivals.empty()) begins_.push(items_[entry.item].begin);
      arrivals.push_back({entry.next, entry.item, id});
      count_edge();
    }
  }
}

void Chart::wait(std::size_t first) {
  for (std::size_t i = first; i < items_.size(); ++i) {
    const auto id = static_cast<ItemId>(i);
    const Item& item = items_[id];
    for (const RuleIndex::Step& step : rules_.steps(item.state)) {
      if (can_begin_.contains(step.symbol)) {
        waiting_[item.end].push_back({step.symbol, id, step.next});
      }
    }
  }
}

ItemId Chart::add_item(StateId state, std::uint32_t begin, std::uint32_t end) {
  const auto id = static_cast<ItemId>(items_.size());
  items_.push_back({state, begin, end});
  return id;
}

// At once when an edge is found, so that arrivals count before they become links.
void Chart::count_edge() {
  if (num_edges_++ < max_edges_) return;
  throw Error(concat("the chart of this sentence of ", words_.size(), " words needs more than ",
                     max_edges_, " edges"),
              {.code = "E332", .help = "raise the limit on edges, or split the sentence"});
}

std::uint32_t Chart::add_link(std::uint32_t left, ItemId right, std::uint32_t next) {
  links_.push_back({left, right, next});
  return static_cast<std::uint32_t>(links_.size() - 1);
}

std::span<const Chart::Waiting> Chart::waiting_for(SymbolId symbol, std::uint32_t position) const {
  const auto& all = waiting_[position];
  const auto before = [](const Waiting& entry, SymbolId key) { return entry.symbol < key; };
  const auto after = [](SymbolId key, const Waiting& entry) { return key < entry.symbol; };
  const auto begin = std::lower_bound(all.begin(), all.end(), symbol, before);
  const auto end = std::upper_bound(begin, all.end(), symbol, after);
  return {all.data() + (begin - all.begin()), static_cast<std::size_t>(end - begin)};
}

}  // namespace coppice::span
