// What an error says, as text, so that tests read like what a user sees.
#pragma once

#include <string>

#include "coppice/base/error.h"

namespace coppice::testing {

// "code place: message" of the coppice error that `action` throws, without the parts that are
// empty; "no error" when it throws none.
template <class Action>
std::string error_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    std::string text = error.code();
    const std::string place = to_string(error.where());
    if (!place.empty()) text += (text.empty() ? "" : " ") + place;
    return text + (text.empty() ? "" : ": ") + error.what();
  }
  return "no error";
}

}  // namespace coppice::testing
