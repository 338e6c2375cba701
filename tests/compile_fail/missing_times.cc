// Must not compile with MUST_FAIL: `Half` lacks times and one, and so is no Semiring.
#include "coppice/forest/inside.h"
#include "coppice/semiring/log.h"

struct Half {
  using Value = double;
  static Value zero() { return 0; }
  static Value plus(Value a, Value b) { return a + b; }
};

int main() {
  const coppice::Forest forest;
#ifdef MUST_FAIL
  coppice::inside<Half>(forest, coppice::EdgeMap<double>());
#else
  coppice::inside<coppice::LogSemiring>(forest, coppice::EdgeMap<double>());
#endif
}
