// Template files of other tools, as sets of this one.
//
// Both tools glue the values into the rest of the line, so that lines which differ only in
// their cells ("U:%x[-1,0]" and "U:%x[0,0]") give the same attributes: those become a bag. Lines
// that give the same values under different identifiers count once, since the second could only
// share the first one's weight. A line without cells is bias(), and for pairs of labels the plain
// transition. Offsets outside the sentence are marked.
#pragma once

#include <string_view>

#include "coppice/text/template.h"

namespace coppice::text {

// CRF++: U and B lines with %x[OFFSET,COLUMN]; # begins a comment line.
// Throws ParseError (E120) with file, line and column.
TemplateSet import_crfpp_templates(std::string_view text, const TemplateSource& source = {});

// Wapiti: u, b and * lines (in either case) with %x, %t and %m, of which the upper-case forms
// lower the value; # begins a comment anywhere. Regular expressions match code points here, and
// find() takes the longest match where Wapiti's * takes the shortest. Absolute and indirect
// offsets (%x[@1,0], %x[*1,0]) have no counterpart and are refused.
// Throws ParseError (E120) with file, line and column.
TemplateSet import_wapiti_patterns(std::string_view text, const TemplateSource& source = {});

}  // namespace coppice::text
