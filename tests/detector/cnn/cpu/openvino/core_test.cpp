// These tests check that the program finds the system's files about processors, before it uses
// OpenVINO, which needs them.
#include "detector/cnn/cpu/openvino/core.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::detector {
namespace {

TEST(OpenvinoCore, D2WithoutAnyTraceOfAProcessorIsADeviceError) {
  const test::TemporaryFolder root;
  const auto refused = [&] {
    test::expect_error(ErrorKind::device, "OpenVINO can't count the processors",
                       [&] { expect_processor_files(root.path()); });
  };
  refused();
  root.write("proc/version", "");
  root.write("sys/kernel/x", "");
  refused();
}

TEST(OpenvinoCore, D2OneOfBothTracesIsEnough) {
  const test::TemporaryFolder with_proc;
  with_proc.write("proc/cpuinfo", "processor : 0\n");
  EXPECT_NO_THROW(expect_processor_files(with_proc.path()));
  const test::TemporaryFolder with_sys;
  with_sys.write("sys/devices/system/cpu/cpu0/topology/core_id", "0\n");
  EXPECT_NO_THROW(expect_processor_files(with_sys.path()));
  EXPECT_NO_THROW(expect_processor_files());
}

}  // namespace
}  // namespace facepipe::detector
