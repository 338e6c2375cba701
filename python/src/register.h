// The parts of the module: one function a file, each adds its classes and functions.
#pragma once

#include <pybind11/pybind11.h>

namespace coppice::python {

void register_errors(pybind11::module_& module);
void register_tagger(pybind11::module_& module);
void register_training(pybind11::module_& module);

}  // namespace coppice::python
