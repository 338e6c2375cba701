// Exceptions of the library become those of coppice/errors.py, with the same fields.
#include <pybind11/pybind11.h>

#include <exception>
#include <new>
#include <string>
#include <utility>

#include "coppice/base/error.h"
#include "coppice/base/error_kind.h"
#include "python/src/options.h"
#include "python/src/register.h"

namespace py = pybind11;

namespace coppice::python {

namespace {

const char* class_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage:
      return "UsageError";
    case ErrorKind::kData:
      return "DataError";
    case ErrorKind::kModel:
      return "ModelError";
    case ErrorKind::kResources:
      return "ResourceError";
    default:
      return "InternalError";
  }
}

// Text of files may be any bytes.
py::object text_or_none(const std::string& text) {
  if (text.empty()) return py::none();
  const auto size = static_cast<py::ssize_t>(text.size());
  return py::reinterpret_steal<py::object>(PyUnicode_DecodeUTF8(text.data(), size, "replace"));
}

py::object number_or_none(std::size_t number) {
  if (number == 0) return py::none();
  return py::int_(number);
}

void raise(const std::exception& error) {
  const auto* ours = dynamic_cast<const Error*>(&error);
  const ErrorKind kind = kind_of(error);
  const Location where = ours != nullptr ? ours->where() : Location{};
  std::string help = ours != nullptr ? ours->help() : "";
  const bool has_message = ours != nullptr || kind != ErrorKind::kResources;
  const std::string message = has_message ? error.what() : "out of memory";
  const py::object type = py::module_::import("coppice.errors").attr(class_name(kind));
  const py::object instance = type(text_or_none(with_python_names(message)), code_of(error),
                                   text_or_none(with_python_names(help)), text_or_none(where.file),
                                   number_or_none(where.line), number_or_none(where.column));
  PyErr_SetObject(type.ptr(), instance.ptr());
}

}  // namespace

void register_errors(py::module_&) {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(std::move(thrown));
    } catch (const Error& error) {
      raise(error);
    } catch (const std::bad_alloc& error) {
      raise(error);
    }
  });
}

}  // namespace coppice::python
