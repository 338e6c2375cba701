// The writers of each format; make_writer chooses.
#pragma once

#include <memory>
#include <ostream>
#include <string>

#include "coppice/text/writer.h"

namespace coppice::text {

std::unique_ptr<SentenceWriter> make_table_writer(std::ostream& out, const WriterOptions& options);
std::unique_ptr<SentenceWriter> make_jsonl_writer(std::ostream& out, const WriterOptions& options);
std::unique_ptr<SentenceWriter> make_text_writer(std::ostream& out, const WriterOptions& options);
std::unique_ptr<SentenceWriter> make_crfsuite_writer(std::ostream& out,
                                                     const WriterOptions& options);
std::unique_ptr<SentenceWriter> make_bracket_writer(std::ostream& out,
                                                    const WriterOptions& options);

// Appends a probability or its logarithm, with the digits that are worth writing.
void append_probability(std::string& text, double value);

}  // namespace coppice::text
