// Clips for each way in which streams can or can't be cut, and what one lane and several lanes make
// of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/backend.h"
#include "tests/support/job.h"
#include "tests/support/packets.h"

namespace facepipe::test {

/// What a run reported and wrote.
struct Told {
  JobRun run;
  std::vector<FilePacket> packets;
};

[[nodiscard]] Told run_on_lanes(pipeline::JobOptions options, int lanes,
                                pipeline::Backend& backend);

/// Expects equal records, ledger, notices, tracks and packets, and that no frame is alive.
void expect_same(const Told& found, const Told& expected);

/// A clip, what to run with it, and its number of cuts.
struct LaneRow {
  const char* name;
  const char* file;
  std::function<void(const std::filesystem::path& clip)> make;
  int cuts;  ///< the exact number, so that each row is really cut
  const char* output = "out.avi";
  std::optional<double> start_s = {};
  std::optional<double> end_s = {};
  std::int64_t frames = 250;  ///< the expected number is this or more
  int threads = 2;            ///< threads of each decoder, on every machine
  bool is_whole = true;       ///< false: something is lost, damaged or cut off
};

void PrintTo(const LaneRow& row, std::ostream* out);

/// @param size  size of the pictures, such as 96x64
[[nodiscard]] std::string source(const std::string& size, double seconds);
extern const std::string kTenSeconds;  ///< 250 pictures of 96x64
extern const std::string kClosed;      ///< H.264 with a cut every 48 pictures

[[nodiscard]] const std::vector<LaneRow>& h264_rows();
[[nodiscard]] const std::vector<LaneRow>& hevc_rows();
[[nodiscard]] const std::vector<LaneRow>& other_rows();
[[nodiscard]] const std::vector<LaneRow>& broken_rows();
[[nodiscard]] const std::vector<LaneRow>& range_rows();
[[nodiscard]] const std::vector<LaneRow>& sound_rows();

/// Makes the row's clip in `folder`, and expects that several lanes make exactly what one lane
/// makes of it, with video (Motion JPEG) and without.
/// @param change  changes the options of all jobs
void expect_as_one_lane(
    const LaneRow& row, const std::filesystem::path& folder, pipeline::Backend& backend,
    std::initializer_list<int> lanes,
    const std::function<void(pipeline::JobOptions&)>& change = [](pipeline::JobOptions&) {});

/// Changes a job so that it hides faces and sometimes a region, and returns tracks.
void let_hide(pipeline::JobOptions& options);

}  // namespace facepipe::test
