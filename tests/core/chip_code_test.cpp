#include "core/chip_code.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace facepipe {
namespace {

TEST(ChipCodes, RunOnTheChipsThatCudaDocuments) {
  struct Case {
    const char* architectures;
    int major;
    int minor;
    bool runs;
  };
  const std::vector<Case> cases{
      {"90", 9, 0, true},         // machine code
      {"90", 10, 0, true},        // PTX
      {"90", 12, 1, true},        // PTX
      {"90", 8, 9, false},        // older than both
      {"90-real", 9, 0, true},    // machine code
      {"90-real", 10, 0, false},  // machine code of another major version
      {"80-real", 8, 6, true},    // a newer minor version
      {"86-real", 8, 0, false},   // an older minor version
      {"86-virtual", 8, 6, true},
      {"86-virtual", 9, 0, true},
      {"86-virtual", 8, 0, false},
      {"90a", 9, 0, true},
      {"90a", 10, 0, false},
      {"100a-real", 10, 3, false},
      {"75-real,80-real,120", 8, 9, true},
      {"75-real,80-real,120", 9, 0, false},
      {"75-real,80-real,120", 12, 1, true},
  };
  for (const Case& c : cases)
    EXPECT_EQ(runs_on_chip(chip_codes(c.architectures), c.major, c.minor), c.runs)
        << c.architectures << " on " << c.major << "." << c.minor;
}

TEST(ChipCodes, AreUnknownIfTheValueDependsOnTheMachine) {
  for (const char* const text : {"", "native", "all", "all-major", "90,native", "9", "90b",
                                 "90-fast", "sm_90", "1000", "75;90"}) {
    EXPECT_TRUE(chip_codes(text).empty()) << text;
    EXPECT_TRUE(runs_on_chip(chip_codes(text), 7, 5)) << text;
    EXPECT_EQ(describe_chip_codes(chip_codes(text)), "unknown chips") << text;
  }
}

TEST(ChipCodes, AreDescribedByComputeCapabilities) {
  EXPECT_EQ(describe_chip_codes(chip_codes("90")), "9.0 and newer");
  EXPECT_EQ(describe_chip_codes(chip_codes("75-real,100-real,120")), "7.5, 10.0, 12.0 and newer");
  EXPECT_EQ(describe_chip_codes(chip_codes("80-real,90-real")), "8.0, 9.0");
  EXPECT_EQ(describe_chip_codes(chip_codes("90a")), "9.0");
}

}  // namespace
}  // namespace facepipe
