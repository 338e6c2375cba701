#include <iostream>

#include "forest/kbest_bench.h"

int main() { coppice::bench::bench_kbest(std::cout); }
