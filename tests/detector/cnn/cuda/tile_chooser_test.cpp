#include "detector/cnn/cuda/tile_chooser.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <limits>

#include "tests/support/temporary_folder.h"

namespace facepipe::detector::engine {
namespace {

const std::vector<std::string> kWays{"1,1", "2,1", "4,2"};
const Chip kChip{132, 1 << 17, 90, "Some Chip"};

/// Pretends that the way with the index `fastest` is the fastest, and counts the measurements.
struct Clock {
  std::size_t fastest;
  int calls = 0;
  TileChooser::Try timed() {
    return [this](std::size_t way, int) {
      ++calls;
      return way == fastest ? 1.0F : std::numeric_limits<float>::infinity();
    };
  }
};

class TileFile : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file() const { return folder_.path() / "new" / "tiles"; }
  void write(const std::string& text) const {
    std::filesystem::create_directories(file().parent_path());
    std::ofstream(file()) << text;
  }
  [[nodiscard]] std::string read() const {
    std::ifstream in(file());
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// Writes a file with the choice 2 for "block".
  void remember() const {
    TileChooser chooser(kChip, file());
    Clock clock{2};
    static_cast<void>(chooser.choose("block", kWays, clock.timed()));
    chooser.save();
  }
  /// Returns whether a new chooser that reads the file needs no measurement for "block".
  [[nodiscard]] bool known(const Chip& chip = kChip) const {
    TileChooser chooser(chip, file());
    Clock clock{0};
    static_cast<void>(chooser.choose("block", kWays, clock.timed()));
    return clock.calls == 0;
  }

  test::TemporaryFolder folder_;
};

TEST_F(TileFile, RemembersTheFastest) {
  remember();
  TileChooser chooser(kChip, file());
  Clock clock{0};
  EXPECT_EQ(chooser.choose("block", kWays, clock.timed()), 2U);
  EXPECT_EQ(clock.calls, 0);
  EXPECT_EQ(chooser.remembered(), 1);
  EXPECT_EQ(chooser.trials(), 0);
}

TEST_F(TileFile, TriesWhatItDoesNotKnow) {
  remember();
  TileChooser chooser(kChip, file());
  Clock clock{1};
  EXPECT_EQ(chooser.choose("another", kWays, clock.timed()), 1U);
  EXPECT_GE(clock.calls, 3);
  EXPECT_EQ(chooser.trials(), 1);
}

TEST_F(TileFile, LeavesWhatItDoesNotKnowAsItIsWhereItMayNotTry) {
  remember();
  const std::string before = read();
  TileChooser chooser(kChip, file(), UnknownTiles::first);
  Clock clock{1};
  EXPECT_EQ(chooser.choose("another", kWays, clock.timed()), 0U);
  EXPECT_EQ(chooser.choose("block", kWays, clock.timed()), 2U);
  chooser.save();
  EXPECT_EQ(clock.calls, 0);
  EXPECT_EQ(chooser.trials(), 0);
  EXPECT_EQ(read(), before);
}

TEST_F(TileFile, BelongsToAChip) {
  remember();
  EXPECT_TRUE(known());
  EXPECT_FALSE(known({132, 1 << 17, 90, "Another Chip"}));
  EXPECT_FALSE(known({114, 1 << 17, 90, "Some Chip"}));
}

TEST_F(TileFile, KeepsWhatOthersWroteMeanwhile) {
  TileChooser first(kChip, file());
  Clock clock{1};
  static_cast<void>(first.choose("another", kWays, clock.timed()));
  remember();
  first.save();
  EXPECT_TRUE(known());
  EXPECT_NE(read().find("another 2,1"), std::string::npos) << read();
}

TEST_F(TileFile, LeavesNothingElseBehind) {
  remember();
  int files = 0;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator(file().parent_path()))
    ++files;
  EXPECT_EQ(files, 1);
}

TEST_F(TileFile, CountsAsEmptyWhereItIsDamaged) {
  remember();
  const std::string good = read();
  ASSERT_TRUE(known());
  const std::string wrong[] = {
      "",
      good.substr(1),
      good + "one\n",
      good + "a b c d\n",
      "facepipe-cuda-tiles 2" + good.substr(good.find('\n')),
      good + std::string((1 << 20) + 1, 'x') + " x x\n",
  };
  for (const std::string& text : wrong) {
    write(text);
    EXPECT_FALSE(known()) << text.substr(0, 200);
  }
  std::string other = good;  // this text names a way that doesn't exist
  other.replace(other.rfind("4,2"), 3, "9,9");
  write(other);
  EXPECT_FALSE(known());
}

TEST_F(TileFile, MayBeImpossibleToWrite) {
  const std::filesystem::path plain = folder_.path() / "plain";
  std::ofstream(plain) << "no folder";
  TileChooser chooser(kChip, plain / "tiles");
  Clock clock{1};
  EXPECT_EQ(chooser.choose("block", kWays, clock.timed()), 1U);
  EXPECT_NO_THROW(chooser.save());
}

// The chooser has chosen a way on one device. It must use this way on a second device of the same
// kind, even if the file now has another way.
TEST_F(TileFile, IsPrecededByWhatTheRunHasChosen) {
  TileMemory memory;
  Clock first{1};
  TileChooser chooser(kChip, file(), UnknownTiles::tried, &memory);
  EXPECT_EQ(chooser.choose("block", kWays, first.timed()), 1U);
  remember();  // now another process writes another way to the file
  Clock second{0};
  TileChooser next(kChip, file(), UnknownTiles::tried, &memory);
  EXPECT_EQ(next.choose("block", kWays, second.timed()), 1U);
  EXPECT_EQ(second.calls, 0);
  EXPECT_EQ(next.remembered(), 1);
  TileChooser elsewhere({80, 1 << 17, 80, "Another Chip"}, {}, UnknownTiles::tried, &memory);
  EXPECT_EQ(elsewhere.choose("block", kWays, second.timed()), 0U);
  EXPECT_EQ(elsewhere.trials(), 1);
}

TEST_F(TileFile, WhatTheRunTookFromItStaysChosen) {
  remember();
  TileMemory memory;
  Clock clock{0};
  TileChooser chooser(kChip, file(), UnknownTiles::tried, &memory);
  EXPECT_EQ(chooser.choose("block", kWays, clock.timed()), 2U);
  std::filesystem::remove(file());
  TileChooser next(kChip, file(), UnknownTiles::tried, &memory);
  EXPECT_EQ(next.choose("block", kWays, clock.timed()), 2U);
  EXPECT_EQ(clock.calls, 0);
}

TEST(TileChooser, TakesTheFirstWithoutTrials) {
  TileChooser chooser;
  Clock clock{1};
  EXPECT_EQ(chooser.choose("block", kWays, clock.timed()), 0U);
  EXPECT_EQ(clock.calls, 0);
}

TEST(TileChooser, HasAFileInTheUsersCache) {
  const auto with = [](const char* cache, const char* home) {
    setenv("XDG_CACHE_HOME", cache, 1);
    setenv("HOME", home, 1);
    return default_tile_file();
  };
  const char* const found = std::getenv("HOME");
  const std::string home = found != nullptr ? found : "";
  EXPECT_EQ(with("/c", "/h"), "/c/facepipe/cuda-tiles");
  EXPECT_EQ(with("", "/h"), "/h/.cache/facepipe/cuda-tiles");
  EXPECT_EQ(with("relative", "/h"), "/h/.cache/facepipe/cuda-tiles");
  EXPECT_EQ(with("", ""), "");
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", home.c_str(), 1);
}

}  // namespace
}  // namespace facepipe::detector::engine
