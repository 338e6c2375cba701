#include "coppice/base/log_file.h"

#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/io_failure.h"
#include "coppice/base/error.h"

namespace coppice {

LogFile::LogFile(std::string path, Opening opening) : path_(std::move(path)) {
  if (opening == Opening::kNew && std::filesystem::exists(path_)) {
    throw IoError("file exists", {.code = "E502",
                                  .where = {.file = path_},
                                  .help = "choose another name, or overwrite it with --force"});
  }
  const auto mode = opening == Opening::kAppend ? std::ios::app : std::ios::trunc;
  out_.open(path_, std::ios::binary | std::ios::out | mode);
  if (!out_) detail::fail_io(path_, "create");
}

void LogFile::add(std::string_view line) {
  out_ << line << '\n' << std::flush;
  if (!out_) detail::fail_io(path_, "write");
}

}  // namespace coppice
