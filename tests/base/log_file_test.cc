#include "coppice/base/log_file.h"

#include <gtest/gtest.h>

#include "coppice/base/error.h"
#include "coppice/base/file.h"
#include "support/temporary_directory.h"

namespace coppice {
namespace {

TEST(LogFile, IsThereLineByLine) {
  const testing::TemporaryDirectory dir;
  LogFile log(dir.file("a"), LogFile::Opening::kNew);
  log.add("one");
  EXPECT_EQ(read_file(dir.file("a")), "one\n");
  log.add("two");
  EXPECT_EQ(read_file(dir.file("a")), "one\ntwo\n");
}

TEST(LogFile, GoesOnOrBeginsAnewAsAsked) {
  const testing::TemporaryDirectory dir;
  const std::string path = dir.write("a", "old\n");
  EXPECT_THROW(LogFile(path, LogFile::Opening::kNew), IoError);
  LogFile(path, LogFile::Opening::kAppend).add("more");
  EXPECT_EQ(read_file(path), "old\nmore\n");
  LogFile(path, LogFile::Opening::kReplace).add("new");
  EXPECT_EQ(read_file(path), "new\n");
  EXPECT_THROW(LogFile(dir.file("no/such/place"), LogFile::Opening::kNew), IoError);
}

}  // namespace
}  // namespace coppice
