// How sentences are to be read, as users say it: what train, predict, eval, compare, check and
// convert share.
#pragma once

#include <string>
#include <vector>

#include "coppice/base/option.h"
#include "coppice/text/reader.h"

namespace coppice::text {

struct DataOptions {
  std::string columns;  // "form,pos,_,ner"; empty: any, with default names
  std::string format = "auto";
  std::string on_error = "stop";  // or "skip"; predict adds "null"
  std::string encoding = "utf8";
  std::string comments = "headers";
  std::string label_column;  // empty: text/labelled_reader.h says which
};

// The declarations of --columns, --format (or another name for it), --label-column, --encoding,
// --comments and --on-error. Requires that `options` outlives them.
std::vector<Option> data_options(DataOptions& options, const std::string& format_name = "format");
// The same without --on-error, for verbs that list every problem.
std::vector<Option> data_options_without_skipping(DataOptions& options);

// `fallback` is the format of a file that shows none. Throws InvalidArgument (E120) when --columns
// is not a list of names.
ReaderOptions reader_options(const DataOptions& options, Format fallback);

}  // namespace coppice::text
