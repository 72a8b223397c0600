#include "app/parts/part_plan.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/files/read_stream.h"
#include "core/files/sha256.h"
#include "detector/cnn/model/card/json_field.h"

namespace facepipe::app {
namespace {

using detector::JsonField;
using Json = nlohmann::ordered_json;

constexpr int kForm = 3;
constexpr const char* kFormName = "facepipe_parts";
constexpr std::size_t kMostArguments = 1000;
constexpr std::size_t kLongestText = 65536;
constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 25U;
constexpr int kMostThreads = 1024;

[[noreturn]] void refuse(const std::string& origin, const std::string& reason) {
  throw Error(ErrorKind::input, origin + ": is no plan of parts: " + reason);
}

std::string hash_text(std::uint64_t hash) {
  constexpr int kBase = 16;
  constexpr std::size_t kDigits = 16;
  std::string digits(kDigits, '0');
  std::string text(kDigits, '0');
  const char* const end = std::to_chars(text.data(), text.data() + kDigits, hash, kBase).ptr;
  const auto length = static_cast<std::size_t>(end - text.data());
  digits.replace(kDigits - length, length, text, 0, length);
  return digits;
}

std::uint64_t hash_of(const JsonField& field) {
  constexpr int kBase = 16;
  constexpr std::size_t kDigits = 16;
  const std::string text = field.text(kDigits);
  std::uint64_t hash = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), hash, kBase);
  if (status != std::errc() || end != text.data() + text.size() || hash_text(hash) != text)
    field.refuse("not 16 hexadecimal digits");
  return hash;
}

/// Returns a text that is an absolute path.
std::string path_of(const JsonField& field) {
  std::string path = field.text(kLongestText);
  if (!std::filesystem::path(path).is_absolute()) field.refuse("not an absolute path");
  return path;
}

/// Returns a text that is empty, or the name of a file without a folder.
std::string file_name_of(const JsonField& field) {
  std::string name = field.text(kLongestText);
  const std::filesystem::path path = name;
  if (path.filename() != path || name == "." || name == "..") field.refuse("not a file's name");
  return name;
}

std::vector<std::string> arguments_of(const JsonField& field) {
  std::vector<std::string> arguments;
  for (const JsonField& argument : field.list(2, kMostArguments))
    arguments.push_back(argument.text(kLongestText));
  // Only these commands may be taken from a file, because others write where the arguments say.
  if (arguments[0] != "split" || (arguments[1] != "run" && arguments[1] != "hide"))
    field.refuse("not those of split run or split hide");
  return arguments;
}

pipeline::SceneAfterCut scene_of(const JsonField& field) {
  constexpr int kMost = std::numeric_limits<int>::max();
  field.expect_members({"packets", "hash", "frames"});
  return {field.at("packets").integer(1, kMost), hash_of(field.at("hash")),
          field.at("frames").integer(1, kMost)};
}

/// @param cut  the index of the part's first packet
video::PacketPlace place_of(const JsonField& field, std::int64_t cut) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 4;
  field.expect_members({"packets", "hash", "dts", "pos"});
  video::PacketPlace place;
  place.packets = field.at("packets").long_integer(1, cut - 1);
  place.index = cut - place.packets;
  place.hash = hash_of(field.at("hash"));
  place.dts = field.at("dts").long_integer(-kMost, kMost);
  place.pos = field.at("pos").long_integer(0, kMost);
  return place;
}

/// @param cut  the index of the part's first packet
PlannedPart part_of(const JsonField& field, std::int64_t cut) {
  PlannedPart part{field.at("packets").integer(1, std::numeric_limits<int>::max()),
                   hash_of(field.at("hash"))};
  if (const auto next = field.find("next")) part.next = scene_of(*next);
  if (const auto before = field.find("before")) part.before = place_of(*before, cut);
  field.expect_members({"packets", "hash", "next", "before"});
  return part;
}

/// Returns the parts. Each scene lies within the next part.
std::vector<PlannedPart> parts_of(const JsonField& field, bool follows_faces) {
  std::vector<PlannedPart> parts;
  std::int64_t cut = 0;
  for (const JsonField& part : field.list(1, kMostParts)) {
    parts.push_back(part_of(part, cut));
    cut += parts.back().packets;
    if (parts.back().next && !follows_faces) part.refuse("followed by a scene, but no face is");
    if (parts.size() == 1) continue;
    const std::optional<pipeline::SceneAfterCut>& scene = parts[parts.size() - 2].next;
    if (scene && scene->packets > parts.back().packets)
      part.refuse("shorter than the packets up to its scene");
  }
  if (parts.back().next) field.refuse("not ending with a last part");
  return parts;
}

Json scene_json(const pipeline::SceneAfterCut& scene) {
  return {{"packets", scene.packets}, {"hash", hash_text(scene.hash)}, {"frames", scene.frames}};
}

Json place_json(const video::PacketPlace& place) {
  return {{"packets", place.packets},
          {"hash", hash_text(place.hash)},
          {"dts", place.dts},
          {"pos", place.pos}};
}

Json part_json(const PlannedPart& part) {
  Json json = {{"packets", part.packets}, {"hash", hash_text(part.hash)}};
  if (part.next) json["next"] = scene_json(*part.next);
  if (part.before) json["before"] = place_json(*part.before);
  return json;
}

std::string part_number(std::size_t number) { return std::to_string(number + 1); }

/// Returns a name such as "part-00001-0123456789abcdef".
std::string file_name(const std::string& kind, std::size_t number, const std::string& key) {
  constexpr std::size_t kDigits = 5;
  constexpr std::size_t kShownKey = 16;
  std::string digits = part_number(number);
  digits.insert(0, kDigits - std::min(kDigits, digits.size()), '0');
  return kind + '-' + digits + '-' + key.substr(0, kShownKey);
}

}  // namespace

std::vector<LongScene> long_scenes_of(const PartPlan& plan) {
  std::vector<LongScene> scenes;
  if (!plan.follows_faces) return scenes;
  std::size_t first = 0;
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    if (!plan.parts[i].next && i + 1 < plan.parts.size()) continue;
    if (i > first) scenes.push_back({first, i});
    first = i + 1;
  }
  return scenes;
}

std::vector<std::int64_t> cuts_of(const PartPlan& plan) {
  std::vector<std::int64_t> cuts;
  std::int64_t packets = 0;
  for (std::size_t i = 0; i + 1 < plan.parts.size(); ++i)
    cuts.push_back(packets += plan.parts[i].packets);
  return cuts;
}

std::string part_plan_text(const PartPlan& plan) {
  Json parts = Json::array();
  for (const PlannedPart& part : plan.parts) parts.push_back(part_json(part));
  const Json json = {{kFormName, kForm},
                     {"program", plan.program},
                     {"arguments", plan.arguments},
                     {"input", plan.input},
                     {"folder", plan.folder},
                     {"output", plan.output},
                     {"encoder_threads", plan.encoder_threads},
                     {"follows_faces", plan.follows_faces},
                     {"parts", std::move(parts)}};
  try {
    return json.dump(2) + '\n';
  } catch (const Json::type_error&) {
    throw Error(ErrorKind::usage, plan.input +
                                      ": a plan can't hold this name, or another argument, because "
                                      "it isn't UTF-8");
  }
}

PartPlan parse_part_plan(std::string_view text, const std::string& name) {
  constexpr int kDeepest = 5;
  const nlohmann::json root = detector::parse_json(text, kDeepest, name, refuse);
  const JsonField json(root, name, refuse);
  static_cast<void>(json.at(kFormName).integer(kForm, kForm));
  json.expect_members({kFormName, "program", "arguments", "input", "folder", "output",
                       "encoder_threads", "follows_faces", "parts"});
  PartPlan plan;
  plan.program = json.at("program").text(kLongestText);
  plan.arguments = arguments_of(json.at("arguments"));
  plan.input = path_of(json.at("input"));
  plan.folder = path_of(json.at("folder"));
  plan.output = file_name_of(json.at("output"));
  plan.encoder_threads = json.at("encoder_threads").integer(1, kMostThreads);
  plan.follows_faces = json.at("follows_faces").flag();
  plan.parts = parts_of(json.at("parts"), plan.follows_faces);
  return plan;
}

NamedPlan read_part_plan(const std::filesystem::path& file) {
  const std::string name = file.string();
  std::ifstream stream(file, std::ios::binary);
  std::error_code error;
  if (!stream || !std::filesystem::is_regular_file(file, error))
    throw Error(ErrorKind::input, name + ": can't be read: no such plan of parts");
  if (std::filesystem::file_size(file, error) > kMostBytes) refuse(name, "too large");
  const std::optional<std::string> text = rest_of(stream);
  if (!text) throw Error(ErrorKind::input, name + ": can't be read");
  NamedPlan plan{parse_part_plan(*text, name), sha256_hex(*text)};
  if (plan.plan.program != FACEPIPE_VERSION)
    throw Error(ErrorKind::input, name + ": was made by facepipe " + plan.plan.program +
                                      ", but this is facepipe " FACEPIPE_VERSION
                                      "; split the input again");
  return plan;
}

NamedPlan named(PartPlan plan) {
  std::string sha256 = sha256_hex(part_plan_text(plan));
  return {std::move(plan), std::move(sha256)};
}

std::string part_key(const NamedPlan& plan, std::size_t number) {
  return sha256_hex(plan.sha256 + ' ' + part_number(number));
}

std::string part_file_name(const NamedPlan& plan, std::size_t number) {
  return file_name("part", number, part_key(plan, number));
}

std::string scene_key(const NamedPlan& plan, const LongScene& scene) {
  return sha256_hex(plan.sha256 + " scene " + part_number(scene.first));
}

std::string scene_file_name(const NamedPlan& plan, const LongScene& scene) {
  return file_name("scene", scene.first, scene_key(plan, scene));
}

}  // namespace facepipe::app
