// A file that grows line by line while others may read it: a log, unlike the files of base/file.h,
// which appear whole.
#pragma once

#include <fstream>
#include <string>
#include <string_view>

namespace coppice {

class LogFile {
 public:
  enum class Opening { kNew, kReplace, kAppend };

  // Throws IoError: E502 when the file exists and must be new, E501 when it cannot be written.
  LogFile(std::string path, Opening opening);

  // Adds the line and its end, and flushes. Throws IoError (E501).
  void add(std::string_view line);

 private:
  std::string path_;
  std::ofstream out_;
};

}  // namespace coppice
