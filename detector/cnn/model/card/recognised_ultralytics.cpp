#include <onnx/onnx_pb.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <utility>

#include "detector/cnn/model/card/limits.h"
#include "detector/cnn/model/card/python_literal.h"
#include "detector/cnn/model/card/recognition.h"
#include "detector/model_file.h"

namespace facepipe::detector {
namespace {

/// Words in the name of a class, and the kind of class that each word means. If a name contains
/// several of these words, the first one in this table counts.
constexpr std::array<std::pair<std::string_view, ClassKind>, 11> kNames{
    {{"face", ClassKind::face},
     {"head", ClassKind::head},
     {"plate", ClassKind::plate},
     {"licenceplate", ClassKind::plate},
     {"licenseplate", ClassKind::plate},
     {"numberplate", ClassKind::plate},
     {"person", ClassKind::person},
     {"people", ClassKind::person},
     {"pedestrian", ClassKind::person},
     {"man", ClassKind::person},
     {"woman", ClassKind::person}}};

class Metadata {
 public:
  Metadata(const onnx::ModelProto& model, const std::string& source)
      : model_(model), source_(source) {}

  [[noreturn]] void refuse(const std::string& field, const std::string& reason) const {
    refuse_model(source_, "metadata " + field + ": " + reason);
  }

  /// Returns the value of a key, or an empty text if the file lacks the key.
  [[nodiscard]] std::string_view text(std::string_view key) const {
    for (const auto& entry : model_.metadata_props())
      if (entry.key() == key) return entry.value();
    return {};
  }

 private:
  const onnx::ModelProto& model_;
  const std::string& source_;
};

/// Splits a name into words of lower-case letters. For example, "License_Plate" gives "license" and
/// "plate".
std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    const bool letter = std::isalpha(static_cast<unsigned char>(c)) != 0;
    if (letter) words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (!letter && !words.back().empty()) words.emplace_back();
  }
  return words;
}

std::optional<ClassKind> kind_of(const std::string& name) {
  const std::vector<std::string> words = words_of(name);
  for (const auto& [word, kind] : kNames)
    if (std::ranges::any_of(words, [word = word](const std::string& other) {
          return other == word || other == std::string(word) + "s";
        }))
      return kind;
  return std::nullopt;
}

/// Returns the first `longest` bytes of a text. Replaces bytes that aren't printable ASCII by "?".
std::string printable(std::string_view text, std::size_t longest) {
  std::string result;
  for (const char c : text.substr(0, longest))
    result += static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) > '~' ? '?' : c;
  return result;
}

/// Returns `name`, or a name with the same beginning if `known` contains `name`. All names in a
/// card must differ.
std::string unlike(const std::set<std::string>& known, const std::string& name) {
  std::string result = name;
  for (std::size_t number = known.size() + 1; known.contains(result); ++number) {
    const std::string ending = "+" + std::to_string(number);
    result = name.substr(0, kLongestName - ending.size()) + ending;
  }
  return result;
}

std::vector<CardClass> classes_of(const Metadata& metadata) {
  const auto names = python_names(metadata.text("names"), kMostClasses);
  if (!names || names->empty()) metadata.refuse("names", "not a list of class names");
  std::vector<CardClass> classes;
  std::set<std::string> known;
  for (const std::string& given : *names) {
    std::string name = printable(given, kLongestName);
    if (name.empty()) name = "class " + std::to_string(classes.size());
    name = unlike(known, name);
    known.insert(name);
    const ClassKind otherwise = names->size() == 1 ? ClassKind::face : ClassKind::ignore;
    classes.push_back({name, kind_of(given).value_or(otherwise), std::nullopt, std::nullopt});
  }
  if (std::ranges::all_of(classes, [](const auto& c) { return c.kind == ClassKind::ignore; }))
    metadata.refuse("names", "no class is a face, a head, a person or a plate");
  return classes;
}

/// Returns the head of a file, which may also contain the suppression (nms=True, end2end). facepipe
/// reads the maps before the file's own decoding, so it doesn't matter what follows.
CardHead head_of(const Metadata& metadata) {
  CardHead head;
  head.family = HeadFamily::yolo_dfl;
  if (metadata.text("stride") != "32")
    metadata.refuse("stride", "only 32 is supported, not " + printable(metadata.text("stride"), 8));
  if (metadata.text("task") != "pose") return head;
  const auto shape = python_integers(metadata.text("kpt_shape"), 2);
  const bool fits = shape && shape->size() == 2 && (*shape)[0] <= kMostPoints &&
                    ((*shape)[1] == 2 || (*shape)[1] == 3);
  if (!fits) metadata.refuse("kpt_shape", "not the number of points and of their values");
  head.points = (*shape)[0];
  head.point_values = (*shape)[1];
  return head;
}

}  // namespace

std::optional<Card> recognised_ultralytics(const onnx::ModelProto& model,
                                           const std::string& source) {
  const Metadata metadata(model, source);
  const std::string_view task = metadata.text("task");
  const bool by_ultralytics = metadata.text("author") == "Ultralytics" && !task.empty();
  if (!by_ultralytics) return std::nullopt;
  if (task != "detect" && task != "pose")
    metadata.refuse("task", "only detect and pose are supported, not " + printable(task, 16));
  constexpr float kLevels = 255;
  constexpr int kGrey = 114;  // level of the padding in training
  constexpr float kNms = 0.45F;
  Card card;
  card.name = "yolo";
  card.licence.weights = printable(metadata.text("license"), kLongestText);
  card.input.normalisation.deviation = {kLevels, kLevels, kLevels};
  card.input.pad = kGrey;
  card.head = head_of(metadata);
  card.classes = classes_of(metadata);
  card.nms = kNms;
  return card;
}

}  // namespace facepipe::detector
