#include "detector/acf/model/acf.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/files/sha256.h"
#include "core/terminal_text.h"
#include "detector/acf/channels.h"
#include "detector/model_file.h"

namespace facepipe::detector::acf {
namespace {

using Json = nlohmann::json;

/// Largest accepted file. A file with kMostTrees trees is far smaller.
constexpr std::size_t kLargestFile = std::size_t{16} << 20;
constexpr std::size_t kMostTrees = 65536;
constexpr std::int64_t kLeastObject = 16;
constexpr std::int64_t kLargestWindow = 512;
constexpr std::size_t kLongestName = 64;
constexpr int kPerOctave = 8;
constexpr std::string_view kSpaces = " \t\r\n";

/// The parser stops at this depth, so deeper JSON is refused before it takes much time or memory.
/// No model is nested as deeply.
constexpr int kDeepest = 8;

class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) : file_(file) {}

  [[nodiscard]] Model read() {
    const std::string bytes = read_model_file(file_);
    if (!looks_like_json(bytes)) refuse("not JSON");
    if (bytes.size() > kLargestFile) refuse("larger than 16 MiB");
    model_.sha256 = sha256_hex(bytes);
    const Json root = parse(bytes);
    if (!root.is_object() || !root.contains("format") || root["format"] != "facepipe-acf")
      refuse("JSON, but not a model of facepipe (\"format\" is not \"facepipe-acf\")");
    if (!root.contains("version") || root["version"] != 1) refuse("\"version\" is not 1");
    has_only(root, "the model",
             {"format", "version", "class", "channels", "pyramid", "window", "padding", "stride",
              "unit", "threshold", "score", "trees"});
    read_class(root["class"]);
    check_channels(root["channels"]);
    read_pyramid(root["pyramid"]);
    read_window(root["window"]);
    read_padding(root["padding"]);
    if (whole(root["stride"], "stride") != kShrink) refuse("stride: must be 4");
    if (whole(root["unit"], "unit") != kUnit) refuse("unit: must be 65536");
    model_.threshold = whole32(root["threshold"], "threshold");
    read_score(root["score"]);
    read_trees(root["trees"]);
    return std::move(model_);
  }

 private:
  [[noreturn]] void refuse(const std::string& reason) const { refuse_model(file_, reason); }

  [[nodiscard]] Json parse(const std::string& bytes) const {
    bool too_deep = false;
    const Json::parser_callback_t look = [&](int depth, Json::parse_event_t, Json&) {
      too_deep = too_deep || depth > kDeepest;
      return !too_deep;
    };
    // If a double can't hold a number, the parser reports this as an error, too.
    Json root = Json::parse(bytes, look, false);
    if (too_deep) refuse("JSON with more than 8 levels of nesting");
    if (root.is_discarded()) refuse("not JSON, or cut off");
    return root;
  }

  /// Checks that the object has each of `names` and no other member.
  void has_only(const Json& object, const std::string& what,
                std::initializer_list<const char*> names) const {
    if (!object.is_object()) refuse(what + ": must be an object");
    for (const char* name : names)
      if (!object.contains(name)) refuse(what + ": \"" + name + "\" is missing");
    for (const auto& [name, value] : object.items())
      if (std::ranges::find(names, name) == names.end())
        refuse(what + ": unknown member \"" + shown_name(name) + "\"");
  }

  [[nodiscard]] std::int64_t whole(const Json& value, const std::string& what) const {
    if (!value.is_number_integer()) refuse(what + ": must be a whole number");
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > kMost)
      refuse(what + ": out of range");
    return value.get<std::int64_t>();
  }

  [[nodiscard]] std::int32_t whole32(const Json& value, const std::string& what) const {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    const std::int64_t number = whole(value, what);
    if (number < -kMost || number > kMost) refuse(what + ": out of range");
    return static_cast<std::int32_t>(number);
  }

  [[nodiscard]] double number(const Json& value, const std::string& what, double least,
                              double most) const {
    if (!value.is_number()) refuse(what + ": must be a number");
    const auto found = value.get<double>();
    if (!std::isfinite(found)) refuse(what + ": must be finite");
    if (found < least || found > most) refuse(what + ": out of range");
    return found;
  }

  [[nodiscard]] const Json& list(const Json& value, const std::string& what,
                                 std::size_t length) const {
    if (!value.is_array() || value.size() != length)
      refuse(what + ": must be a list of " + std::to_string(length));
    return value;
  }

  void read_class(const Json& value) {
    const auto is_plain = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    };
    if (value.is_string()) model_.class_name = value.get<std::string>();
    if (model_.class_name.empty() || model_.class_name.size() > kLongestName ||
        !std::ranges::all_of(model_.class_name, is_plain))
      refuse("class: must be a word of a-z, 0-9, - and _");
  }

  void check_channels(const Json& value) const {
    has_only(
        value, "channels",
        {"colors", "shrink", "orientations", "normalization_radius", "normalization_constant"});
    if (value["colors"] != "luv") refuse("channels: colors must be luv");
    if (value["shrink"] != kShrink) refuse("channels: shrink must be 4");
    if (value["orientations"] != kOrientations) refuse("channels: orientations must be 6");
    if (value["normalization_radius"] != kRadius)
      refuse("channels: normalization_radius must be 5");
    if (number(value["normalization_constant"], "channels", 0, 1) != .005)
      refuse("channels: normalization_constant must be 0.005");
  }

  void read_pyramid(const Json& value) {
    has_only(value, "pyramid", {"per_octave", "approximated", "lambdas"});
    if (value["per_octave"] != kPerOctave) refuse("pyramid: per_octave must be 8");
    if (value["approximated"] != kPerOctave - 1) refuse("pyramid: approximated must be 7");
    const Json& lambdas = list(value["lambdas"], "pyramid: lambdas", 3);
    for (std::size_t i = 0; i < 3; ++i)
      model_.lambdas[i] = number(lambdas[i], "pyramid: lambdas", -4, 4);
  }

  [[nodiscard]] int within(const Json& value, const std::string& what, std::int64_t least,
                           std::int64_t most, bool cells) const {
    const std::int64_t found = whole(value, what);
    if (found < least || found > most) refuse(what + ": out of range");
    if (cells && found % kShrink != 0) refuse(what + ": must be a multiple of 4");
    return static_cast<int>(found);
  }

  void read_window(const Json& value) {
    has_only(value, "window", {"width", "height", "padded_width", "padded_height"});
    const auto side = [&](const char* name, std::int64_t least, bool cells) {
      return within(value[name], std::string("window: ") + name, least, kLargestWindow, cells);
    };
    model_.object = {side("width", kLeastObject, false), side("height", kLeastObject, false)};
    model_.window = {side("padded_width", model_.object.width, true),
                     side("padded_height", model_.object.height, true)};
  }

  void read_padding(const Json& value) {
    has_only(value, "padding", {"x", "y"});
    model_.padding = {within(value["x"], "padding: x", 0, model_.window.width, true),
                      within(value["y"], "padding: y", 0, model_.window.height, true)};
  }

  void read_score(const Json& value) {
    has_only(value, "score", {"a", "b"});
    model_.steepness = number(value["a"], "score: a", 1e-6, 1e6);
    model_.middle = number(value["b"], "score: b", -1e6, 1e6);
  }

  void read_trees(const Json& value) {
    has_only(value, "trees", {"f", "t", "h"});
    const Json& features = value["f"];
    if (!features.is_array() || features.empty()) refuse("trees: must not be empty");
    if (features.size() > kMostTrees) refuse("trees: more than 65536");
    const Json& thresholds = list(value["t"], "trees: t", features.size());
    const Json& leaves = list(value["h"], "trees: h", features.size());
    model_.trees.reserve(features.size());
    std::int64_t reach = std::abs(std::int64_t{model_.threshold});
    for (std::size_t i = 0; i < features.size(); ++i) {
      const std::string place = "tree " + std::to_string(i);
      model_.trees.push_back(tree(features[i], thresholds[i], leaves[i], place));
      std::int64_t most = 0;
      for (const std::int32_t leaf : model_.trees.back().leaves)
        most = std::max(most, std::abs(std::int64_t{leaf}));
      reach += most;
      if (reach > std::numeric_limits<std::int32_t>::max())
        refuse(place + ": the sum of leaves could reach 2^31");
    }
  }

  [[nodiscard]] Tree tree(const Json& features, const Json& thresholds, const Json& leaves,
                          const std::string& place) const {
    const Size cells = model_.window_cells();
    const std::int64_t count = std::int64_t{cells.width} * cells.height * kChannels;
    Tree found;
    (void)list(features, place + ": f", found.features.size());
    (void)list(thresholds, place + ": t", found.thresholds.size());
    (void)list(leaves, place + ": h", found.leaves.size());
    for (std::size_t i = 0; i < found.features.size(); ++i) {
      const std::int64_t feature = whole(features[i], place + ": f");
      if (feature < 0 || feature >= count) refuse(place + ": a feature is outside of the window");
      found.features[i] = static_cast<std::uint32_t>(feature);
      constexpr double kMost = std::numeric_limits<float>::max();
      found.thresholds[i] = static_cast<float>(number(thresholds[i], place + ": t", -kMost, kMost));
    }
    for (std::size_t i = 0; i < found.leaves.size(); ++i)
      found.leaves[i] = whole32(leaves[i], place + ": h");
    return found;
  }

  const std::filesystem::path& file_;
  Model model_;
};

}  // namespace

Size Model::window_cells() const { return {window.width / kShrink, window.height / kShrink}; }

bool looks_like_json(std::string_view bytes) {
  const std::size_t first = bytes.find_first_not_of(kSpaces);
  return first != std::string_view::npos && bytes[first] == '{';
}

bool is_json_file(const std::filesystem::path& file) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(file, failure)) return false;
  std::ifstream stream(file, std::ios::binary);
  char byte = 0;
  while (stream.get(byte) && kSpaces.find(byte) != std::string_view::npos) {
  }
  return stream && byte == '{';
}

Model read_model(const std::filesystem::path& file) { return Reader(file).read(); }

}  // namespace facepipe::detector::acf
