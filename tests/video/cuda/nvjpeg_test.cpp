// These tests check what happens if nvJPEG throws an exception through its C interface.
#include "video/cuda/nvjpeg.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "core/error.h"

namespace facepipe::video {
namespace {

nvjpegStatus_t throws_an_exception() { throw std::runtime_error("illegal memory access"); }
nvjpegStatus_t throws_something_else() { throw 7; }

std::string reason_of_failure(nvjpegStatus_t (*call)()) {
  try {
    FACEPIPE_NVJPEG_CHECK(call());
    return "none";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
    return error.what();
  }
}

TEST(Nvjpeg, WhatACallThrowsIsAnErrorOfTheDevice) {
  const std::string told = reason_of_failure(throws_an_exception);
  EXPECT_EQ(told.rfind("call() failed: nvJPEG: illegal memory access, ", 0), 0U) << told;
  EXPECT_NE(reason_of_failure(throws_something_else).find("unknown kind"), std::string::npos);
}

TEST(Nvjpeg, WhatACallAnswersIsAnErrorOfTheDevice) {
  EXPECT_EQ(reason_of_failure([] { return NVJPEG_STATUS_SUCCESS; }), "none");
  const std::string told = reason_of_failure([] { return NVJPEG_STATUS_EXECUTION_FAILED; });
  EXPECT_NE(told.find("execution failed"), std::string::npos) << told;
}

int g_destroyed = 0;
nvjpegStatus_t destroy(int* /*handle*/) {
  ++g_destroyed;
  throw std::runtime_error("CUDA's context is broken");
}

TEST(Nvjpeg, WhatEndingAHandleThrowsEndsThere) {
  int thing = 0;
  { const std::unique_ptr<int, NvjpegDelete<destroy>> owner(&thing); }
  EXPECT_EQ(g_destroyed, 1);
}

}  // namespace
}  // namespace facepipe::video
