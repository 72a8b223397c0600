// caller LIBRARY: finds the functions of library.cpp in the two ways in which CUDA's runtime finds
// the driver's functions. Prints what the calls return.
#include <dlfcn.h>

#include <cstdint>
#include <iostream>

int main(int count, char** arguments) {
  if (count != 2) return 2;
  void* const library = dlopen(arguments[1], RTLD_NOW);
  if (library == nullptr) return 3;
  using TakesNine = int(int, int, int, int, int, int, int, int, int);
  using GetProcAddress = int(const char*, void**, int, std::uint64_t, void*);
  using Other = int();
  auto* const found = reinterpret_cast<TakesNine*>(dlsym(library, "cuTakesNine"));
  for (int i = 0; i < 3; ++i) std::cout << found(1, 2, 3, 4, 5, 6, 7, 8, 9) << ' ';
  auto* const get = reinterpret_cast<GetProcAddress*>(dlsym(library, "cuGetProcAddress_v2"));
  void* asked = nullptr;
  if (get("cuTakesNine", &asked, 0, 0, nullptr) != 0) return 4;
  std::cout << reinterpret_cast<TakesNine*>(asked)(1, 2, 3, 4, 5, 6, 7, 8, 9) << ' ';
  std::cout << reinterpret_cast<Other*>(dlsym(library, "other"))() << '\n';
}
