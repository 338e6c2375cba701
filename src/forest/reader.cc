#include "coppice/forest/reader.h"

#include <string_view>
#include <utility>

#include "coppice/base/file.h"
#include "coppice/forest/binary.h"
#include "coppice/forest/json.h"

namespace coppice {

std::unique_ptr<ForestReader> open_forests(const std::string& path) {
  LineReader file(path);
  const std::string_view magic(reinterpret_cast<const char*>(kForestMagic), sizeof kForestMagic);
  if (file.peek(magic.size()) != magic) return read_forest_json(std::move(file));
  if (file.is_mappable()) return read_forest_binary(MappedFile(path), path);
  return read_forest_binary(std::move(file));
}

}  // namespace coppice
