#include "core/threads.h"

#include <latch>
#include <vector>

namespace facepipe {

void expect_threads(int count) {
  std::latch enough(1);
  // Declared after the latch, because its threads wait for the latch.
  std::vector<std::jthread> trial;
  try {
    for (int i = 0; i < count; ++i) trial.push_back(start_thread([&enough] { enough.wait(); }));
  } catch (...) {
    enough.count_down();
    throw;
  }
  enough.count_down();
}

}  // namespace facepipe
