#include "app/options/detection_option_groups.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/options/option_declaration.h"
#include "app/options/values.h"
#include "app/output/text.h"

namespace facepipe {
namespace {

constexpr int kSmallestDetectSide = 16;
constexpr int kLargestDetectSide = 8192;
constexpr double kLargestFace = 1e5;
constexpr double kLeastSoft = 1e-6;  // of numbers that must be above 0
constexpr double kMostSoft = 1e6;

/// The value whose name was given.
template <typename T>
T parse_named(const OptionText& given, std::initializer_list<T> values) {
  std::vector<std::pair<std::string_view, T>> choices;
  for (const T value : values) choices.emplace_back(name_of(value), value);
  return parse_choice<T>(given, choices);
}

}  // namespace

void add_detection(CLI::App& app, ParsedOptions& to) {
  RunOptions& run = to.run;
  add_value(app, "--model", "FILE", "Face model, ONNX (CenterFace or YuNet)",
            "$FACEPIPE_MODEL, else\nmodels/centerface.onnx beside the program or in its share/",
            [&](const OptionText& given) { run.detector.model = given.text; });
  add_value(app, "--score", "0..1", "Faces score more than this",
            shown(run.detector.score_threshold), [&](const OptionText& given) {
              run.detector.score_threshold = static_cast<float>(parse_number(given, 0, 1));
            });
  add_value(app, "--min-face", "PIXELS", "Smallest face, by the shorter side of its box",
            shown(run.job.min_face), [&](const OptionText& given) {
              run.job.min_face = parse_number(given, 0, kLargestFace);
            });
  add_value(app, "--max-face", "PIXELS", "Largest face, by the longer side; 0: no limit",
            shown(run.job.max_face), [&](const OptionText& given) {
              run.job.max_face = parse_number(given, 0, kLargestFace);
            });
  add_value(app, "--detect-size", "WxH", "Size at which faces are looked for; aspect ratio kept",
            "the frame's own", [&](const OptionText& given) {
              run.detector.detect_size = parse_size(given, kSmallestDetectSide, kLargestDetectSide);
            });
}

void add_suppression(CLI::App& app, ParsedOptions& to) {
  NmsOptions& nms = to.run.job.nms;
  add_value(app, "--iou", "0..1", "Of boxes that overlap more than this the best stays",
            shown(nms.threshold), [&](const OptionText& given) {
              nms.threshold = static_cast<float>(parse_number(given, 0, 1));
            });
  add_value(app, "--nms-rule", "RULE",
            "greedy (exact); fast (falls to any better box, kept or not); soft (scores\nfall "
            "instead); matrix (Oro et al. 2020)",
            std::string(name_of(nms.rule)), [&](const OptionText& given) {
              nms.rule = parse_named(
                  given, {NmsRule::greedy, NmsRule::fast, NmsRule::soft, NmsRule::matrix});
            });
  add_value(app, "--nms-overlap", "MEASURE",
            "iou; diou (spares neighbours whose centres are apart); winner-area\n(common area by "
            "the better box' own)",
            std::string(name_of(nms.overlap)), [&](const OptionText& given) {
              nms.overlap =
                  parse_named(given, {NmsOverlap::iou, NmsOverlap::diou, NmsOverlap::winner_area});
            });
  app.add_flag("--nms-voting", nms.voting,
               "A kept box becomes the mean, by score, of those that fell to it (default: off)");
}

void add_suppression_experiments(CLI::App& app, ParsedOptions& to) {
  NmsOptions& nms = to.run.job.nms;
  MatrixOptions& matrix = nms.matrix;
  add_value(app, "--nms-decay", "DECAY", "soft: gaussian or linear",
            std::string(name_of(nms.soft.decay)), [&](const OptionText& given) {
              nms.soft.decay = parse_named(given, {SoftDecay::gaussian, SoftDecay::linear});
            });
  add_value(app, "--nms-sigma", "S", "soft, gaussian: the larger the slower scores fall",
            shown(nms.soft.sigma), [&](const OptionText& given) {
              nms.soft.sigma = static_cast<float>(parse_number(given, kLeastSoft, kMostSoft));
            });
  add_value(app, "--nms-min-score", "S", "soft: faces keep a score of at least this", "as --score",
            [&](const OptionText& given) {
              to.min_score = static_cast<float>(parse_number(given, kLeastSoft, 1));
            });
  add_value(app, "--nms-d-max", "N", "matrix: candidates that it has room for",
            std::to_string(matrix.d_max), [&](const OptionText& given) {
              matrix.d_max = static_cast<std::uint32_t>(parse_integer(given, 1, kMaxMatrixSide));
            });
  add_value(app, "--nms-k", "K", "matrix: parts of a row's reduction; d_max / k is at most 1024",
            std::to_string(matrix.k), [&](const OptionText& given) {
              matrix.k = static_cast<std::uint32_t>(parse_integer(given, 1, kMaxMatrixSide));
            });
  app.add_flag("--nms-squares", matrix.squares,
               "matrix: boxes are squares of their longer side (default: off)");
  app.add_flag("--nms-plus-one", matrix.plus_one,
               "matrix: boxes are a pixel longer, as published (default: off)");
}

}  // namespace facepipe
