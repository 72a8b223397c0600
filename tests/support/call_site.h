// Tells who has called a function: which function of the program, or which library.
// failing_calls.cpp uses it.
#pragma once

#include <cstddef>

namespace facepipe::test {

/// The function or the library that has made a call.
struct CallSite {
  /// Is true if the program itself has made the call, directly or through the C++ library.
  bool own = false;
  /// For a call of the program: the symbol of the innermost of our own functions on the stack. For
  /// another call: the library's file name, up to ".so". The text stays valid.
  const char* name = "?";
};

/// Reads the program's symbols. Must be called once before call_site(). Does nothing else than that
/// if the program has none: then all calls of the program have the name "?".
void read_symbols();

/// Returns who has made a call. Must not be called again from a function that it calls itself.
/// @param place  the address to which the call returns
[[nodiscard]] CallSite call_site(const void* place);

}  // namespace facepipe::test
