#include "coppice/learn/training_card.h"

#include <type_traits>

#include "base/date.h"
#include "learn/option_values.h"

namespace coppice::learn {

namespace {

using nlohmann::ordered_json;

// Entries within entries are a level or two deep: that is up to tasks, not to data.
void add_entries(const CardEntries& entries, ordered_json& object) {
  for (const auto& [key, value] : entries) {
    std::visit(
        [&, &name = key](const auto& plain) {
          if constexpr (std::is_same_v<std::decay_t<decltype(plain)>, CardEntries>) {
            add_entries(plain, object[name] = ordered_json::object());
          } else {
            object[name] = plain;
          }
        },
        value);
  }
}

}  // namespace

ordered_json option_values(std::span<const Option> options) {
  const auto to_json = [](const auto* value) -> ordered_json {
    if constexpr (requires { value->has_value(); }) {
      return value->has_value() ? ordered_json(**value) : ordered_json();
    } else {
      return *value;
    }
  };
  ordered_json values;
  for (const Option& option : options) {
    if (option.name == "train" || option.name == "dev") continue;
    values[option.name] = std::visit(to_json, option.value);
  }
  return values;
}

std::string card_text(const TrainingCard& card) {
  ordered_json object{{"v", 1}, {"task", card.task}, {"date", today()}};
  add_entries({{"train", card.train}}, object);
  object["options"] = option_values(card.options);
  add_entries(card.entries, object);
  if (!card.development.empty()) add_entries({{"development", card.development}}, object);
  return object.dump(2);
}

}  // namespace coppice::learn
