// Defines main() for test programs that need a CUDA device. Without a device, every test is
// reported as skipped, or fails if FACEPIPE_REQUIRE_CUDA=1. A test fails if a CUDA error is pending
// at the end of the test.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

bool device_required() {
  const char* const required = std::getenv("FACEPIPE_REQUIRE_CUDA");
  return required != nullptr && std::string(required) == "1";
}

class CudaErrors : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo& test) override {
    if (test.result()->Skipped()) return;
    cudaError_t error = cudaDeviceSynchronize();
    if (error == cudaSuccess) error = cudaGetLastError();
    EXPECT_EQ(error, cudaSuccess) << "left behind: " << cudaGetErrorString(error);
  }
};

class Skipping : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override { GTEST_SKIP() << "no CUDA device"; }
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error == cudaSuccess && devices > 0) {
    testing::UnitTest::GetInstance()->listeners().Append(new CudaErrors);
    return RUN_ALL_TESTS();
  }
  static_cast<void>(cudaGetLastError());
  if (device_required()) {
    std::fprintf(stderr, "FACEPIPE_REQUIRE_CUDA=1, but no device: %s\n", cudaGetErrorString(error));
    return 1;
  }
  testing::UnitTest::GetInstance()->listeners().Append(new Skipping);
  return RUN_ALL_TESTS();
}
