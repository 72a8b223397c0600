// The rows that verify and calibrate have alone.
#include "app/options/table.h"
#include "verify/verifier.h"

namespace facepipe::app {
namespace {

constexpr const char* kLooking = "Looking";

std::vector<Row> looking_rows() {
  return {
      {.names = "--tracks",
       .kind = "FILE",
       .help = "The edit file by which faces were hidden. All that it hides must be hidden, and "
               "faces that it keeps are listed apart",
       .value = file_of({".json"}, [](Asked& to) -> auto& { return to.verify.tracks; }),
       .places = {{kVerify, kLooking}}},
      {.names = "--score",
       .kind = "0.05..1",
       .help = "A face counts if the model gives it at least this score in one or more frames. A "
               "lower value also finds more places without a face",
       .fallback = "what 0.1 means for CenterFace",
       .value = {Number{
           verify::kLeastVerifyScore, 1,
           [](Asked& to, double value) { to.verify.score = static_cast<float>(value); }}},
       .places = {{kVerify, kLooking}}},
      {.names = "--quick",
       .help = "Look at pictures only as they are and reduced, which takes a quarter of the time",
       .fallback = "look at them mirrored and enlarged, too",
       .value = flag([](Asked& to) -> bool& { return to.verify.quick; }),
       .places = {{kVerify, kLooking}}},
      {.names = "--tolerate-cosmetic",
       .help = "Faces behind blur or mosaic, whose detail is weakened, don't change the exit code",
       .fallback = "exit 7",
       .value = flag([](Asked& to) -> bool& { return to.verify.tolerate_cosmetic; }),
       .places = {{kVerify, kLooking}}},
  };
}

std::vector<Row> finding_rows() {
  return {
      {.names = "--report",
       .kind = "FILE",
       .help = "Write all that was found to F.json",
       .value = file_of({".json"}, [](Asked& to) -> auto& { return to.verify.report; }),
       .places = {{kVerify, kFindings}}},
      {.names = "--report-html",
       .kind = "FILE",
       .help = "Write a page about all that was found to F.html; it has no pictures",
       .value = file_of({".html"}, [](Asked& to) -> auto& { return to.verify.page; }),
       .places = {{kVerify, kFindings}}},
      {.names = "--overwrite",
       .help = "Replace a report that exists",
       .fallback = "exit 5",
       .value = flag([](Asked& to) -> bool& { return to.outputs.overwrite; }),
       .places = {{kVerify, kFindings}}},
      {.names = "--thumbnails",
       .kind = "DIR",
       .help = "Write a picture of each finding into a new folder that only its owner can read: "
               "they may show faces",
       .fallback = "none",
       .value = {AnyText{"a folder",
                         [](Asked& to, std::string_view text) { to.verify.thumbnails = text; }}},
       .places = {{kVerify, kFindings}}},
  };
}

}  // namespace

std::vector<Row> verify_rows() { return joined_rows({looking_rows, finding_rows}); }

std::vector<Row> calibrate_rows() {
  return {
      {.names = "-o,--output",
       .kind = "FILE",
       .help = "The file of ranges to write",
       .fallback = "beside the model, MODEL.i8.json",
       .value = {AnyText{"a file",
                         [](Asked& to, std::string_view text) { to.outputs.path = text; }}},
       .endings = {".json"},
       .places = {{kCalibrate, kRanges}}},
      {.names = "--overwrite",
       .help = "Replace ranges that exist",
       .fallback = "exit 5",
       .value = flag([](Asked& to) -> bool& { return to.outputs.overwrite; }),
       .places = {{kCalibrate, kRanges}}},
  };
}

}  // namespace facepipe::app
