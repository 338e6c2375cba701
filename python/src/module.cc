// The extension module coppice._coppice; the package's __init__.py says what of it is public.
#include <pybind11/pybind11.h>

#include "python/src/register.h"

PYBIND11_MODULE(_coppice, module) {
  module.attr("__version__") = COPPICE_VERSION;
  coppice::python::register_errors(module);
  coppice::python::register_tagger(module);
  coppice::python::register_training(module);
}
