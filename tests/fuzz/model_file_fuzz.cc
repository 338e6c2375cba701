// Any bytes: a model file is refused with ModelError, or read, written and read again as the same.
// Every input is tried as it is, and with checksums that fit it, to reach what stands behind them.
#include <sstream>
#include <string>
#include <utility>

#include "coppice/base/error.h"
#include "coppice/base/model_file.h"
#include "fuzz/property.h"
#include "support/model_bytes.h"

namespace {

using coppice::ModelFile;
using coppice::SectionInfo;
using coppice::testing::fuzz_require;

ModelFile from(const std::string& bytes, coppice::Verify verify) {
  return ModelFile::from_bytes(std::as_bytes(std::span(bytes)), "fuzz", verify);
}

std::string written_again(const ModelFile& model) {
  coppice::ModelWriter writer(model.task());
  for (const SectionInfo& section : model.sections())
    writer.add_section(section.name, model.bytes(section.name),
                       {.codec = section.codec, .hashed = section.hashed});
  fuzz_require(writer.payload_digest() == model.payload_digest(), "the identity is kept");
  std::ostringstream out;
  writer.write(out);
  return std::move(out).str();
}

void read(const std::string& bytes, coppice::Verify verify) {
  try {
    const ModelFile model = from(bytes, verify);
    for (const SectionInfo& section : model.sections()) {
      try {
        fuzz_require(model.bytes(section.name).size() == section.size, "a size is as announced");
      } catch (const coppice::ModelError& error) {
        fuzz_require(!error.code().empty(), "an error has a code");
      }
    }
    model.verify();
    const std::string written = written_again(model);
    const ModelFile again = from(written, verify);
    for (const SectionInfo& section : model.sections())
      fuzz_require(again.text(section.name) == model.text(section.name), "contents are kept");
    fuzz_require(written_again(again) == written, "what is read is written as the same bytes");
  } catch (const coppice::ModelError& error) {
    fuzz_require(!error.code().empty(), "an error has a code");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  read(bytes, coppice::Verify::kAtOpen);
  read(coppice::testing::resealed(bytes), coppice::Verify::kOnAccess);
  return 0;
}
