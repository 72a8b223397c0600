// Says whether the program is built with a sanitizer. Sanitizers replace the heap and intercept
// some system calls.
#pragma once

namespace facepipe::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace facepipe::test
