// Patterns of labels, for rules that people write: B-*, *, I-LOC.
//
// `*` stands for any run of characters, also none; a backslash makes the next character an
// ordinary one (`\*` is the label "*"). Everything else stands for itself.
// Cost: pattern length times label length at the worst.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace coppice::chain {

bool matches(std::string_view pattern, std::string_view label) noexcept;

// The numbers of the labels that match, in order.
std::vector<std::size_t> matching(std::string_view pattern, const std::vector<std::string>& labels);

}  // namespace coppice::chain
