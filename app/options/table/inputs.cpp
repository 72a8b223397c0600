// The rows of what is read, which part of it, and what is written.
#include "app/options/table.h"
#include "core/limits.h"

namespace facepipe::app {
namespace {

constexpr const char* kInput = "Input";  // of verify, which writes no video

}  // namespace

std::vector<Row> argument_rows() {
  return {
      {.names = "INPUT",
       .help = "A video, a still image, a directory, a URL, or - for standard input. facepipe "
               "searches directories, but leaves out earlier outputs (*_faces.*, *_hidden.*, "
               "*.partial*) and hidden files. Put names that look like options behind --",
       .value = {Argument{.several = true}},
       .places = {{kVideoCommands, kInputOutput}}},
      {.names = "INPUT",
       .help = "The video to review, a file",
       .value = {Argument{}},
       .places = {{kReview, kInputOutput}}},
      {.names = "ORIGINAL",
       .help = "The video as it was, or - for standard input",
       .value = {Argument{}},
       .places = {{kVerify, kInput}}},
      {.names = "HIDDEN",
       .help = "The same video with its faces hidden, or -",
       .value = {Argument{}},
       .places = {{kVerify, kInput}}},
      {.names = "PICTURE",
       .help = "A photo, or a video whose first picture counts, with faces like those that you "
               "look for",
       .value = {Argument{.several = true}},
       .places = {{kCalibrate, kRanges}}},
  };
}

namespace {

Row sandbox_row() {
  return {.names = "--sandbox",
          .kind = "MODE",
          .help =
              "auto, on, process or off: reach only the files of this command, start no program, "
              "and open "
              "no connection unless an input is a URL, even if a hostile input takes over. auto: "
              "on, unless a CUDA device may be used, and with a warning where the kernel can't; "
              "on: exit 4 where the kernel can't; process (run, hide and detect of files, on the "
              "CPU): the same, and each input is decoded in a process that can't write, and can "
              "read no other input",
          .value = choice<SandboxMode>([](Asked& to) -> auto& { return to.sandbox; },
                                       {{"auto", SandboxMode::automatic},
                                        {"on", SandboxMode::on},
                                        {"process", SandboxMode::process},
                                        {"off", SandboxMode::off}}),
          .places = {{kVideoWork | kPart | kJoin, kInputOutput},
                     {kVerify, kInput},
                     {kCalibrate, kRanges},
                     {kModelCheck, kChecking}}};
}

}  // namespace

std::vector<Row> input_rows() {
  return {
      {.names = "--allow-references",
       .help = "Inputs may be playlists (HLS, DASH, ffconcat), which name other files",
       .fallback = "exit 3",
       .value = flag([](Asked& to) -> bool& { return to.allow_references; }),
       .places = {{kVideoCommands, kInputOutput}, {kVerify, kInput}}},
      sandbox_row(),
      {.names = "-o,--output",
       .kind = "PATH",
       .help = "The output file; or - for standard output; or a directory that exists, or a name "
               "that ends in '/', of a directory that facepipe makes; or an image's name that "
               "contains %05d or the like, for one image for each frame",
       .fallback = "beside the input, NAME_faces.EXT; hide: NAME_hidden.EXT",
       .value = {AnyText{"a path",
                         [](Asked& to, std::string_view text) { to.outputs.path = text; }}},
       .places = {{kRun | kHide | kReview | kJoin, kInputOutput}}},
      {.names = "--format",
       .kind = "NAME",
       .help = "FFmpeg's name of the output's container format",
       .fallback = "by the output's name; matroska on standard output",
       .value = {AnyText{
           "the name of a container format",
           [](Asked& to, std::string_view text) { to.run.job.output.format = text; }}},
       .places = {{kRun | kHide | kReview, kInputOutput}}},
      {.names = "--overwrite",
       .help = "Replace outputs that exist",
       .fallback = "exit 5",
       .value = flag([](Asked& to) -> bool& { return to.outputs.overwrite; }),
       .places = {{kVideoWork | kJoin, kInputOutput}}},
      {.names = "--skip-existing",
       .help = "Leave out inputs that an earlier run has done, and go on with the lines of "
               "--detections, --latency and --report",
       .fallback = "exit 5",
       .value = flag([](Asked& to) -> bool& { return to.outputs.skip_existing; }),
       .places = {{kVideoCommands | kJoin, kInputOutput}}},
      {.names = "--no-video",
       .help = "Write no video",
       .fallback = "write it",
       .value = flag([](Asked& to) -> bool& { return to.outputs.no_video; }),
       .places = {{kRun | kHide, kInputOutput}}},
      {.names = "--max-pixels",
       .kind = "N",
       .help = "Refuse pictures of more pixels before facepipe decodes them",
       .value =
           integer(1, int{kMostPixels}, [](Asked& to) -> std::int64_t& { return to.max_pixels; }),
       .places = {{kVideoWork, kInputOutput}, {kVerify, kInput}}},
      {.names = "--start",
       .kind = "TIME",
       .help = "Begin at: seconds, or [HH:]MM:SS[.frac]",
       .fallback = "the beginning",
       .value = {FormedText{[](Asked& to, const OptionText& given) {
         to.run.job.input.start_s = parse_time(given);
       }}},
       .places = {{kVideoCommands, kInputOutput}}},
      {.names = "--end",
       .kind = "TIME",
       .help = "End before: seconds, or [HH:]MM:SS[.frac]",
       .fallback = "the end",
       .value = {FormedText{
           [](Asked& to, const OptionText& given) { to.run.job.input.end_s = parse_time(given); }}},
       .places = {{kVideoCommands, kInputOutput}}},
  };
}

}  // namespace facepipe::app
