// Makes clips that can be cut in different ways, or not at all. Compares the results of one lane
// and of several lanes.
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

/// Holds what a run reported, and the packets that it wrote.
struct Told {
  JobRun run;
  std::vector<FilePacket> packets;
};

[[nodiscard]] Told run_on_lanes(pipeline::JobOptions options, int lanes,
                                pipeline::Backend& backend);

/// Expects that records, ledger, notices, tracks and packets are equal, and that no frame remains.
void expect_same(const Told& found, const Told& expected);

/// Describes a clip, a job for it, and its number of cuts.
struct LaneRow {
  const char* name;
  const char* file;
  std::function<void(const std::filesystem::path& clip)> make;
  int cuts;  ///< exact number of cuts, which proves that lanes share the clip
  const char* output = "out.avi";
  std::optional<double> start_s = {};
  std::optional<double> end_s = {};
  std::int64_t frames = 250;  ///< least number of frames
  int threads = 2;            ///< number of threads of each decoder, the same on every machine
  bool is_whole = true;       ///< false: something is lost, damaged or cut off
};

void PrintTo(const LaneRow& row, std::ostream* out);

/// Returns ffmpeg's arguments for test pictures.
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

/// Makes the row's clip in `folder`. Expects that several lanes give the same results as one lane,
/// with video output (Motion JPEG) and without.
/// @param change  changes the options of all jobs
void expect_as_one_lane(
    const LaneRow& row, const std::filesystem::path& folder, pipeline::Backend& backend,
    std::initializer_list<int> lanes,
    const std::function<void(pipeline::JobOptions&)>& change = [](pipeline::JobOptions&) {});

/// Changes a job's options so that it hides faces and sometimes a region, and returns tracks.
void let_hide(pipeline::JobOptions& options);

}  // namespace facepipe::test
