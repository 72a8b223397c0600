#include "detector/cnn/model/card/card.h"

#include <algorithm>
#include <cstdint>
#include <set>

#include "core/error.h"
#include "core/limits.h"
#include "detector/cnn/model/card/json_field.h"
#include "detector/cnn/model/card/limits.h"
#include "detector/cnn/model/card/words.h"
#include "detector/model_file.h"

namespace facepipe::detector {
namespace {

constexpr FileLimit kLimit{256 << 10, "larger than 256 KiB"};
// The numbers of anchors have the longest path: root, head, anchors, stride, anchor, number.
constexpr int kDeepest = 6;
constexpr std::size_t kSha256Digits = 64;
constexpr std::size_t kMostStrides = 5;
constexpr int kMostAnchors = 9;
constexpr int kMostBins = 64;
constexpr std::size_t kMostLooks = 4;
constexpr double kLargestLook = 4;
constexpr double kMostGrow = 4;
constexpr double kLeast = 1e-6;  // least allowed value of numbers that must be above 0
constexpr int kMostLevel = 255;

template <class T, std::size_t Count>
T choice(const JsonField& field, const std::array<CardWord<T>, Count>& words) {
  const std::string given = field.text(kLongestName);
  std::string all;
  for (const CardWord<T>& word : words) {
    if (word.word == given) return word.value;
    all += (all.empty() ? "" : ", ") + std::string(word.word);
  }
  field.refuse("not one of " + all);
}

int one_of(const JsonField& field, std::initializer_list<int> values) {
  std::string all;
  const int given = field.integer(0, INT16_MAX);
  for (const int value : values) {
    if (value == given) return value;
    all += (all.empty() ? "" : ", ") + std::to_string(value);
  }
  field.refuse("not one of " + all);
}

std::string name_from(const JsonField& field) {
  std::string name = field.text(kLongestName);
  const auto is_first = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  const auto is_plain = [&](char c) { return is_first(c) || c == '.' || c == '-' || c == '_'; };
  if (name.empty() || !is_first(name.front()) || !std::ranges::all_of(name, is_plain))
    field.refuse("not a name of a-z, 0-9, '.', '-' and '_' that begins with a letter or digit");
  return name;
}

std::string sha256_from(const JsonField& field, std::string_view model_sha256) {
  std::string sha256 = field.text(kSha256Digits);
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (sha256.size() != kSha256Digits || !std::ranges::all_of(sha256, is_digit))
    field.refuse("not a SHA-256 in lower-case hex");
  if (sha256 != model_sha256)
    field.refuse("made for another model; this one's is " + std::string(model_sha256));
  return sha256;
}

ModelLicence licence_from(const JsonField& field) {
  field.expect_members({"code", "weights", "data", "commercial"});
  ModelLicence licence;
  if (const auto code = field.find("code")) licence.code = code->text(kLongestText);
  if (const auto weights = field.find("weights")) licence.weights = weights->text(kLongestText);
  if (const auto data = field.find("data")) licence.data = data->text(kLongestText);
  if (const auto allowed = field.find("commercial")) licence.commercial = allowed->flag();
  return licence;
}

std::array<float, 3> planes_from(const JsonField& field, double least, double most) {
  constexpr std::size_t kPlanes = 3;
  const std::vector<JsonField> entries = field.list(kPlanes, kPlanes);
  std::array<float, kPlanes> values{};
  for (std::size_t i = 0; i < kPlanes; ++i) values[i] = entries[i].number(least, most);
  return values;
}

std::optional<Size> size_from(const JsonField& field) {
  constexpr int kLeastSide = 32;
  if (!field.is_list()) {
    if (field.text(kLongestName) != "own") field.refuse("neither \"own\" nor [width, height]");
    return std::nullopt;
  }
  const std::vector<JsonField> sides = field.list(2, 2);
  return Size{sides[0].integer(kLeastSide, kMaxPictureSide),
              sides[1].integer(kLeastSide, kMaxPictureSide)};
}

CardInput input_from(const JsonField& field) {
  constexpr double kLargestDeviation = 1000;
  constexpr double kLeastDeviation = 0.001;
  field.expect_members({"channels", "mean", "std", "pad", "multiple", "size", "looks"});
  CardInput input;
  if (const auto channels = field.find("channels"))
    input.channels = choice(*channels, kChannelWords);
  if (const auto mean = field.find("mean"))
    input.normalisation.mean = planes_from(*mean, 0, kMostLevel);
  if (const auto deviation = field.find("std"))
    input.normalisation.deviation = planes_from(*deviation, kLeastDeviation, kLargestDeviation);
  if (const auto pad = field.find("pad")) input.pad = pad->integer(0, kMostLevel);
  if (const auto multiple = field.find("multiple"))
    input.multiple = one_of(*multiple, {32, 64, 128});
  if (const auto size = field.find("size")) input.size = size_from(*size);
  if (const auto looks = field.find("looks")) {
    input.looks.clear();
    for (const JsonField& look : looks->list(1, kMostLooks))
      input.looks.push_back(look.number(kLeast, kLargestLook));
  }
  return input;
}

std::vector<std::string> names_from(const JsonField& field, std::string_view member) {
  std::vector<std::string> names;
  const auto list = field.find(member);
  if (!list) return names;
  for (const JsonField& name : list->list(1, kMostStrides))
    names.push_back(name.text(kLongestText));
  return names;
}

CardOutputs outputs_from(const JsonField& field) {
  field.expect_members({"score", "object", "box", "points", "all", "class"});
  return {names_from(field, "score"),  names_from(field, "object"), names_from(field, "box"),
          names_from(field, "points"), names_from(field, "all"),    names_from(field, "class")};
}

std::vector<int> strides_from(const JsonField& field) {
  std::vector<int> strides;
  for (const JsonField& entry : field.list(1, kMostStrides)) {
    const int stride = one_of(entry, {4, 8, 16, 32, 64, 128});
    if (!strides.empty() && stride <= strides.back()) entry.refuse("not above the one before it");
    strides.push_back(stride);
  }
  return strides;
}

/// Reads the side of a square anchor, or the width and the height of another anchor.
AnchorSize anchor_from(const JsonField& field, bool square) {
  if (square) {
    const float side = field.number(kLeast, kMaxPictureSide);
    return {side, side};
  }
  const std::vector<JsonField> sides = field.list(2, 2);
  return {sides[0].number(kLeast, kMaxPictureSide), sides[1].number(kLeast, kMaxPictureSide)};
}

void read_anchors(const JsonField& field, CardHead& head) {
  if (head.family == HeadFamily::scrfd) {
    head.anchors = field.integer(1, kMostAnchors);
    return;
  }
  for (const JsonField& stride : field.list(head.strides.size(), head.strides.size())) {
    std::vector<AnchorSize>& sizes = head.anchor_sizes.emplace_back();
    for (const JsonField& anchor : stride.list(1, kMostAnchors))
      sizes.push_back(anchor_from(anchor, head.family == HeadFamily::retinaface));
  }
}

void read_points(const JsonField& field, CardHead& head) {
  field.expect_members({"count", "values"});
  head.points = field.at("count").integer(0, kMostPoints);
  if (const auto values = field.find("values")) head.point_values = values->integer(2, 3);
}

void expect_head_members(const JsonField& field, HeadFamily family) {
  std::vector<std::string_view> known{"family"};
  for (const CardWord<HeadMember>& member : kHeadMembers) {
    known.push_back(member.word);
    const auto given = field.find(member.word);
    if (given && !has_member(family, member.value))
      given->refuse("family " + std::string(name_of(family)) + " has none");
  }
  field.expect_members(known);
}

CardHead head_from(const JsonField& field) {
  CardHead head;
  head.family = choice(field.at("family"), kFamilyWords);
  expect_head_members(field, head.family);
  head.scores = usual_scores(head.family);
  if (const auto outputs = field.find("outputs")) head.outputs = outputs_from(*outputs);
  if (const auto strides = field.find("strides")) head.strides = strides_from(*strides);
  if (const auto anchors = field.find("anchors")) read_anchors(*anchors, head);
  if (const auto variances = field.find("variances")) {
    const std::vector<JsonField> both = variances->list(2, 2);
    head.variances = {both[0].number(kLeast, 1), both[1].number(kLeast, 1)};
  }
  if (const auto bins = field.find("bins")) head.bins = bins->integer(2, kMostBins);
  if (const auto scores = field.find("scores")) head.scores = choice(*scores, kScoreWords);
  if (const auto points = field.find("points")) read_points(*points, head);
  if (has_member(head.family, HeadMember::layout))
    head.layout = choice(field.at("layout"), kLayoutWords);
  const bool needs_sizes =
      has_member(head.family, HeadMember::anchors) && head.family != HeadFamily::scrfd;
  if (needs_sizes && head.anchor_sizes.empty()) (void)field.at("anchors");
  return head;
}

std::optional<float> share_from(const JsonField& parent, const char* member, double most) {
  const auto field = parent.find(member);
  return field ? std::optional(field->number(0, most)) : std::nullopt;
}

CardClass class_from(const JsonField& field, std::set<std::string>& names) {
  field.expect_members({"name", "as", "score", "grow"});
  CardClass result;
  result.name = field.at("name").text(kLongestName);
  if (result.name.empty()) field.at("name").refuse("empty");
  if (!names.insert(result.name).second) field.at("name").refuse("another class has the same");
  if (const auto kind = field.find("as")) result.kind = choice(*kind, kClassWords);
  result.score = share_from(field, "score", 1);
  result.grow = share_from(field, "grow", kMostGrow);
  return result;
}

std::vector<CardClass> classes_from(const JsonField& field, HeadFamily family) {
  std::vector<CardClass> classes;
  std::set<std::string> names;
  for (const JsonField& entry : field.list(1, has_classes(family) ? kMostClasses : 1))
    classes.push_back(class_from(entry, names));
  if (std::ranges::all_of(classes, [](const auto& c) { return c.kind == ClassKind::ignore; }))
    field.refuse("all are ignored");
  return classes;
}

Card card_from(const JsonField& root, std::string_view model_sha256) {
  root.expect_members({"facepipe_model", "name", "sha256", "licence", "input", "head", "classes",
                       "score", "nms", "reference_score", "$schema"});
  (void)root.at("facepipe_model").integer(1, 1);
  if (const auto schema = root.find("$schema")) (void)schema->text(kLongestText);
  Card card;
  if (const auto name = root.find("name")) card.name = name_from(*name);
  if (const auto sha256 = root.find("sha256")) card.sha256 = sha256_from(*sha256, model_sha256);
  if (const auto licence = root.find("licence")) card.licence = licence_from(*licence);
  if (const auto input = root.find("input")) card.input = input_from(*input);
  card.head = head_from(root.at("head"));
  const bool names_channels = root.find("input") && root.at("input").find("channels");
  if (!names_channels) card.input.channels = usual_channels(card.head.family);
  if (const auto classes = root.find("classes"))
    card.classes = classes_from(*classes, card.head.family);
  card.score = share_from(root, "score", 1);
  card.nms = share_from(root, "nms", 1);
  if (const auto score = root.find("reference_score"))
    card.reference_score = score->number(kLeast, 1 - kLeast);
  return card;
}

}  // namespace

void refuse_card(const std::string& origin, const std::string& reason) {
  throw Error(ErrorKind::device, "card " + origin + ": " + reason);
}

Card parse_card(std::string_view json, const std::string& origin, std::string_view model_sha256) {
  if (json.size() > kLimit.bytes) refuse_card(origin, kLimit.reason);
  const nlohmann::json root = parse_json(json, kDeepest, origin, refuse_card);
  return card_from(JsonField(root, origin, refuse_card), model_sha256);
}

Card read_card(const std::filesystem::path& file, std::string_view model_sha256) {
  const std::string origin = file.string();
  const std::string bytes =
      read_file(file, kLimit, [&](const std::string& reason) { refuse_card(origin, reason); });
  return parse_card(bytes, origin, model_sha256);
}

std::filesystem::path card_file(const std::filesystem::path& model) {
  std::filesystem::path file = model;
  file += ".json";
  return file;
}

}  // namespace facepipe::detector
