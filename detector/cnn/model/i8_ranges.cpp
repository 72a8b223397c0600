#include "detector/cnn/model/i8_ranges.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/terminal_text.h"
#include "detector/cnn/model/built_in_i8_ranges.h"
#include "detector/model_file.h"

namespace facepipe::detector {
namespace {

using Json = nlohmann::json;

constexpr const char* kFormat = "facepipe i8 ranges 1";
// CenterFace's file has 60 KB.
constexpr FileLimit kLimit{4 << 20, "larger than 4 MiB"};
constexpr double kLargestValue = 1e6;
constexpr int kPercent = 100;

/// Reads parts of one file. Errors name the file.
class Reader {
 public:
  explicit Reader(const std::string& origin) : origin_(origin) {}

  [[noreturn]] void refuse(const std::string& reason) const { refuse_i8_ranges(origin_, reason); }

  /// Checks that an object has these members and no others.
  void expect_members(const Json& json, const std::string& where,
                      std::initializer_list<const char*> names) const {
    if (!json.is_object()) refuse(where + " is not an object");
    for (const char* const name : names)
      if (!json.contains(name)) refuse(where + " lacks \"" + name + "\"");
    if (json.size() == names.size()) return;
    for (const auto& [name, value] : json.items())
      if (std::ranges::find(names, name) == names.end())
        refuse(where + " has an unknown member \"" + shown_name(name) + "\"");
  }

  [[nodiscard]] std::string text(const Json& json, const std::string& where) const {
    if (!json.is_string()) refuse(where + " is not a string");
    return json.get<std::string>();
  }

  [[nodiscard]] const Json& list(const Json& json, const std::string& where) const {
    if (!json.is_array()) refuse(where + " is not a list");
    return json;
  }

  [[nodiscard]] float number(const Json& json, const std::string& where) const {
    if (!json.is_number()) refuse(where + " is not a number");
    const auto value = json.get<double>();
    if (!std::isfinite(value) || std::abs(value) > kLargestValue)
      refuse(where + " is larger than a million, or not finite");
    return static_cast<float>(value);
  }

  [[nodiscard]] TensorRange tensor(const Json& json) const {
    expect_members(json, "a tensor", {"name", "low", "high", "channels"});
    TensorRange range;
    range.name = text(json["name"], "a tensor's name");
    const std::string which = "tensor " + shown_name(range.name);
    range.low = number(json["low"], which + ": \"low\"");
    range.high = number(json["high"], which + ": \"high\"");
    if (range.low > range.high) refuse(which + ": \"low\" is above \"high\"");
    if (range.low > 0 || range.high < 0) refuse(which + ": 0 is not between \"low\" and \"high\"");
    for (const Json& percent : list(json["channels"], which + ": \"channels\"")) {
      const bool fits = percent.is_number_unsigned() && percent.get<std::uint64_t>() >= 1 &&
                        percent.get<std::uint64_t>() <= kPercent;
      if (!fits) refuse(which + ": a channel is not an integer from 1 to 100");
      range.channels.push_back(percent.get<std::uint8_t>());
    }
    return range;
  }

 private:
  const std::string& origin_;
};

std::string shortened(const std::string& sha256) {
  constexpr std::size_t kShown = 16;
  return sha256.substr(0, kShown);
}

std::string read_ranges_file(const std::filesystem::path& file) {
  return read_file(file, kLimit,
                   [&](const std::string& reason) { refuse_i8_ranges(file.string(), reason); });
}

std::optional<I8Ranges> built_in_ranges(const std::string& model_sha256) {
  const std::string of_model = "\"model_sha256\": \"" + model_sha256 + '"';
  for (const std::string_view json : kBuiltInI8Ranges)
    if (json.find(of_model) != std::string_view::npos)
      return parse_i8_ranges(json, "built in", model_sha256);
  return std::nullopt;
}

}  // namespace

const TensorRange* I8Ranges::find(std::string_view name) const {
  const auto found = std::ranges::find(tensors, name, &TensorRange::name);
  return found == tensors.end() ? nullptr : &*found;
}

void refuse_i8_ranges(const std::string& origin, const std::string& reason) {
  throw Error(ErrorKind::device, "i8 ranges " + origin + ": " + reason);
}

I8Ranges parse_i8_ranges(std::string_view json, const std::string& origin,
                         std::string_view model_sha256) {
  const Reader reader(origin);
  Json file;
  try {
    file = Json::parse(json);
  } catch (const Json::parse_error& error) {
    reader.refuse("not JSON at byte " + std::to_string(error.byte));
  } catch (const Json::exception&) {
    reader.refuse("a number in it is too large");
  }
  reader.expect_members(file, "the file", {"format", "model_sha256", "pictures", "tensors"});
  if (reader.text(file["format"], "\"format\"") != kFormat)
    reader.refuse(std::string("\"format\" is not \"") + kFormat + "\"");
  I8Ranges ranges;
  ranges.origin = origin;
  ranges.model_sha256 = reader.text(file["model_sha256"], "\"model_sha256\"");
  if (ranges.model_sha256 != model_sha256)
    reader.refuse("made for another model (SHA-256 " + shortened(ranges.model_sha256) +
                  "..., this one's is " + shortened(std::string(model_sha256)) + "...)");
  for (const Json& picture : reader.list(file["pictures"], "\"pictures\""))
    ranges.pictures.push_back(reader.text(picture, "a picture"));
  for (const Json& tensor : reader.list(file["tensors"], "\"tensors\"")) {
    TensorRange range = reader.tensor(tensor);
    if (ranges.find(range.name) != nullptr)
      reader.refuse("tensor " + shown_name(range.name) + ": appears twice");
    ranges.tensors.push_back(std::move(range));
  }
  return ranges;
}

namespace {

/// Rounds to four decimal places. Steps of int8 are far wider.
std::string rounded(float value) {
  constexpr double kPart = 1e4;
  return Json(std::round(value * kPart) / kPart).dump();
}

}  // namespace

std::string to_json(const I8Ranges& ranges) {
  std::string text = "{\"format\": " + Json(kFormat).dump() +
                     ",\n \"model_sha256\": " + Json(ranges.model_sha256).dump() +
                     ",\n \"pictures\": " + Json(ranges.pictures).dump() + ",\n \"tensors\": [\n";
  for (const TensorRange& range : ranges.tensors) {
    if (&range != ranges.tensors.data()) text += ",\n";
    // The copy makes sure that JSON gets a list of numbers and not bytes.
    const std::vector<int> channels(range.channels.begin(), range.channels.end());
    text += "{\"name\": " + Json(range.name).dump() + ", \"low\": " + rounded(range.low) +
            ", \"high\": " + rounded(range.high) + ", \"channels\": " + Json(channels).dump() + "}";
  }
  return text + "\n]}\n";
}

std::filesystem::path i8_ranges_file(const std::filesystem::path& model) {
  std::filesystem::path file = model;
  file += ".i8.json";
  return file;
}

I8Ranges find_i8_ranges(const Model& model) {
  const std::filesystem::path beside = i8_ranges_file(model.file());
  std::error_code failure;
  if (std::filesystem::exists(beside, failure))
    return parse_i8_ranges(read_ranges_file(beside), beside.string(), model.sha256());
  if (std::optional<I8Ranges> built_in = built_in_ranges(model.sha256()))
    return std::move(*built_in);
  refuse_model(model.file(), "there are no ranges for i8; 'facepipe calibrate --model " +
                                 model.file().string() + " PICTURES' measures them and writes " +
                                 beside.string());
}

}  // namespace facepipe::detector
