// The second half of reading a JSON line: the lists, complete now, become a sentence.
#include "coppice/base/error.h"
#include "coppice/text/brackets.h"
#include "coppice/text/spans.h"
#include "text/json_record.h"
#include "text/lines.h"

namespace coppice::text {

bool JsonRecordHandler::check_lengths() {
  const std::size_t tokens = builder_.num_tokens();
  const auto differs = [&](const char* key, std::size_t size) {
    return fail("E243", concat("\"", key, "\" has ", size, " members for ", tokens, " tokens"));
  };
  if (has_tags_ && builder_.num_tags() != tokens) return differs("tags", builder_.num_tags());
  if (has_attributes_ && builder_.num_attribute_lists() != tokens) {
    return differs("attributes", builder_.num_attribute_lists());
  }
  for (const Span& span : spans_) {
    if (!span.start || !span.end || !span.label) {
      return fail("E241", "a span lacks its start, its end or its label");
    }
    if (*span.start >= *span.end || *span.end > tokens) {
      return fail("E241",
                  concat("span [", *span.start, ", ", *span.end,
                         ") is empty or passes the end of a sentence of ", tokens, " tokens"));
    }
  }
  return true;
}

bool JsonRecordHandler::finish() {
  const bool has_tokens = (fields_seen_ & (1U << static_cast<unsigned>(Field::kTokens))) != 0;
  if (!has_tokens) return fail("E242", "the record has no \"tokens\"");
  if (!check_lengths()) return false;
  if (!has_tags_ && has_spans_ && !tags_from_spans()) return false;
  if (!brackets_.empty() && !take_tree()) return false;
  builder_.finish({.line = line_number_,
                   .has_tags = has_tags_ || has_spans_,
                   .has_attributes = has_attributes_});
  return true;
}

// The tree, whose words but empty elements must be the tokens.
bool JsonRecordHandler::take_tree() {
  try {
    tree_ = parse_tree(brackets_);
  } catch (const ParseError& error) {
    return fail("E253", concat("the value of \"tree\" is no tree: ", error.what()));
  }
  std::size_t token = 0;
  for (std::size_t node = 0; node < tree_.num_nodes(); ++node) {
    if (!tree_.is_leaf(node) || tree_.label(node) == kEmptyElement) continue;
    const std::string_view word = tree_.word(tree_.begin(node));
    if (token == builder_.num_tokens() || sentence_->view(builder_.cell(token)) != word)
      return fail("E253", concat("word ", token + 1, " of the tree, \"", excerpt_of(word),
                                 "\", is not that token"));
    ++token;
  }
  if (token == builder_.num_tokens()) return true;
  return fail("E253",
              concat("the tree has ", token, " words for ", builder_.num_tokens(), " tokens"));
}

bool JsonRecordHandler::tags_from_spans() {
  std::vector<LabelledSpan> spans;
  spans.reserve(spans_.size());
  for (const Span& span : spans_) {
    spans.push_back({*span.start, *span.end, sentence_->view(*span.label)});
  }
  try {
    for (const std::string& label : labels_of(spans, Scheme::kIob2, builder_.num_tokens())) {
      builder_.add_tag(label);
    }
  } catch (const InvalidArgument& error) {  // they overlap
    return fail("E241", error.what());
  }
  return true;
}

}  // namespace coppice::text
