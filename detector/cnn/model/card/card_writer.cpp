#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "detector/cnn/model/card/card.h"
#include "detector/cnn/model/card/words.h"

namespace facepipe::detector {
namespace {

using Json = nlohmann::ordered_json;

/// Returns the shortest decimal number that a parser reads as the same float.
Json number(float value) {
  std::array<char, 32> text{};
  const auto* const end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  double result = 0;
  std::from_chars(text.data(), end, result);
  return result;
}

template <class Floats>
Json numbers(const Floats& values) {
  Json list = Json::array();
  for (const float value : values) list.push_back(number(value));
  return list;
}

template <class T, std::size_t Count>
Json word(const std::array<CardWord<T>, Count>& words, T value) {
  return word_for(std::span<const CardWord<T>>(words), value);
}

void put(Json& object, const char* name, const std::string& text) {
  if (!text.empty()) object[name] = text;
}

void put(Json& object, const char* name, const std::optional<float>& value) {
  if (value) object[name] = number(*value);
}

Json licence_json(const ModelLicence& licence) {
  Json object = Json::object();
  put(object, "code", licence.code);
  put(object, "weights", licence.weights);
  put(object, "data", licence.data);
  if (licence.commercial) object["commercial"] = *licence.commercial;
  return object;
}

Json input_json(const CardInput& input) {
  Json object;
  object["channels"] = word(kChannelWords, input.channels);
  object["mean"] = numbers(input.normalisation.mean);
  object["std"] = numbers(input.normalisation.deviation);
  object["pad"] = input.pad;
  object["multiple"] = input.multiple;
  object["size"] = input.size ? Json{input.size->width, input.size->height} : Json("own");
  object["looks"] = numbers(input.looks);
  return object;
}

Json outputs_json(const CardOutputs& outputs) {
  Json object = Json::object();
  const auto put_names = [&](const char* name, const std::vector<std::string>& names) {
    if (!names.empty()) object[name] = names;
  };
  put_names("score", outputs.score);
  put_names("object", outputs.object);
  put_names("box", outputs.box);
  put_names("points", outputs.points);
  put_names("all", outputs.all);
  put_names("class", outputs.its_class);
  return object;
}

Json anchors_json(const CardHead& head) {
  if (head.family == HeadFamily::scrfd) return head.anchors > 0 ? Json(head.anchors) : Json();
  Json strides = Json::array();
  for (const std::vector<AnchorSize>& sizes : head.anchor_sizes) {
    Json anchors = Json::array();
    for (const AnchorSize& size : sizes)
      anchors.push_back(head.family == HeadFamily::retinaface
                            ? number(size.width)
                            : Json{number(size.width), number(size.height)});
    strides.push_back(std::move(anchors));
  }
  return strides;
}

Json member_json(const CardHead& head, HeadMember member) {
  switch (member) {
    case HeadMember::outputs:
      return outputs_json(head.outputs);
    case HeadMember::strides:
      return head.strides;
    case HeadMember::anchors:
      return anchors_json(head);
    case HeadMember::variances:
      return numbers(head.variances);
    case HeadMember::bins:
      return head.bins;
    case HeadMember::scores:
      return word(kScoreWords, head.scores);
    case HeadMember::layout:
      return word(kLayoutWords, head.layout);
    case HeadMember::points:
      return {{"count", head.points}, {"values", head.point_values}};
  }
  return {};
}

Json head_json(const CardHead& head) {
  Json object;
  object["family"] = word(kFamilyWords, head.family);
  for (const CardWord<HeadMember>& member : kHeadMembers) {
    if (!has_member(head.family, member.value)) continue;
    Json value = member_json(head, member.value);
    if (!value.empty()) object[std::string(member.word)] = std::move(value);
  }
  return object;
}

Json class_json(const CardClass& of) {
  Json object;
  object["name"] = of.name;
  object["as"] = word(kClassWords, of.kind);
  put(object, "score", of.score);
  put(object, "grow", of.grow);
  return object;
}

}  // namespace

std::string to_json(const Card& card) {
  constexpr int kIndent = 1;
  Json object;
  object["facepipe_model"] = 1;
  put(object, "name", card.name);
  put(object, "sha256", card.sha256);
  if (Json licence = licence_json(card.licence); !licence.empty())
    object["licence"] = std::move(licence);
  object["input"] = input_json(card.input);
  object["head"] = head_json(card.head);
  object["classes"] = Json::array();
  for (const CardClass& entry : card.classes) object["classes"].push_back(class_json(entry));
  put(object, "score", card.score);
  put(object, "nms", card.nms);
  put(object, "reference_score", card.reference_score);
  // Names that come from a hostile file may contain invalid UTF-8.
  return object.dump(kIndent, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace facepipe::detector
