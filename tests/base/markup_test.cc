#include "coppice/base/markup.h"

#include <gtest/gtest.h>

namespace coppice {
namespace {

TEST(EscapeXml, LeavesNothingThatMarkupWouldRead) {
  EXPECT_EQ(escape_xml("<b a=\"1\">R&D</b>"), "&lt;b a=&quot;1&quot;&gt;R&amp;D&lt;/b&gt;");
  EXPECT_EQ(escape_xml("Z\xc3\xbcrich's \xf0\x9f\x8c\xb3"), "Z\xc3\xbcrich's \xf0\x9f\x8c\xb3");
  EXPECT_EQ(escape_xml(""), "");
}

TEST(EscapeXml, ReplacesWhatNoPageMayHold) {
  EXPECT_EQ(escape_xml(std::string_view("a\0b\x1b\x7f", 5)),
            "a\xef\xbf\xbd"
            "b\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(escape_xml("\xc2\x85"), "\xef\xbf\xbd");              // a C1 control
  EXPECT_EQ(escape_xml("\xff<"), "\xef\xbf\xbd&lt;");             // no UTF-8
  EXPECT_EQ(escape_xml("\xc3<"), "\xef\xbf\xbd&lt;");             // cut off
  EXPECT_EQ(escape_xml("\xc0\xbc"), "\xef\xbf\xbd\xef\xbf\xbd");  // an overlong <
}

}  // namespace
}  // namespace coppice
