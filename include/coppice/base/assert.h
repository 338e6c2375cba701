// COPPICE_ASSERT(condition): a bug of ours, never an input's fault. In builds with
// COPPICE_ASSERTIONS (dev, clang and the sanitizers) a false one is reported and ends the program;
// elsewhere the condition is not evaluated. NDEBUG plays no part.
#pragma once

#ifdef COPPICE_ASSERTIONS
#include <cstdio>
#include <cstdlib>

namespace coppice::detail {

[[noreturn]] inline void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace coppice::detail

#define COPPICE_ASSERT(condition)     \
  ((condition) ? static_cast<void>(0) \
               : ::coppice::detail::assertion_failed(#condition, __FILE__, __LINE__))
#else
#define COPPICE_ASSERT(condition) static_cast<void>(0)
#endif
