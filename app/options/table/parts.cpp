// The rows of split run, split hide, part and join: a video is made in parts.
#include "app/options/table.h"
#include "app/parts/part_plan.h"

namespace facepipe::app {
namespace {

std::vector<Row> plan_of_parts_rows() {
  return {
      {.names = "INPUT",
       .help = "The video, a file that all machines see under this name",
       .value = {Argument{}},
       .places = {{kSplitCommands, kInputOutput}}},
      {.names = "-o,--output",
       .kind = "FILE",
       .help = "Write the plan to F.json",
       .fallback = "beside the input, NAME.parts.json",
       .value = {FileOf{{".json"}, [](Asked& to) -> auto& { return to.plan_of_parts; }}},
       .places = {{kSplitCommands, kInputOutput}}},
      {.names = "--parts",
       .kind = "N",
       .help = "Make the video in at most N parts, each with an encoder of its own, and join them, "
               "as split, part and join do on several machines",
       .fallback = "as a whole",
       .value = {Integer{1, kMostParts, "", [](Asked& to, int parts) { to.run.parts = parts; }}},
       .places = {{kRun | kHide, kTogether}}},
      {.names = "--parts",
       .kind = "N",
       .help = "The most parts. They are about equally long; there are fewer if the video can't be "
               "cut at enough places. With split hide, a part begins with a new scene if one "
               "begins within a minute",
       .fallback = std::to_string(kUsualParts),
       .value = {Integer{1, kMostParts, "", [](Asked& to, int parts) { to.run.parts = parts; }}},
       .places = {{kSplitCommands, kTogether}}},
      {.names = "PLAN",
       .help = "A plan that split run or split hide has written",
       .value = {Argument{}},
       .endings = {".json"},
       .places = {{kPart | kJoin, kInputOutput}}},
      {.names = "PART",
       .help = "The number of the part, from 1 on; or auto: the index of this task in an array of "
               "Slurm, Kubernetes, AWS Batch or MPI",
       .value = {Argument{}},
       .words = {"auto"},
       .places = {{kPart, kInputOutput}}},
  };
}

std::vector<Row> tracks_rows() {
  return {
      {.names = "--tracks",
       .kind = "FILE",
       .help = "Hide what an edit file of this input says, and look for nothing. All machines "
               "see the file under this name",
       .fallback = "none",
       .value = {AnyText{
           "a file", [](Asked& to, std::string_view text) { to.run.files.known_tracks = text; }}},
       .endings = {".json"},
       .excludes = {"--model", "--min-face", "--max-face", "--detect-size", "--engine",
                    "--precision", "--careful"},
       .places = {{kSplitHide, "Tracks"}}}};
}

std::vector<Row> folder_rows() {
  const auto folder = [](Asked& to, std::string_view text) { to.folder = text; };
  return {
      {.names = "--out",
       .kind = "DIR",
       .help =
           "The folder for part files, which all machines see; it is made if it is missing. A part "
           "that is there already is not made again",
       .fallback = "the current folder",
       .value = {AnyText{"a folder", folder}},
       .places = {{kPart, kInputOutput}}},
      {.names = "--from",
       .kind = "DIR",
       .help = "The folder with the part files",
       .fallback = "the current folder",
       .value = {AnyText{"a folder", folder}},
       .places = {{kJoin, kInputOutput}}},
  };
}

}  // namespace

std::vector<Row> part_rows() { return joined_rows({plan_of_parts_rows, tracks_rows, folder_rows}); }

}  // namespace facepipe::app
