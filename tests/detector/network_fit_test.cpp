#include "detector/network_fit.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "detector/cnn/model/fit_into.h"
#include "tests/support/expect_error.h"

namespace facepipe::detector {
namespace {

struct Case {
  Size frame;
  std::optional<Size> detect_size;
  Size content;
  Size network;
};

const Case kCases[] = {
    // Columns: frame, detect size, content, network.
    {{1920, 1080}, {}, {1920, 1080}, {1920, 1088}},
    {{64, 32}, {}, {64, 32}, {64, 32}},
    {{1, 1}, {}, {1, 1}, {32, 32}},
    {{16384, 33}, {}, {16384, 33}, {16384, 64}},
    {{1920, 1080}, Size{640, 640}, {640, 360}, {640, 384}},
    {{1080, 1920}, Size{640, 640}, {360, 640}, {384, 640}},
    {{320, 240}, Size{640, 640}, {640, 480}, {640, 480}},
    {{800, 600}, Size{801, 10000}, {801, 601}, {832, 608}},
    {{4000, 2}, Size{100, 100}, {100, 1}, {128, 32}},  // the content is at least one pixel high
    {{40000, 20000}, Size{640, 320}, {640, 320}, {640, 320}},
};

TEST(NetworkFit, KeepsTheAspectRatioAndPadsTo32) {
  for (const Case& c : kCases) {
    const NetworkFit fit = fit_network(c.frame, c.detect_size);
    EXPECT_EQ(fit.frame, c.frame);
    EXPECT_EQ(fit.content, c.content) << c.frame.width;
    EXPECT_EQ(fit.network, c.network) << c.frame.width;
  }
}

TEST(NetworkFit, ScalesBackToTheWholeFrame) {
  const NetworkFit fit = fit_network({1919, 1079}, Size{640, 640});
  EXPECT_FLOAT_EQ(static_cast<float>(fit.content.width) * fit.scale_x(), 1919);
  EXPECT_FLOAT_EQ(static_cast<float>(fit.content.height) * fit.scale_y(), 1079);
}

ErrorKind refusal(Size frame, const std::optional<Size>& detect_size) {
  try {
    (void)fit_network(frame, detect_size);
  } catch (const Error& error) {
    return error.kind();
  }
  ADD_FAILURE() << "accepted";
  return ErrorKind::output;
}

TEST(NetworkFit, RefusesAbsurdSizes) {
  EXPECT_EQ(refusal({640, 480}, Size{0, 640}), ErrorKind::usage);
  EXPECT_EQ(refusal({640, 480}, Size{640, -1}), ErrorKind::usage);
  EXPECT_EQ(refusal({640, 480}, Size{16385, 640}), ErrorKind::usage);
  EXPECT_EQ(refusal({16385, 480}, {}), ErrorKind::device);
  EXPECT_EQ(refusal({0, 480}, {}), ErrorKind::internal);
}

TEST(FitInto, IsTheLargestPictureInsideTheOnlySize) {
  const NetworkFit wide = fit_into({1920, 1080}, {640, 640}, {}, 1);
  EXPECT_EQ(wide, (NetworkFit{{1920, 1080}, {640, 360}, {640, 640}}));
  EXPECT_EQ(fit_into({1920, 1080}, {640, 640}, {}, 0.5F),
            (NetworkFit{{1920, 1080}, {320, 180}, {640, 640}}));
  EXPECT_EQ(fit_into({100, 200}, {384, 256}, {}, 1),
            (NetworkFit{{100, 200}, {128, 256}, {384, 256}}));
  EXPECT_EQ(fit_into({1920, 1080}, {640, 640}, Size{320, 320}, 1).content, (Size{320, 180}));
  EXPECT_EQ(fit_into({1920, 1080}, {640, 640}, Size{1920, 1080}, 1).content, (Size{640, 360}));
  test::expect_error(ErrorKind::usage, "the model takes only pictures of 640x640", [] {
    (void)fit_into({1920, 1080}, {640, 640}, {}, 1.5F);
  });
}

}  // namespace
}  // namespace facepipe::detector
