// Splits a video, makes its parts and joins them, with the real program.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/app/program.h"
#include "tests/support/packets.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {

/// Options with which tests are quick, and find the same on each machine.
inline const Arguments kQuick{"--detect-size", "128x96",    "--device", "cpu", "--precision",
                              "f32",           "--threads", "2",        "-q"};

/// A plan of parts, and the folder of the parts.
class PartsTest : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path plan() const { return dir_ / "plan.json"; }
  [[nodiscard]] std::filesystem::path folder() const { return dir_ / "parts"; }

  /// Splits an input, and makes the folder of the parts. Returns what the program has printed on
  /// stderr.
  std::string split(const std::string& command, const std::filesystem::path& input, int parts,
                    const Arguments& more) const {
    std::filesystem::create_directories(folder());
    const CommandResult result = run_program(
        joined({"split", command, input, "--parts", std::to_string(parts), "-o", plan()}, more));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.err;
  }
  [[nodiscard]] CommandResult part(int number) const {
    return run_program({"part", plan(), std::to_string(number), "--out", folder(), "-q"});
  }
  /// Makes these parts, in this order. Each must end with this exit code.
  void make(const std::vector<int>& numbers, int exit_code = 0) const {
    for (const int number : numbers) {
      const CommandResult result = part(number);
      ASSERT_EQ(result.exit_code, exit_code) << number << ": " << result.err;
    }
  }
  [[nodiscard]] CommandResult join(const std::string& name, const Arguments& more = {}) const {
    return run_program(joined({"join", plan(), "--from", folder(), "-o", dir_ / name, "-q"}, more));
  }
  /// Returns the names of all files in the folder of the parts.
  [[nodiscard]] std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder()))
      found.insert(entry.path().filename().string());
    return found;
  }
  /// Returns the part files, sorted by the numbers of the parts.
  [[nodiscard]] std::vector<std::filesystem::path> part_files() const {
    std::vector<std::filesystem::path> files;
    for (const std::string& name : names())
      if (name.starts_with("part-")) files.push_back(folder() / name);
    return files;
  }
  /// Expects that joining ends with exit code 3 and this reason, and makes no file.
  void expect_no_join(const std::string& reason) const {
    const CommandResult result = join("refused.mp4", {"--latency", dir_ / "refused.csv"});
    EXPECT_EQ(result.exit_code, 3) << result.err;
    EXPECT_THAT(result.err, testing::HasSubstr(reason));
    for (const std::string& name : dir_.names())
      EXPECT_THAT(name, testing::Not(testing::HasSubstr("refused")));
  }

  TemporaryFolder dir_;
};

/// Returns the only entry of a report.
inline nlohmann::json entry_of(const std::filesystem::path& report) {
  return nlohmann::json::parse(read_file(report)).at(0);
}

/// The packets of the video and of the sound, because their order in a file means nothing.
inline std::vector<FilePacket> sorted_packets(const std::filesystem::path& file) {
  std::vector<FilePacket> packets = packets_of(file);
  std::ranges::stable_sort(packets, {}, &FilePacket::stream);
  return packets;
}

}  // namespace facepipe::test
