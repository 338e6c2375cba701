#include "python/src/sentences.h"

#include <cmath>

namespace py = pybind11;

namespace coppice::python {

namespace {

bool is_text(py::handle value) { return PyUnicode_Check(value.ptr()) != 0; }
bool is_dict(py::handle value) { return PyDict_Check(value.ptr()) != 0; }
bool is_set(py::handle value) { return PyAnySet_Check(value.ptr()) != 0; }
bool is_list(py::handle value) {
  return PyTuple_Check(value.ptr()) != 0 || PyList_Check(value.ptr()) != 0;
}
bool is_number(py::handle value) {
  return PyNumber_Check(value.ptr()) != 0 && !PyBool_Check(value.ptr());
}

}  // namespace

void SentenceConverter::fail(const char* code, const std::string& message,
                             const std::string& help) const {
  throw ParseError(message,
                   {.code = code, .where = {.file = argument_, .line = number_}, .help = help});
}

void SentenceConverter::fail_type(const std::string& wanted, py::handle found) const {
  fail("E241", concat("token ", builder_.num_tokens(), ": expected ", wanted, ", found ",
                      Py_TYPE(found.ptr())->tp_name));
}

std::string_view SentenceConverter::text_of(py::handle text, const char* what) const {
  if (!is_text(text)) fail_type(concat(what, " to be a str"), text);
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (bytes == nullptr) {
    PyErr_Clear();
    fail("E241", concat("token ", builder_.num_tokens(), ": ", what, " is not Unicode text"));
  }
  return {bytes, static_cast<std::size_t>(size)};
}

void SentenceConverter::convert(py::handle tokens, py::handle labels, text::Sentence& sentence) {
  ++number_;
  sentence.start({.format = text::Format::kColumns, .file = argument_, .number = number_});
  builder_.start(sentence);
  has_attributes_ = false;
  if (is_text(tokens) || is_dict(tokens) || !py::isinstance<py::iterable>(tokens)) {
    fail("E241", concat("expected a sentence, which is a list of tokens, found ",
                        Py_TYPE(tokens.ptr())->tp_name));
  }
  for (const py::handle token : tokens) add_token(token);
  if (!labels.is_none()) add_labels(labels);
  builder_.finish({.line = number_,
                   .num_columns = num_columns(),
                   .has_tags = !labels.is_none(),
                   .has_attributes = has_attributes_});
}

void SentenceConverter::add_token(py::handle token) {
  cells_ = 0;
  builder_.begin_attributes();
  if (is_text(token)) {
    add_cell(token);
  } else if (is_dict(token) || is_set(token)) {
    add_attributes(token);
  } else if (is_list(token)) {
    const auto parts = py::reinterpret_steal<py::object>(PySequence_Fast(token.ptr(), ""));
    const Py_ssize_t size = PySequence_Fast_GET_SIZE(parts.ptr());
    for (Py_ssize_t i = 0; i < size; ++i) {
      const py::handle part = PySequence_Fast_GET_ITEM(parts.ptr(), i);
      const bool is_last = i + 1 == size;
      is_last && (is_dict(part) || is_set(part)) ? add_attributes(part) : add_cell(part);
    }
  } else {
    fail_type("a token to be a str, a tuple of columns, or a dict or set of attributes", token);
  }
  if (!num_columns_) num_columns_ = cells_;
  if (cells_ != *num_columns_) {
    fail("E203",
         concat("token ", builder_.num_tokens(), ": expected ", *num_columns_,
                *num_columns_ == 1 ? " column" : " columns", ", found ", cells_),
         columns_);
  }
  builder_.end_token();
}

void SentenceConverter::add_cell(py::handle cell) {
  ++cells_;
  if (is_number(cell)) {
    const py::str digits(cell);
    builder_.add_cell(text_of(digits, "a column"));
  } else {
    builder_.add_cell(text_of(cell, "a column"));
  }
}

void SentenceConverter::add_attributes(py::handle attributes) {
  has_attributes_ = true;
  if (is_dict(attributes)) {
    for (const auto& [name, value] : py::reinterpret_borrow<py::dict>(attributes)) {
      add_attribute(text_of(name, "the name of an attribute"), value);
    }
    return;
  }
  // A set has no order, and the order of attributes is part of a model's bytes.
  py::list names(py::reinterpret_borrow<py::object>(attributes));
  for (const py::handle name : names) text_of(name, "the name of an attribute");
  if (PyList_Sort(names.ptr()) != 0) throw py::error_already_set();
  for (const py::handle name : names) {
    builder_.add_flag(text_of(name, "the name of an attribute"), true);
  }
}

void SentenceConverter::add_attribute(std::string_view name, py::handle value) {
  constexpr const char* text = "the text of an attribute";
  if (PyBool_Check(value.ptr()) != 0) {
    builder_.add_flag(name, value.ptr() == Py_True);
  } else if (is_text(value)) {
    builder_.add_attribute(name, text_of(value, text));
  } else if (is_list(value)) {
    for (const py::handle member : value) builder_.add_attribute(name, text_of(member, text));
  } else if (is_number(value)) {
    const double number = PyFloat_AsDouble(value.ptr());
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
    if (!std::isfinite(number)) fail_type("an attribute to be finite", value);
    builder_.add_attribute(name, number);
  } else {
    fail_type("an attribute to be a number, a str, a bool or a list of str", value);
  }
}

void SentenceConverter::add_labels(py::handle labels) {
  if (is_text(labels) || !py::isinstance<py::iterable>(labels)) {
    fail("E241", concat("expected a list of labels, found ", Py_TYPE(labels.ptr())->tp_name));
  }
  for (const py::handle label : labels) {
    if (label.is_none()) {
      builder_.add_unknown_tag();
    } else if (is_list(label) || is_set(label)) {
      py::list members(py::reinterpret_borrow<py::object>(label));
      if (is_set(label) && PyList_Sort(members.ptr()) != 0) throw py::error_already_set();
      builder_.begin_tag_set();
      for (const py::handle member : members) builder_.add_to_tag_set(text_of(member, "a label"));
      if (builder_.ends_in_empty_set()) fail("E241", "a set of labels is empty");
    } else {
      builder_.add_tag(text_of(label, "a label"));
    }
  }
  if (builder_.num_tags() != builder_.num_tokens()) {
    fail("E243", concat(builder_.num_tags(), " labels for ", builder_.num_tokens(), " tokens"));
  }
}

void SentenceConverter::set_weight(py::handle weight, text::Sentence& sentence) const {
  const double value = PyFloat_AsDouble(weight.ptr());
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
  if (!std::isfinite(value) || value < 0) {
    fail("E208", concat("weight ", value, " is not a number from 0 up"));
  }
  sentence.set_weight(value);
}

}  // namespace coppice::python
