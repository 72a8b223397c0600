// A library with functions that are named like those of a GPU's driver. They only check their
// arguments.
#include <cstdint>

extern "C" {

/// Has more arguments than there are registers for them. Returns 0 if they are 1 to 9.
int cuTakesNine(int a, int b, int c, int d, int e, int f, int g, int h, int i) {
  const bool right = a == 1 && b == 2 && c == 3 && d == 4 && e == 5 && f == 6 && g == 7 && h == 8;
  return right && i == 9 ? 0 : 1;
}

int cuGetProcAddress_v2(const char* /*name*/, void** found, int /*version*/,
                        std::uint64_t /*flags*/, void* /*result*/) {
  *found = reinterpret_cast<void*>(&cuTakesNine);
  return 0;
}

int other() { return 0; }
}
