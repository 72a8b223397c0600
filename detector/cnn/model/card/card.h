// A model's card says what its file doesn't: how pictures must look, how outputs are read, and what
// is found.
//
// A card is JSON in a file beside the model, NAME.onnx.json. Its schema is
// data/model-card.schema.json:
//
//   {"facepipe_model": 1, "name": "plates", "sha256": "...",
//    "input": {"channels": "rgb", "std": [255, 255, 255], "pad": 114},
//    "head": {"family": "yolo-dfl"},
//    "classes": [{"name": "licence plate", "as": "plate", "grow": 0.1}], "score": 0.3}
//
// Some files need no card, because their content tells what they are (recognition.h). Cards are not
// trusted: every field is checked, and no other field may be there.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/geometry.h"
#include "detector/cnn/model/canonical/normalisation.h"
#include "detector/cnn/model/known_models.h"
#include "detector/model_about.h"

namespace facepipe::detector {

/// Networks of one family have outputs of one kind.
enum class HeadFamily {
  centerface,
  yunet,
  scrfd,         ///< distances from a cell to a box's sides, for some anchors a cell
  yolo_dfl,      ///< YOLO from version 8 on: distributions of these distances
  yolo_anchors,  ///< YOLO version 5 with faces: sizes of boxes, relative to anchors
  retinaface,    ///< offsets and sizes of boxes, relative to anchors
  boxes,         ///< boxes and scores, after suppression
};

/// What a file's scores are.
enum class ScoreKind { probability, logit, softmax2 };

/// What a row holds of a box that a network of the family `boxes` gives.
enum class BoxLayout { cxcywh_classes, xyxy_score_class, xyxy_score };

/// What a class means for facepipe.
enum class ClassKind { face, head, person, plate, ignore };

struct CardInput {
  ChannelOrder channels = ChannelOrder::rgb;
  InputNormalisation normalisation;
  int pad = 0;                     ///< level beside the picture: 0..255
  int multiple = 32;               ///< of which the input's sides are multiples: 32, 64 or 128
  std::optional<Size> size;        ///< the only size of the input; none: the picture's own
  std::vector<float> looks{1.0F};  ///< 1 to 4 scales of the picture, each above 0, at most 4

  friend bool operator==(const CardInput&, const CardInput&) = default;
};

/// Names of the file's outputs, one for each stride. Empty lists are found by the outputs' shapes.
struct CardOutputs {
  std::vector<std::string> score;
  std::vector<std::string> object;
  std::vector<std::string> box;
  std::vector<std::string> points;
  std::vector<std::string> all;

  friend bool operator==(const CardOutputs&, const CardOutputs&) = default;
};

/// Members that a family doesn't have keep their defaults.
struct CardHead {
  HeadFamily family = HeadFamily::centerface;
  CardOutputs outputs;
  std::vector<int> strides{8, 16, 32};
  int anchors = 0;  ///< of a place, of scrfd: 1..9; 0: found by the outputs' shapes
  std::vector<std::vector<AnchorSize>> anchor_sizes;  ///< of each stride, of the other two
  std::array<float, 2> variances{0.1F, 0.2F};         ///< of retinaface: of centres, of sizes
  int bins = 16;                                      ///< of yolo-dfl: numbers in a distribution
  ScoreKind scores = ScoreKind::probability;
  BoxLayout layout = BoxLayout::cxcywh_classes;  ///< of boxes
  int points = 0;                                ///< landmarks of a box: 0..64
  int point_values = 2;                          ///< 3 if each landmark has a score

  friend bool operator==(const CardHead&, const CardHead&) = default;
};

struct CardClass {
  std::string name;
  ClassKind kind = ClassKind::face;
  std::optional<float> score;  ///< the least score, in place of the card's
  /// How much more than the box is hidden, on each side as a share of its size: 0..4. None:
  /// as for faces.
  std::optional<float> grow;

  friend bool operator==(const CardClass&, const CardClass&) = default;
};

struct Card {
  std::string name;    ///< for reports: a-z, 0-9, ".", "-" and "_"; empty if the card has none
  std::string sha256;  ///< of the only file that the card is for; empty: of any file
  ModelLicence licence;
  CardInput input;
  CardHead head;
  std::vector<CardClass> classes{{"face", ClassKind::face, std::nullopt, std::nullopt}};
  std::optional<float> score;  ///< the least score of a face, unless the user chooses one: 0..1
  std::optional<float> nms;    ///< the overlap for suppression, unless the user chooses one: 0..1
  /// The score at which the network finds one false positive in each picture, on average. Scores of
  /// different networks are compared by it (core/score_scale.h). Above 0, below 1.
  std::optional<float> reference_score;

  friend bool operator==(const Card&, const Card&) = default;
};

/// Returns the family's name in cards: "yolo-dfl".
[[nodiscard]] std::string_view name_of(HeadFamily family);

/// Returns the name in cards: "plate".
[[nodiscard]] std::string_view name_of(ClassKind kind);

/// Throws Error(device): "card ORIGIN: REASON".
[[noreturn]] void refuse_card(const std::string& origin, const std::string& reason);

/// Throws the error of refuse_card(), whose reason begins with the field ("head.strides[1]"), for a
/// card that is not as told above, or was made for another model than `model_sha256`.
[[nodiscard]] Card parse_card(std::string_view json, const std::string& origin,
                              std::string_view model_sha256);

/// Reads a card's file. Errors: as parse_card(), also for a file that is missing, not regular,
/// unreadable or larger than 256 KiB.
[[nodiscard]] Card read_card(const std::filesystem::path& file, std::string_view model_sha256);

/// Returns where a model's card is expected: "MODEL.json".
[[nodiscard]] std::filesystem::path card_file(const std::filesystem::path& model);

/// Writes a card with all members that its family has. parse_card() reads the same card again.
[[nodiscard]] std::string to_json(const Card& card);

}  // namespace facepipe::detector
