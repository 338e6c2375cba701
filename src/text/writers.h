// The writers of each format; make_writer chooses.
#pragma once

#include <memory>
#include <ostream>

#include "coppice/text/writer.h"

namespace coppice::text {

std::unique_ptr<SentenceWriter> make_table_writer(std::ostream& out, const WriterOptions& options);
std::unique_ptr<SentenceWriter> make_jsonl_writer(std::ostream& out, const WriterOptions& options);
std::unique_ptr<SentenceWriter> make_text_writer(std::ostream& out, const WriterOptions& options);
std::unique_ptr<SentenceWriter> make_crfsuite_writer(std::ostream& out,
                                                     const WriterOptions& options);

}  // namespace coppice::text
