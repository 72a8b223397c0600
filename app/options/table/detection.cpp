// The rows of how faces are found, and of the removal of detections that overlap.
#include "app/options/table.h"
#include "detector/families.h"

namespace facepipe::app {
namespace {

constexpr const char* kSuppression = "Suppression";

constexpr double kLargestFace = 1e5;
constexpr double kLeastScaleFactor = 1.01;
constexpr double kMostScaleFactor = 10;
constexpr double kLeastSoft = 1e-6;  // of numbers that must be above 0
constexpr double kMostSoft = 1e6;
constexpr int kMostNeighbours = 1000;

constexpr const char* kModelPlaces =
    "$FACEPIPE_MODEL, else models/centerface.onnx beside the program or in its share/";

/// Returns the endings of model files, of all families.
std::vector<std::string> model_endings() { return {".onnx", ".xml", ".json"}; }

Value model() {
  return {AnyText{"", [](Asked& to, std::string_view text) { to.detector.model = text; }}};
}

std::vector<Row> score_rows() {
  return {{.names = "--score",
           .kind = "0..1",
           .help = "Faces score more than this",
           .fallback = "the score of the model's card, else 0.5",
           .value = {Number{0, 1,
                            [](Asked& to, double value) { to.score = static_cast<float>(value); }}},
           .places = {{kRun, kDetection}, {kModelCheck, kChecking}}}};
}

std::vector<Row> model_rows() {
  return {
      {.names = "--model",
       .kind = "FILE",
       .help = "Face model: " + detector::model_files() +
               ", or the name of a model that facepipe has: centerface, or centerface-hide, which "
               "finds more turned, covered and blurred faces. Given several times, each frame is "
               "searched with all of these models",
       .fallback = kModelPlaces,
       .value = {AnyText{"",
                         [](Asked& to, std::string_view text) { to.models.emplace_back(text); }}},
       .endings = model_endings(),
       .again = true,
       .places = {{kVideoWork | kVerify, kDetection}}},
      {.names = "--model",
       .kind = "FILE",
       .help = "Face model: " + detector::files_with(detector::Precision::i8),
       .fallback = kModelPlaces,
       .value = model(),
       .endings = model_endings(),
       .places = {{kCalibrate, kRanges}}},
      {.names = "--model",
       .kind = "FILE",
       .help = "Face model to try",
       .fallback = "as in run",
       .value = model(),
       .endings = model_endings(),
       .places = {{kDoctor, "Options"}}},
  };
}

std::vector<Row> card_rows() {
  const Value card{
      AnyText{"a file", [](Asked& to, std::string_view text) { to.detector.card = text; }}};
  return {{.names = "--card",
           .kind = "FILE",
           .help = "The card of the model, JSON that says how a network is read and what it finds; "
                   "only with one model",
           .fallback = "MODEL.json beside the model, if it is there",
           .value = card,
           .endings = {".json"},
           .places = {{kVideoWork | kVerify, kDetection},
                      {kCalibrate, kRanges},
                      {kModelCheck, kChecking},
                      {kDoctor, "Options"}}}};
}

std::vector<Row> class_rows() {
  return {{.names = "--classes",
           .kind = "LIST",
           .help = "Look only for objects of these classes, by their names in the models' cards; "
                   "like face,plate",
           .fallback = "all that the models find",
           .value = {WordList{[](Asked& to, const std::vector<std::string>& words) {
             to.detector.classes = words;
           }}},
           .places = {{kVideoWork | kVerify, kDetection}}}};
}

std::vector<Row> size_rows() {
  return {
      {.names = "--min-face",
       .kind = "PIXELS",
       .help = "Smallest face, by the shorter side of its box",
       .value = number(0, kLargestFace, [](Asked& to) -> double& { return to.detector.min_face; }),
       .places = {{kVideoWork, kDetection}}},
      {.names = "--max-face",
       .kind = "PIXELS",
       .help = "Largest face, by the longer side of its box; 0: no limit",
       .value = number(0, kLargestFace, [](Asked& to) -> double& { return to.detector.max_face; }),
       .places = {{kVideoWork, kDetection}}},
      {.names = "--scale-factor",
       .kind = "F",
       .help = "For " + detector::takers_of(&detector::TakenOptions::scale_factor) +
               ": the ratio of one face size to the next",
       .fallback = "1.1",
       .value = {Number{kLeastScaleFactor, kMostScaleFactor,
                        [](Asked& to, double value) { to.detector.scale_factor = value; }}},
       .places = {{kVideoWork, kDetection}}},
      {.names = "--detect-size",
       .kind = "WxH",
       .help = "Size at which faces are looked for; the aspect ratio is kept",
       .fallback = "the frame's own",
       .value = {FormedText{[](Asked& to, const OptionText& given) {
         to.detector.detect_size = parse_size(given, kSmallestDetectSide, kLargestDetectSide);
       }}},
       .places = {{kVideoWork | kVerify, kDetection}, {kModelCheck, kChecking}}},
  };
}

std::vector<Row> search_rows() {
  return {
      {.names = "--looks",
       .kind = "LIST",
       .help =
           "Look at each picture at these sizes, which are shares of the usual size; flip adds a "
           "look at the mirrored picture, at the first size; like 1,0.5,flip. One suppression "
           "removes the duplicates of all looks. Each look takes time. Only networks can have "
           "other sizes than 1",
       .fallback = "those of the model's card, else 1",
       .value = {WordList{[](Asked& to, const std::vector<std::string>& words) {
         to.detector.looks = parse_looks("--looks", words);
       }}},
       .words = {"1", "0.5", "flip"},
       .places = {{kVideoWork, kDetection}, {kModelCheck, kChecking}}},
      {.names = "--every",
       .kind = "N",
       .help = "Search only every Nth frame and at cuts, and follow faces through the frames "
               "between. This is faster and misses some faces; it runs on the CPU alone",
       .value = integer(1, pipeline::kMostEvery,
                        [](Asked& to) -> int& { return to.run.job.search.every; }),
       .places = {{kVideoWork, kDetection}}},
      {.names = "--careful",
       .help =
           "Also look at each picture mirrored, and turned by 90, 180 or 270 degrees in turn. Each "
           "of these looks takes as long as the first one. Follow faces for longer, and hide more "
           "around them",
       .value = flag([](Asked& to) -> bool& { return to.hiding.careful; }),
       .places = {{kHide | kDetect | kReview, kDetection}}},
      {.names = "--two-pass",
       .help = "Read the file twice: search all of it before anything is written",
       .fallback = "half a second ahead",
       .value = flag([](Asked& to) -> bool& { return to.run.two_pass; }),
       .places = {{kHide, kDetection}}},
  };
}

std::vector<Row> soft_rows() {
  return {
      {.names = "--nms-decay",
       .kind = "DECAY",
       .help = "soft: gaussian or linear",
       .value = named<nms::SoftDecay>(
           [](Asked& to) -> nms::SoftDecay& { return to.run.job.search.nms.soft.decay; },
           {nms::SoftDecay::gaussian, nms::SoftDecay::linear}),
       .places = {{kRun, kExperiments}}},
      {.names = "--nms-sigma",
       .kind = "S",
       .help = "soft, gaussian: scores fall more slowly if this is larger",
       .value = number(kLeastSoft, kMostSoft,
                       [](Asked& to) -> float& { return to.run.job.search.nms.soft.sigma; }),
       .places = {{kRun, kExperiments}}},
      {.names = "--nms-min-score",
       .kind = "S",
       .help = "soft: faces keep a score of at least this",
       .fallback = "as --score",
       .value = {Number{
           kLeastSoft, 1,
           [](Asked& to, double value) { to.nms_min_score = static_cast<float>(value); }}},
       .places = {{kRun, kExperiments}}},
  };
}

std::vector<Row> matrix_rows() {
  return {
      {.names = "--nms-d-max",
       .kind = "N",
       .help = "matrix: the number of candidates for which it has room",
       .value = integer(1, nms::kMaxMatrixSide,
                        [](Asked& to) -> auto& { return to.run.job.search.nms.matrix.d_max; }),
       .places = {{kRun, kExperiments}}},
      {.names = "--nms-k",
       .kind = "K",
       .help = "matrix: into how many parts a row is divided for its reduction; d_max / k is at "
               "most 1024",
       .value = integer(1, nms::kMaxMatrixSide,
                        [](Asked& to) -> auto& { return to.run.job.search.nms.matrix.k; }),
       .places = {{kRun, kExperiments}}},
      {.names = "--nms-neighbours",
       .kind = "N",
       .help = "opencv-groups: more than this many boxes must agree on a face",
       .value =
           integer(1, kMostNeighbours,
                   [](Asked& to) -> auto& { return to.run.job.search.nms.groups.min_neighbours; }),
       .places = {{kRun, kExperiments}}},
      {.names = "--nms-squares",
       .help = "matrix: boxes are squares of their longer side",
       .value = flag([](Asked& to) -> bool& { return to.run.job.search.nms.matrix.squares; }),
       .places = {{kRun, kExperiments}}},
      {.names = "--nms-plus-one",
       .help = "matrix: boxes are a pixel longer, as published",
       .value = flag([](Asked& to) -> bool& { return to.run.job.search.nms.matrix.plus_one; }),
       .places = {{kRun, kExperiments}}},
  };
}

std::vector<Row> motion_rows() {
  return {{.names = "--motion",
           .kind = "WHERE",
           .help = "On CUDA, motion is measured on the device, or on the host in a small luma "
                   "picture of each frame. Both find the same",
           .fallback = "auto, where the frames are",
           .value = choice<MotionPlace>([](Asked& to) -> MotionPlace& { return to.hiding.motion; },
                                        {{"auto", MotionPlace::with_frames},
                                         {"host", MotionPlace::host},
                                         {"device", MotionPlace::device}}),
           .places = {{kHide | kDetect, "Motion, in experiments"}}}};
}

}  // namespace

std::vector<Row> detection_rows() {
  return joined_rows({score_rows, model_rows, card_rows, class_rows, size_rows, search_rows});
}

std::vector<Row> suppression_rows() {
  return {
      {.names = "--iou",
       .kind = "0..1",
       .help = "Of two boxes that overlap by more than this, the one with the lower score is "
               "removed",
       .fallback = "that of the model's card, else 0.3",
       .value = {Number{0, 1, [](Asked& to, double value) { to.iou = static_cast<float>(value); }}},
       .places = {{kRun, kSuppression}}},
      {.names = "--nms-rule",
       .kind = "RULE",
       .help = "greedy (exact); fast (a box is removed by any better box, even by one that is "
               "removed itself); soft (scores fall instead); matrix (Oro et al. 2020); "
               "opencv-groups (similar boxes become their mean, on the CPU)",
       .value = named<nms::NmsRule>(
           [](Asked& to) -> nms::NmsRule& { return to.run.job.search.nms.rule; },
           {nms::NmsRule::greedy, nms::NmsRule::fast, nms::NmsRule::soft, nms::NmsRule::matrix,
            nms::NmsRule::groups}),
       .places = {{kRun, kSuppression}}},
      {.names = "--nms-overlap",
       .kind = "MEASURE",
       .help = "iou; diou (spares neighbours whose centres are apart); winner-area (the common "
               "area divided by the better box's own); smaller-area (divided by the smaller "
               "box's)",
       .value = named<nms::NmsOverlap>(
           [](Asked& to) -> nms::NmsOverlap& { return to.run.job.search.nms.overlap; },
           {nms::NmsOverlap::iou, nms::NmsOverlap::diou, nms::NmsOverlap::winner_area,
            nms::NmsOverlap::smaller_area}),
       .places = {{kRun, kSuppression}}},
      {.names = "--nms-voting",
       .help = "A kept box becomes the mean of itself and the boxes that it removed, weighted by "
               "score",
       .value = flag([](Asked& to) -> bool& { return to.run.job.search.nms.voting; }),
       .places = {{kRun, kSuppression}}},
  };
}

std::vector<Row> experiment_rows() { return joined_rows({soft_rows, matrix_rows, motion_rows}); }

}  // namespace facepipe::app
