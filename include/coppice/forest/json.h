// Forests as JSON lines: one record a line. The schema stands in docs/forest-format.md.
//
//   {"v":1,"id":"s1","tokens":["the","dog"],"nodes":[{"label":"DT","span":[0,1]}, ...],
//    "edges":[{"head":2,"tails":[0,1],"score":-1.25,"label":"NP -> DT NN","values":{"length":2}}],
//    "root":2}
//
// Nodes are numbered as they stand in "nodes", edges come in any order, and tails may follow their
// heads: what is read is sorted topologically, and labels, scores and values follow. What is in
// order already keeps its numbers, so a written record is read back equal to itself. Doubles are
// written in the shortest form that reads back bit for bit; -infinity is the string "-inf".
//
// Nothing is ignored: unknown keys, keys given twice and values of the wrong type are errors.
// What a program wants to keep beside the forest goes under "meta".
//
// Memory is linear in the length of the line, whatever it says: an id beyond the nodes given is an
// error, and so is nesting deeper than 64 levels; there is no recursion.
#pragma once

#include <memory>
#include <ostream>
#include <string_view>

#include "coppice/base/file.h"
#include "coppice/forest/reader.h"

namespace coppice {

// The record in one line of JSON. Throws ParseError placed at `where`: E220 for what does not fit
// the schema, E221 for a cycle, E222 for an id that names no node, E223 for a number that is none,
// E224 for a bad span, E240 for what is not JSON and E246 for too deep nesting.
ForestRecord parse_forest_json(std::string_view line, const Location& where = {});

// Writes one line, '\n' included. Throws InvalidArgument when the record does not hold its
// invariants, and writes nothing then.
void write_forest_json(std::ostream& out, const ForestRecord& record);

// Reads line by line; blank lines are skipped. After a ParseError, next() goes on with the line
// after the bad one.
std::unique_ptr<ForestReader> read_forest_json(LineReader lines);

}  // namespace coppice
