// Keyword arguments as options: max_iterations=50 is --max-iterations 50.
#pragma once

#include <pybind11/pybind11.h>

#include <span>
#include <string>
#include <string_view>

#include "coppice/base/option.h"

namespace coppice::python {

// "max_iterations" of "max-iterations".
std::string python_name(std::string_view option);

// The same for all options in a text: "--max-iterations" is max_iterations.
std::string with_python_names(const std::string& text);

// Sets the variables of the options that `given` names. A value may be a str, a number, a bool or a
// path; a list of these; or a dict, which is "key=value,...". None leaves the default. `function`
// is the name that messages have. Throws UsageError: E002 for a name that is no option, with the
// one that was perhaps meant; E003 for a value that an option cannot have; E006 for an option that
// has no use beside the others.
void set_options(const pybind11::kwargs& given, std::span<const Option> options,
                 const std::string& function);

// A line for each option: its name, its default and what it is for.
std::string describe_options(std::span<const Option> options);

// The number of threads: None is that of the cores. Throws UsageError (E003) unless it is positive.
unsigned thread_count(pybind11::handle threads);

// The text of a str or a path.
std::string path_text(pybind11::handle path);
bool is_path(pybind11::handle value);

}  // namespace coppice::python
