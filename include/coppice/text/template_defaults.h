// Sets of templates that need no file.
#pragma once

#include <span>
#include <string>

#include "coppice/text/template.h"

namespace coppice::text {

// For any language, and for tags as for entities: words and lower-cased words in a window of two,
// pairs of neighbours, prefixes and suffixes, shapes, kinds of characters, length. Every column
// after the first is taken as a tag of the token: its values in a window of two, their pairs and
// triples, and each with the word. Requires at least one column, the words.
//
// With a file of word classes (class_tree.h), also the classes of the words in a window of two,
// pairs of neighbouring classes, and prefixes of their paths; the set then has a resource named
// kClasses with that path. A path that is empty stands for no classes.
inline constexpr const char* kClasses = "classes";
TemplateSet default_templates(std::span<const std::string> columns,
                              const std::string& classes_path = {});

// The templates of CRFsuite's published chunking example, for the columns w and pos: 19
// attributes a token, first() and last() standing for its __BOS__ and __EOS__.
TemplateSet crfsuite_chunking_templates();

}  // namespace coppice::text
