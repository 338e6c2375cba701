#include "chain/items.h"

#include <algorithm>
#include <string_view>

namespace coppice::chain {

namespace {

bool is_one_of(char prefix, std::string_view letters) {
  return letters.find(prefix) != std::string_view::npos;
}

// As conlleval decides. `next` has an item.
bool span_begins(const text::LabelParts& previous, const text::LabelParts& next) {
  return is_one_of(next.prefix, "BSU") || is_one_of(previous.prefix, "OELSU") ||
         previous.type != next.type;
}

}  // namespace

ItemRules::ItemRules(std::span<const std::string> labels, text::Scheme scheme)
    : num_labels_(labels.size()),
      counts_spans_(scheme != text::Scheme::kRaw),
      type_(num_labels_ + 1, kNoType),
      begins_((num_labels_ + 1) * (num_labels_ + 1), 0) {
  std::vector<text::LabelParts> parts(num_labels_ + 1);  // the boundary is as O
  for (std::size_t y = 0; y < num_labels_; ++y) {
    if (counts_spans_) parts[y] = text::split_label(labels[y]).value_or(text::LabelParts{});
    if (counts_spans_ && parts[y].prefix == 'O') continue;
    const auto same = std::find_if(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(y),
                                   [&](const text::LabelParts& other) {
                                     return other.prefix != 'O' && other.type == parts[y].type;
                                   });
    const auto first = static_cast<std::size_t>(same - parts.begin());
    type_[y] = static_cast<std::uint16_t>(counts_spans_ ? first : y);
  }
  for (std::size_t u = 0; u <= num_labels_; ++u) {
    for (std::size_t y = 0; y < num_labels_; ++y) {
      const bool begins = has_item(y) && (!counts_spans_ || span_begins(parts[u], parts[y]));
      begins_[u * (num_labels_ + 1) + y] = begins ? 1 : 0;
    }
  }
}

void GoldItems::assign(const ItemRules& rules, std::span<const std::uint16_t> gold) {
  const std::size_t length = gold.size();
  labels.assign(gold.begin(), gold.end());
  for (auto* flags : {&begins, &goes_on, &ends}) flags->resize(length);
  number = 0;
  unsigned char goes_on_after = 0;
  for (std::size_t t = length; t-- > 0;) {
    const bool has_item = rules.has_item(gold[t]);
    const bool begin = rules.begins(t == 0 ? rules.boundary() : gold[t - 1], gold[t]);
    begins[t] = begin ? 1 : 0;
    ends[t] = has_item && goes_on_after == 0 ? 1 : 0;
    goes_on[t] = goes_on_after = has_item && !begin ? 1 : 0;
    number += begins[t];
  }
}

ItemStep item_step(const ItemRules& rules, const GoldItems& gold, std::size_t token,
                   std::size_t previous, bool matching, std::size_t next) noexcept {
  ItemStep step;
  if (matching && rules.ends(previous, next)) step.n = gold.ends[token - 1];
  if (!rules.has_item(next)) return step;
  if (rules.begins(previous, next)) {
    step.d = 1;
    step.matching = gold.begins[token] != 0 && rules.type(gold.labels[token]) == rules.type(next);
  } else {
    step.matching = matching && gold.goes_on[token] != 0;
  }
  return step;
}

}  // namespace coppice::chain
