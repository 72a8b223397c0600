#include "detector/cnn/model/card/json_field.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "core/terminal_text.h"

namespace facepipe::detector {
namespace {

using Json = nlohmann::json;

/// Returns whether a terminal could read a part of the text as a command. The text is UTF-8.
bool has_control_characters(const std::string& text) {
  constexpr unsigned char kFirstPrintable = 0x20;
  constexpr unsigned char kDelete = 0x7f;
  constexpr unsigned char kLeadOfLatin1 = 0xc2;  // U+0080 to U+009F are control characters, too
  constexpr unsigned char kFirstNoControl = 0xa0;
  unsigned char before = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < kFirstPrintable || byte == kDelete) return true;
    if (before == kLeadOfLatin1 && byte < kFirstNoControl) return true;
    before = byte;
  }
  return false;
}

std::string in_quotes(std::string_view name) { return '"' + shown_name(name) + '"'; }

/// Checks JSON while it is parsed.
class Watch {
 public:
  explicit Watch(int deepest) : deepest_(deepest) {}

  bool look(int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth > deepest_) problem_ = "nested more than " + std::to_string(deepest_) + " deep";
    if (!problem_.empty()) return false;
    if (event == Json::parse_event_t::object_start) {
      names_.resize(static_cast<std::size_t>(depth) + 1);
      names_.emplace_back();  // names of the object's members, which are one level deeper
    } else if (event == Json::parse_event_t::key) {
      const auto& name = parsed.get_ref<const std::string&>();
      if (!names_[static_cast<std::size_t>(depth)].insert(name).second)
        problem_ = "the name " + in_quotes(name) + " stands twice in an object";
    }
    return problem_.empty();
  }

  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  int deepest_;
  std::string problem_;
  std::vector<std::set<std::string>> names_;  ///< names in each open object, by depth
};

}  // namespace

void JsonField::refuse(const std::string& reason) const {
  refuse_(*origin_, path_.empty() ? reason : path_ + ": " + reason);
  throw std::logic_error("a refusal returned");
}

void JsonField::expect_members(const std::vector<std::string_view>& names) const {
  if (!value_->is_object()) refuse("not an object");
  for (const auto& [name, value] : value_->items())
    if (std::ranges::find(names, name) == names.end()) refuse("unknown member " + in_quotes(name));
}

std::optional<JsonField> JsonField::find(std::string_view name) const {
  if (!value_->is_object()) refuse("not an object");
  const auto found = value_->find(std::string(name));
  if (found == value_->end()) return std::nullopt;
  return JsonField(*this, *found,
                   path_.empty() ? std::string(name) : path_ + "." + std::string(name));
}

JsonField JsonField::at(std::string_view name) const {
  const auto found = find(name);
  if (!found) refuse("member " + in_quotes(name) + " is missing");
  return *found;
}

std::vector<JsonField> JsonField::list(std::size_t fewest, std::size_t most) const {
  if (!value_->is_array()) refuse("not a list");
  const std::string counts = fewest == most
                                 ? std::to_string(most)
                                 : std::to_string(fewest) + " to " + std::to_string(most);
  if (value_->size() < fewest || value_->size() > most) refuse("not a list of " + counts);
  std::vector<JsonField> entries;
  for (std::size_t i = 0; i < value_->size(); ++i)
    entries.push_back(JsonField(*this, (*value_)[i], path_ + "[" + std::to_string(i) + "]"));
  return entries;
}

std::string JsonField::text(std::size_t longest) const {
  if (!value_->is_string()) refuse("not a string");
  auto text = value_->get<std::string>();
  if (text.size() > longest) refuse("longer than " + std::to_string(longest) + " bytes");
  if (has_control_characters(text)) refuse("has control characters");
  return text;
}

bool JsonField::flag() const {
  if (!value_->is_boolean()) refuse("neither true nor false");
  return value_->get<bool>();
}

int JsonField::integer(int least, int most) const {
  return static_cast<int>(long_integer(least, most));
}

std::int64_t JsonField::long_integer(std::int64_t least, std::int64_t most) const {
  const bool fits = value_->is_number_integer() && !value_->is_number_float() && *value_ >= least &&
                    *value_ <= most;
  if (!fits) refuse("not an integer from " + std::to_string(least) + " to " + std::to_string(most));
  return value_->get<std::int64_t>();
}

float JsonField::number(double least, double most) const {
  const double value = value_->is_number() ? value_->get<double>() : NAN;
  if (!(value >= least && value <= most))
    refuse("not a number from " + Json(least).dump() + " to " + Json(most).dump());
  return static_cast<float>(value);
}

nlohmann::json parse_json(std::string_view text, int deepest, const std::string& origin,
                          JsonField::Refuse refuse) {
  Watch watch(deepest);
  Json root;
  try {
    root = Json::parse(text, [&](int depth, Json::parse_event_t event, const Json& parsed) {
      return watch.look(depth, event, parsed);
    });
  } catch (const Json::parse_error& error) {
    if (watch.problem().empty()) refuse(origin, "not JSON at byte " + std::to_string(error.byte));
  } catch (const Json::exception&) {
    if (watch.problem().empty()) refuse(origin, "a number in it is too large");
  }
  if (!watch.problem().empty()) refuse(origin, watch.problem());
  return root;
}

}  // namespace facepipe::detector
