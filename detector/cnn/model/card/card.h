// A model's card says what the model's file doesn't say: how pictures must be prepared for the
// network, how its outputs are read, and what the network finds.
//
// A card is JSON in a file beside the model, NAME.onnx.json. The schema is
// data/model-card.schema.json:
//
//   {"facepipe_model": 1, "name": "plates", "sha256": "...",
//    "input": {"channels": "rgb", "std": [255, 255, 255], "pad": 114},
//    "head": {"family": "yolo-dfl"},
//    "classes": [{"name": "licence plate", "as": "plate", "grow": 0.1}], "score": 0.3}
//
// Some models need no card, because facepipe recognises them by the content of their files
// (recognition.h). Cards are not trusted: facepipe checks every field, and refuses fields that it
// does not know.
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

/// The families of networks. All networks of a family have the same kind of outputs.
enum class HeadFamily {
  centerface,
  yunet,
  scrfd,         ///< distances from a place to a box's sides, for each anchor
  yolo_dfl,      ///< distributions of the same distances
  yolo_anchors,  ///< YOLO version 5 with faces: sizes of boxes, relative to anchors
  retinaface,    ///< offsets and sizes of boxes, relative to anchors
  boxes,         ///< boxes and scores, which the file itself decodes and may have selected
};

/// Says what a network gives as scores.
enum class ScoreKind { probability, logit, softmax2 };

/// Lists the values of a row, in order, in the output of a network of the family `boxes`.
enum class BoxLayout {
  cxcywh_classes,
  xyxy_classes,
  xyxy_score_class,
  xyxy_score,
  batch_xyxy_class_score,  ///< as in YOLOv7's and YOLOv9's exports with suppression
};

enum class ClassKind { face, head, person, plate, ignore };

struct CardInput {
  ChannelOrder channels = ChannelOrder::rgb;
  InputNormalisation normalisation;
  int pad = 0;        ///< level of the padding beside the picture: 0..255
  int multiple = 32;  ///< the input's sides are multiples of this: 32, 64 or 128
  /// The only size of the input; nullopt: the picture's own size, or for boxes the file's size.
  std::optional<Size> size;
  std::vector<float> looks{1.0F};  ///< 1 to 4 scales of the picture, each above 0, at most 4

  friend bool operator==(const CardInput&, const CardInput&) = default;
};

/// The names of the file's outputs, one name for each stride; for boxes, one name. If a list is
/// empty, facepipe finds these outputs by their shapes.
struct CardOutputs {
  std::vector<std::string> score;
  std::vector<std::string> object;
  std::vector<std::string> box;
  std::vector<std::string> points;
  std::vector<std::string> all;
  std::vector<std::string> its_class;  ///< only for boxes; a card calls it "class"

  friend bool operator==(const CardOutputs&, const CardOutputs&) = default;
};

/// Members that do not apply to the family keep their defaults.
struct CardHead {
  HeadFamily family = HeadFamily::centerface;
  CardOutputs outputs;
  std::vector<int> strides{8, 16, 32};
  int anchors = 0;  ///< for scrfd: anchors of each place, 1..9; 0: found by the outputs' shapes
  /// for yolo_anchors and retinaface: the anchors of each stride
  std::vector<std::vector<AnchorSize>> anchor_sizes;
  std::array<float, 2> variances{0.1F, 0.2F};  ///< for retinaface: variance of centres, of sizes
  int bins = 16;                               ///< for yolo_dfl: numbers in a distribution
  ScoreKind scores = ScoreKind::probability;
  BoxLayout layout = BoxLayout::cxcywh_classes;  ///< for boxes
  int points = 0;                                ///< number of landmarks of a box: 0..64
  int point_values = 2;                          ///< 3 if each landmark has a score

  friend bool operator==(const CardHead&, const CardHead&) = default;
};

struct CardClass {
  std::string name;
  ClassKind kind = ClassKind::face;
  std::optional<float> score;  ///< the class's score threshold; replaces Card::score
  /// The hidden area is larger than the box. `grow` is the growth on each side, as a share of the
  /// box's size: 0..4. nullopt: the growth that faces have.
  std::optional<float> grow;

  friend bool operator==(const CardClass&, const CardClass&) = default;
};

struct Card {
  std::string name;    ///< for reports: a-z, 0-9, ".", "-" and "_"; empty if the card has none
  std::string sha256;  ///< SHA-256 of the model's file; empty: the card is for any file
  ModelLicence licence;
  CardInput input;
  CardHead head;
  std::vector<CardClass> classes{{"face", ClassKind::face, std::nullopt, std::nullopt}};
  std::optional<float> score;  ///< score threshold of faces, if the user sets none: 0..1
  std::optional<float> nms;    ///< threshold of suppression, if the user sets none: 0..1
  /// The score at which the network finds one false positive in each picture, on average. It makes
  /// the scores of different networks comparable (core/score_scale.h). Above 0, below 1.
  std::optional<float> reference_score;

  friend bool operator==(const Card&, const Card&) = default;
};

/// Returns the word for a family in cards, for example "yolo-dfl".
[[nodiscard]] std::string_view name_of(HeadFamily family);

/// Returns the word for a kind of class in cards, for example "plate".
[[nodiscard]] std::string_view name_of(ClassKind kind);

/// Throws Error(device): "card ORIGIN: REASON".
[[noreturn]] void refuse_card(const std::string& origin, const std::string& reason);

/// Parses a card of the model whose SHA-256 is `model_sha256`. Throws the error of refuse_card() if
/// a field is wrong, or if the card was made for another model. The reason begins with the path of
/// the wrong field ("head.strides[1]").
[[nodiscard]] Card parse_card(std::string_view json, const std::string& origin,
                              std::string_view model_sha256);

/// Reads and parses a card's file. Throws the errors of parse_card(). Throws the error of
/// refuse_card() if the file is missing, not regular, unreadable or larger than 256 KiB.
[[nodiscard]] Card read_card(const std::filesystem::path& file, std::string_view model_sha256);

/// Returns the path at which facepipe looks for a model's card: "MODEL.json".
[[nodiscard]] std::filesystem::path card_file(const std::filesystem::path& model);

/// Returns a card as JSON, with all members that its family has, except empty ones. parse_card()
/// makes an equal card of this JSON.
[[nodiscard]] std::string to_json(const Card& card);

}  // namespace facepipe::detector
