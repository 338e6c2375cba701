// What a model says of its training: a JSON object for people, no part of the model's identity.
//
//     {"v": 1, "task": "tag", "date": "2026-11-18",
//      "train": {"files": ["train.conll"], "sentences": 14041, "tokens": 203621, "digest": "..."},
//      "options": {...every option that shapes the model, with its value...},
//      ...entries of the task...,
//      "development": {"file": "dev.conll", "sentences": 3250, "digest": "...", "f1": 0.909}}
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "coppice/base/option.h"

namespace coppice::learn {

struct CardEntry;
using CardEntries = std::vector<CardEntry>;

struct CardEntry {
  std::string key;
  std::variant<bool, std::uint64_t, double, std::string, std::vector<std::string>, CardEntries>
      value;
};

struct TrainingCard {
  std::string task;
  CardEntries train;
  // The task's own, in their order. --train and --dev are left out: `train` and `development` tell.
  std::span<const Option> options;
  CardEntries entries;
  CardEntries development;  // empty: there was none
};

// The card of a training that ends today.
std::string card_text(const TrainingCard& card);

}  // namespace coppice::learn
