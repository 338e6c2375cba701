#include "coppice/lm/card.h"

#include <nlohmann/json.hpp>

#include "base/date.h"
#include "coppice/lm/model.h"

namespace coppice::lm {

namespace {

using CardJson = nlohmann::ordered_json;

CardJson card_of(unsigned order) {
  return {{"v", 1}, {"task", kTask}, {"date", today()}, {"order", order}};
}

}  // namespace

std::string training_card(const Training& training, const std::vector<LengthReport>& lengths,
                          const std::vector<std::string>& files) {
  CardJson card = card_of(training.options().order);
  card["smoothing"] = "interpolated modified Kneser-Ney";
  card["train"] = {{"files", files},
                   {"sentences", training.num_sentences()},
                   {"tokens", training.num_words()},
                   {"digest", training.digest()}};
  card["prune"] = training.options().prune;
  for (const LengthReport& length : lengths) {
    CardJson row = {
        {"seen", length.ngrams}, {"kept", length.kept}, {"discounts", length.discounts.amounts}};
    if (length.discounts.is_fallback) row["fallback"] = true;
    card["ngrams"].push_back(std::move(row));
  }
  return card.dump(2);
}

std::string conversion_card(const Ngrams& ngrams, const std::string& file) {
  CardJson card = card_of(ngrams.order());
  card["converted"] = file;
  for (unsigned length = 1; length <= ngrams.order(); ++length)
    card["ngrams"].push_back({{"kept", ngrams.count(length)}});
  return card.dump(2);
}

}  // namespace coppice::lm
