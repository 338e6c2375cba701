// Any text is a template set or a ParseError; a set prints back as itself and extracts.
#include <string>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/text/extractor.h"
#include "fuzz/property.h"
#include "text/template_import.h"

using namespace coppice::text;  // NOLINT(google-build-using-namespace)

namespace {

using coppice::testing::fuzz_require;

void check(const TemplateSet& set) {
  fuzz_require(parse_templates(to_text(set)) == set, "a set prints back as itself");
  ResourceTexts resources;
  for (const Resource& resource : set.resources) resources[resource.name] = "a\tb\n";
  Extractor extractor(set, resources);
  if (extractor.columns_read() > 8) return;
  const std::vector<std::string_view> cells(24, "1");
  Attributes out;
  extractor.extract({.cells = cells, .columns = 8}, out, Origins::kRecord);
  for (std::size_t a = 0; a < out.states.offsets[1]; ++a) {
    const Cells table{.cells = cells, .columns = 8};
    const auto name = extractor.name(out.states.templates[a], table, 0);
    fuzz_require(name.has_value(), "every attribute has a name");
    fuzz_require(extractor.key(*name) == out.states.keys[a], "a name leads to its key");
  }
}

template <class Read>
void read(Read reader, std::string_view text) {
  const TemplateSource source;  // g++ 12 fails on a temporary in its place
  try {
    check(reader(text, source));
  } catch (const coppice::ParseError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read(parse_templates, text);
  read(import_crfpp_templates, text);
  read(import_wapiti_patterns, text);
  return 0;
}
