#include "python/src/options.h"

#include <algorithm>
#include <regex>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/base/suggest.h"
#include "coppice/base/threads.h"
#include "coppice/base/usage_error.h"

namespace py = pybind11;

namespace coppice::python {

namespace {

std::string value_of(py::handle value) {
  if (PyBool_Check(value.ptr()) != 0) return value.ptr() == Py_True ? "true" : "false";
  if (is_path(value)) return path_text(value);
  if (PyNumber_Check(value.ptr()) != 0) return py::cast<std::string>(py::str(value));
  throw UsageError(
      concat("an option is a str, a number, a bool, a path, or a list or dict of them, "
             "not ",
             Py_TYPE(value.ptr())->tp_name),
      {.code = "E003"});
}

std::string pairs_of(py::handle value) {
  std::string text;
  for (const auto& [key, member] : py::reinterpret_borrow<py::dict>(value)) {
    text += concat(text.empty() ? "" : ",", value_of(key), "=", value_of(member));
  }
  return text;
}

std::string joined(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ",") + value;
  return text;
}

std::vector<std::string> values_of(const Option& option, py::handle value) {
  if (PyDict_Check(value.ptr()) != 0) return {pairs_of(value)};
  if (PyList_Check(value.ptr()) == 0 && PyTuple_Check(value.ptr()) == 0) return {value_of(value)};
  std::vector<std::string> values;
  for (const py::handle member : value) values.push_back(value_of(member));
  return is_list(option) ? values : std::vector<std::string>{joined(values)};
}

[[noreturn]] void refuse_name(const std::string& name, std::span<const Option> options,
                              const std::string& function) {
  std::vector<std::string> names;
  for (const Option& option : options) names.push_back(python_name(option.name));
  const std::string meant = did_you_mean(name, names);
  throw UsageError(
      concat(function, " has no option ", name, meant),
      {.code = "E002",
       .help = meant.empty() ? concat("help(coppice.", function, ") lists them") : ""});
}

}  // namespace

bool is_path(py::handle value) {
  return PyUnicode_Check(value.ptr()) != 0 || py::hasattr(value, "__fspath__");
}

std::string path_text(py::handle path) {
  return py::cast<std::string>(py::module_::import("os").attr("fspath")(path));
}

std::string with_python_names(const std::string& text) {
  static const std::regex option("--([a-z][a-z0-9-]*)");
  std::string result;
  auto rest = text.cbegin();
  for (std::smatch found; std::regex_search(rest, text.cend(), found, option);
       rest = found.suffix().first) {
    result.append(rest, found[0].first);
    result += python_name(found[1].str());
  }
  return result.append(rest, text.cend());
}

std::string python_name(std::string_view option) {
  std::string name(option);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

void set_options(const py::kwargs& given, std::span<const Option> options,
                 const std::string& function) {
  std::vector<const Option*> used;
  for (const auto& [key, value] : given) {
    const auto name = py::cast<std::string>(key);
    const auto found = std::find_if(options.begin(), options.end(), [&](const Option& option) {
      return python_name(option.name) == name;
    });
    if (found == options.end()) refuse_name(name, options, function);
    if (value.is_none()) continue;
    assign(*found, values_of(*found, value), name);
    used.push_back(&*found);
  }
  for (const Option* option : used) check_company(*option, options, python_name(option->name));
}

std::string describe_options(std::span<const Option> options) {
  std::string text;
  for (const Option& option : options) {
    const std::string value = value_text(option);
    text += concat("    ", python_name(option.name), value.empty() ? "" : " = " + value, ": ",
                   with_python_names(option.help));
    if (!option.choices.empty()) text += concat(" [", joined(option.choices), "]");
    text += '\n';
  }
  return text;
}

unsigned thread_count(py::handle threads) {
  if (threads.is_none()) return available_cores();
  const long number = PyLong_AsLong(threads.ptr());
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
  if (number < 1 || number > 4096) {
    throw UsageError(concat("threads: ", number, " is not a number from 1 to 4096"),
                     {.code = "E003"});
  }
  return static_cast<unsigned>(number);
}

}  // namespace coppice::python
