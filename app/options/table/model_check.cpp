// The rows that `model check` has alone.
#include "app/options/table.h"

namespace facepipe::app {

std::vector<Row> model_check_rows() {
  return {
      {.names = "MODEL",
       .help = "The file of the model",
       .value = {Argument{}},
       .endings = {".onnx", ".xml", ".json"},
       .places = {{kModelCheck, kChecking}}},
      {.names = "--picture",
       .kind = "FILE",
       .help = "Look at this picture, too, and write a copy with boxes",
       .fallback = "none",
       .value = {AnyText{"a file",
                         [](Asked& to, std::string_view text) { to.model_check.picture = text; }}},
       .places = {{kModelCheck, kChecking}}},
      {.names = "-o,--output",
       .kind = "FILE",
       .help = "The copy of the picture",
       .fallback = "beside the picture, NAME_faces.EXT",
       .value = {AnyText{"a file",
                         [](Asked& to, std::string_view text) { to.outputs.path = text; }}},
       .places = {{kModelCheck, kChecking}}},
      {.names = "--images",
       .kind = "DIR",
       .help = "Measure the model's reference score on the pictures in DIR/images, whose faces are "
               "listed in DIR/labels.txt. A draft then has this score",
       .fallback = "none",
       .value = {AnyText{"a folder",
                         [](Asked& to, std::string_view text) { to.model_check.images = text; }}},
       .places = {{kModelCheck, kChecking}}},
      {.names = "--draft",
       .kind = "FILE",
       .help = "Write the draft of a card, with all that facepipe knows about the model. With -, "
               "the draft goes to standard output, and everything else to standard error",
       .fallback = "none",
       .value = {AnyText{"a file",
                         [](Asked& to, std::string_view text) { to.model_check.draft = text; }}},
       .endings = {".json"},
       .places = {{kModelCheck, kChecking}}},
      {.names = "--overwrite",
       .help = "Replace a copy and a draft that exist",
       .fallback = "exit 5",
       .value = flag([](Asked& to) -> bool& { return to.outputs.overwrite; }),
       .places = {{kModelCheck, kChecking}}},
      {.names = "--timed-size",
       .kind = "WxH",
       .help = "Time the engines with a generated picture of this size",
       .fallback = "640x384",
       .value = {FormedText{[](Asked& to, const OptionText& given) {
         to.model_check.timed_size = parse_size(given, kSmallestDetectSide, kLargestDetectSide);
       }}},
       .places = {{kModelCheck, kChecking}}},
  };
}

}  // namespace facepipe::app
