// The register of error codes. A code, once published, keeps its meaning.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace coppice::cli {

struct CodeEntry {
  std::string_view code;
  std::string_view title;
  std::string_view explanation;  // paragraphs, wrapped for the reader
  std::string_view example;      // lines, shown as they are
};

// In the order of the codes.
std::span<const CodeEntry> all_codes();

// The entry of a code such as "E203" (in either case), or null.
const CodeEntry* find_code(std::string_view code);

// What `coppice help E203` prints.
std::string code_text(const CodeEntry& entry);

}  // namespace coppice::cli
