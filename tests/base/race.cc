// Two workers of Threads that write one variable: the tsan preset must report it, or its silence
// about everything else would mean nothing. Needs two cores.
#include <chrono>
#include <thread>

#include "coppice/base/threads.h"

int main() {
  int shared = 0;
  coppice::Threads(2).for_chunks(200, [&](std::size_t, unsigned) {
    ++shared;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // so that both workers get chunks
  });
  return shared == 0 ? 1 : 0;
}
