// COPPICE_ASSERT(condition): a bug of ours, never an input's fault. Checked in builds with
// COPPICE_ASSERTIONS (dev, asan), absent elsewhere.
#pragma once

#ifdef COPPICE_ASSERTIONS
#include <cassert>
#define COPPICE_ASSERT(condition) assert(condition)
#else
#define COPPICE_ASSERT(condition) static_cast<void>(0)
#endif
