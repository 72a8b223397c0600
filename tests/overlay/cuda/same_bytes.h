// Compares a frame in device memory with a frame in host memory.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tests/pipeline/cuda/device_frame.h"

namespace facepipe::test {

/// Compares both planes, including the padding. Ends the test at the first difference.
inline void expect_same_bytes(const Frame& expected, const DeviceFrame& found,
                              cuda::StreamView stream) {
  for (std::size_t p = 0; p < 2; ++p) {
    const std::vector<std::byte> bytes = found.plane(p, stream);
    const std::vector<std::byte>& wanted = bytes_of(expected)[p];
    ASSERT_EQ(bytes.size(), wanted.size());
    const auto wrong = std::ranges::mismatch(bytes, wanted);
    ASSERT_TRUE(wrong.in1 == bytes.end())
        << "plane " << p << ", row " << (wrong.in1 - bytes.begin()) / expected.planes[p].stride
        << ", byte " << (wrong.in1 - bytes.begin()) % expected.planes[p].stride;
  }
}

}  // namespace facepipe::test
