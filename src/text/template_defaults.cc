#include "coppice/text/template_defaults.h"

#include "coppice/base/error.h"
#include "text/template_lexis.h"

namespace coppice::text {

namespace {

// W stands for the column of words.
constexpr std::string_view kOfWords = R"(
bias()
W[-2..2]
lower(W[-1..1])
W[-1]|W[0]
W[0]|W[1]
W[-1]|W[1]
prefix(lower(W[0]),1..4)
suffix(lower(W[0]),1..5)
suffix(lower(W[-1]),2..3)
suffix(lower(W[1]),2..3)
shape(W[0])
collapsed(W[-2..2])
collapsed(W[-1])|collapsed(W[0])
collapsed(W[0])|collapsed(W[1])
collapsed(W[-1])|collapsed(W[0])|collapsed(W[1])
class(W[-1..1])
length(W[0])
position()|collapsed(W[0])
)";

// T stands for a column of tags.
constexpr std::string_view kOfTags = R"(
T[-2..2]
T[-2]|T[-1]
T[-1]|T[0]
T[0]|T[1]
T[1]|T[2]
T[-2]|T[-1]|T[0]
T[-1]|T[0]|T[1]
T[0]|T[1]|T[2]
W[0]|T[0]
W[-1]|T[0]
W[0]|T[1]
)";

constexpr std::string_view kOfClasses = R"(
cluster(W[-2..2],classes)
cluster(W[-1],classes)|cluster(W[0],classes)
cluster(W[0],classes)|cluster(W[1],classes)
cluster(W[-1],classes)|cluster(W[1],classes)
cluster(W[-2],classes)|cluster(W[-1],classes)
cluster(W[1],classes)|cluster(W[2],classes)
cluster(W[-1],classes)|cluster(W[0],classes)|cluster(W[1],classes)
lower(W[0])|cluster(W[-1],classes)
lower(W[0])|cluster(W[1],classes)
cluster(W[0],classes,4)
cluster(W[-1..1],classes,6)
cluster(W[0],classes,8)
cluster(W[0],classes,12)
)";

constexpr std::string_view kChunking = R"(
columns w pos
outside omit
w[-2..2]
w[-1]|w[0]
w[0]|w[1]
pos[-2..2]
pos[-2]|pos[-1]
pos[-1]|pos[0]
pos[0]|pos[1]
pos[1]|pos[2]
pos[-2]|pos[-1]|pos[0]
pos[-1]|pos[0]|pos[1]
pos[0]|pos[1]|pos[2]
first()
last()
transition
)";

std::string with_columns(std::string_view text, const std::string& word, const std::string& tag) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool column = i + 1 < text.size() && text[i + 1] == '[';
    if (column && text[i] == 'W') {
      out += word;
    } else if (column && text[i] == 'T') {
      out += tag;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

TemplateSet default_templates(std::span<const std::string> columns,
                              const std::string& classes_path) {
  require(!columns.empty(), "default_templates: no column of words");
  const std::string word = quoted_name(columns.front());
  std::string text = with_columns(kOfWords, word, "");
  for (const std::string& tag : columns.subspan(1)) {
    text += with_columns(kOfTags, word, quoted_name(tag));
  }
  if (!classes_path.empty()) {
    text += concat("classes ", kClasses, " = ", quoted_path(classes_path), "\n",
                   with_columns(kOfClasses, word, ""));
  }
  text += "transition\n";
  return parse_templates(text, {.columns = {columns.begin(), columns.end()}});
}

TemplateSet crfsuite_chunking_templates() { return parse_templates(kChunking); }

}  // namespace coppice::text
