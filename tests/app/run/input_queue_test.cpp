#include "app/run/input_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace facepipe::app {
namespace {

using testing::ElementsAre;

/// Returns the indices of the inputs in the queue's order, such as "3 1+ 0+". A plus means that
/// other lanes may help with the input.
std::string turns(const std::vector<QueuedInput>& inputs, int lanes) {
  InputQueue queue(inputs, lanes);
  std::string text;
  while (const auto turn = queue.next())
    text += (text.empty() ? "" : " ") + std::to_string(turn->index) + (turn->may_grow ? "+" : "");
  return text;
}

TEST(InputQueue, GivesTheLargestFirst) {
  EXPECT_EQ(turns({{0, 10}, {1, 30}, {2, 20}, {3, 30}, {4, 1}, {5, 1}, {6, 1}}, 1),
            "1 3 2 0 4 5 6+");
}

// Other lanes may help with an input that is at least as large as a lane's share of the remaining
// inputs. This is so for a long file, and for the last few inputs.
TEST(InputQueue, LetsOthersHelpWithWhatIsMoreThanALanesShare) {
  EXPECT_EQ(turns({{0, 10}, {1, 10}, {2, 10}, {3, 10}, {4, 10}, {5, 10}}, 3), "0 1 2 3+ 4+ 5+");
  EXPECT_EQ(turns({{0, 100}, {1, 10}, {2, 10}, {3, 10}}, 2), "0+ 1 2+ 3+");
  EXPECT_EQ(turns({{0, 7}}, 7), "0+");
}

// An input of unknown size can be endless, and can't be cut into segments.
TEST(InputQueue, GivesThoseOfUnknownSizeFirstAndLetsNobodyHelp) {
  EXPECT_EQ(turns({{0, 5}, {1, {}}, {2, 0}, {3, {}}}, 2), "1 3 0+ 2");
}

TEST(InputQueue, WithoutInputsGivesNone) { EXPECT_EQ(turns({}, 4), ""); }

}  // namespace
}  // namespace facepipe::app
