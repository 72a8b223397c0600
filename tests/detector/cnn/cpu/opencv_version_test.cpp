#include "detector/cnn/cpu/opencv/opencv_version.h"

#include <gtest/gtest.h>

namespace facepipe::detector {
namespace {

TEST(OpencvVersion, TellsCudaAndCudnn) {
  EXPECT_EQ(describe_opencv("4.14.0",
                            "    Protobuf:                    build (3.19.1)\n\n"
                            "  NVIDIA CUDA:                   YES (ver 13.0.88, CUBLAS)\n"
                            "    NVIDIA GPU arch:             90\n\n"
                            "  cuDNN:                         YES (ver 9.19.0)\n"),
            "4.14.0, CUDA 13.0.88, cuDNN 9.19.0");
}

TEST(OpencvVersion, TellsThatOneIsMissing) {
  EXPECT_EQ(describe_opencv("4.14.0", "  NVIDIA CUDA:   YES (ver 13.0)\n  cuDNN:   NO\n"),
            "4.14.0, CUDA 13.0, without cuDNN");
  EXPECT_EQ(describe_opencv("4.6.0", "  NVIDIA CUDA:   NO\n"), "4.6.0, without CUDA");
  EXPECT_EQ(describe_opencv("4.6.0", ""), "4.6.0, without CUDA");
}

TEST(OpencvVersion, RefusesACudnnThatIsOlderThanItsOwnOrOfAnotherFirstNumber) {
  const char* const built = "  NVIDIA CUDA:   YES (ver 13.0)\n  cuDNN:   YES (ver 9.19.0)\n";
  for (const std::size_t good : {91900UL, 91901UL, 92000UL})
    EXPECT_EQ(reason_against_cudnn(built, good), "") << good;
  EXPECT_EQ(reason_against_cudnn(built, 91002), "built with cuDNN 9.19.0, found 9.10.2");
  EXPECT_EQ(reason_against_cudnn(built, 101900), "built with cuDNN 9.19.0, found 10.19.0");
  EXPECT_EQ(reason_against_cudnn("  cuDNN:   NO\n", 90000), "");
  const char* const eighth = "  cuDNN:   YES (ver 8.9.4)\n";
  EXPECT_EQ(reason_against_cudnn(eighth, 8907), "");
  EXPECT_EQ(reason_against_cudnn(eighth, 91900), "built with cuDNN 8.9.4, found 9.19.0");
  EXPECT_EQ(reason_against_cudnn(built, 8907), "built with cuDNN 9.19.0, found 8.9.7");
}

}  // namespace
}  // namespace facepipe::detector
