// Text inside XML and HTML.
#pragma once

#include <string>
#include <string_view>

namespace coppice {

// The text for an element or for an attribute between double quotes: <, >, &, " escaped; control
// characters, which XML forbids, and bytes that are no UTF-8 become U+FFFD.
std::string escape_xml(std::string_view text);

}  // namespace coppice
