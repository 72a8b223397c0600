// Holds the rows of options that report something: files beside the video, progress, the log, and
// tracks.
#include "app/options/table.h"

namespace facepipe::app {
namespace {

constexpr const char* kReports = "Reports";
constexpr const char* kTracks = "Tracks";

std::vector<Row> side_file_rows() {
  return {
      {.names = "--detections",
       .kind = "FILE",
       .help =
           "Write faces to F.jsonl (a line for each frame) or F.csv (a line for each face), or, "
           "with -, lines for each frame to standard output as the frames are finished",
       .value = file_or_stream_of({".jsonl", ".csv"},
                                  [](Asked& to) -> auto& { return to.run.files.detections; }),
       .places = {{kVideoCommands | kJoin, kReports}}},
      {.names = "--latency",
       .kind = "FILE",
       .help = "Write times of each frame in each stage to F.csv",
       .value = file_of({".csv"}, [](Asked& to) -> auto& { return to.run.files.latency; }),
       .places = {{kVideoCommands | kJoin, kReports}}},
      {.names = "--report",
       .kind = "FILE",
       .help = "Write what was done to each input to F.json",
       .value = file_of({".json"}, [](Asked& to) -> auto& { return to.run.files.report; }),
       .places = {{kVideoCommands | kJoin, kReports}}},
      {.names = "--report-html",
       .kind = "FILE",
       .help = "Write a page to look at to F.html; for several inputs, a table in F.html and pages "
               "in the folder F",
       .value = file_of({".html"}, [](Asked& to) -> auto& { return to.run.files.page; }),
       .places = {{kVideoCommands | kJoin, kReports}}},
  };
}

std::vector<Row> console_rows() {
  return {
      {.names = "--progress",
       .kind = "STYLE",
       .help = "auto (a bar on a terminal), json (a line a second on stdout), none",
       .value = choice<ProgressStyle>([](Asked& to) -> auto& { return to.console.progress; },
                                      {{"auto", ProgressStyle::automatic},
                                       {"json", ProgressStyle::json},
                                       {"none", ProgressStyle::none}}),
       .places = {{kVideoCommands | kPart | kJoin, kReports}}},
      {.names = "--log-level",
       .kind = "LEVEL",
       .help = "debug, info, warning or error",
       .value = choice<spdlog::level::level_enum>(
           [](Asked& to) -> auto& { return to.console.log_level; },
           {{"debug", spdlog::level::debug},
            {"info", spdlog::level::info},
            {"warning", spdlog::level::warn},
            {"error", spdlog::level::err}}),
       .places = {{kVideoWork | kPart | kJoin, kReports}, {kVerify, kFindings}}},
      {.names = "-q,--quiet",
       .help = "Only errors on stderr",
       .value = flag([](Asked& to) -> bool& { return to.console.quiet; }),
       .places = {{kVideoWork | kPart | kJoin, kReports},
                  {kVerify, kFindings},
                  {kCalibrate, kRanges}}},
      {.names = "--verbose",
       .help = "The closing table also says how long frames wait in each stage",
       .value = flag([](Asked& to) -> bool& { return to.console.verbose; }),
       .excludes = {"--quiet"},
       .places = {{kVideoCommands | kJoin, kReports}}},
  };
}

std::vector<Row> track_rows() {
  return {
      {.names = "--write-tracks",
       .kind = "FILE",
       .help = "Write what is found to F.json, an edit file whose tracks a person may change; for "
               "one input only",
       .value = file_of({".json"}, [](Asked& to) -> auto& { return to.run.files.tracks; }),
       .places = {{kHide | kDetect | kJoin, kTracks}}},
      {.names = "--tracks",
       .kind = "FILE",
       .help = "Hide what an edit file of this input says, and look for nothing",
       .fallback = "none",
       .value = {AnyText{
           "a file", [](Asked& to, std::string_view text) { to.run.files.known_tracks = text; }}},
       .endings = {".json"},
       .excludes = {"--write-tracks", "--detections", "--model", "--min-face", "--max-face",
                    "--detect-size", "--engine", "--precision", "--careful", "--two-pass",
                    "--every"},
       .places = {{kHide, kTracks}}},
  };
}

}  // namespace

std::vector<Row> report_rows() { return joined_rows({side_file_rows, console_rows, track_rows}); }

}  // namespace facepipe::app
