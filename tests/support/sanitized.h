// Whether a sanitizer is compiled in, which takes the heap and some of the system's calls for
// itself.
#pragma once

namespace facepipe::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace facepipe::test
