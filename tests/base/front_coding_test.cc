// Strings come back as they were; damaged bytes are noticed or give other strings, and no more.
#include "base/front_coding.h"

#include <gtest/gtest.h>

#include <vector>

#include "coppice/base/random.h"

namespace coppice {
namespace {

std::vector<std::string> decoded(std::string_view bytes) {
  std::vector<std::string> texts;
  FrontDecoder decoder(bytes);
  while (decoder.next()) texts.emplace_back(decoder.text());
  EXPECT_FALSE(decoder.is_damaged());
  return texts;
}

TEST(FrontCoding, GivesEveryStringBack) {
  const std::vector<std::string> texts = {"",
                                          "w[0]=a",
                                          "w[0]=and",
                                          "w[0]=and",
                                          "w[0]",
                                          "x",
                                          std::string(300, 'y'),
                                          std::string("\0z", 2)};
  FrontCoder coder;
  for (const std::string& text : texts) coder.add(text);
  EXPECT_EQ(decoded(coder.bytes()), texts);
}

TEST(FrontCoding, WritesOnlyWhatIsNew) {
  FrontCoder coder;
  coder.add("w[-1]=dog");
  const std::size_t first = coder.bytes().size();
  coder.add("w[-1]=dogs");
  EXPECT_EQ(coder.bytes().size() - first, 3u);
}

TEST(FrontCoding, OfNothingIsNothing) { EXPECT_TRUE(decoded("").empty()); }

TEST(FrontCoding, NoticesWhatIsCutShort) {
  FrontCoder coder;
  coder.add("suffix");
  for (std::size_t length = 1; length < coder.bytes().size(); ++length) {
    FrontDecoder decoder(std::string_view(coder.bytes()).substr(0, length));
    EXPECT_FALSE(decoder.next());
    EXPECT_TRUE(decoder.is_damaged()) << length;
  }
}

TEST(FrontCoding, SurvivesAnyBytes) {
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes;
    for (std::uint64_t n = random.below(20); n > 0; --n) {
      bytes += static_cast<char>(random.below(random.below(2) == 0 ? 4 : 256));
    }
    FrontDecoder decoder(bytes);
    std::size_t total = 0;
    while (decoder.next()) total += decoder.text().size();
    EXPECT_LE(total, bytes.size() * bytes.size());
  }
}

}  // namespace
}  // namespace coppice
