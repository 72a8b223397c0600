#include "app/output/html/entry.h"

namespace facepipe::app {
namespace {

std::string dumped(const Entry::Json& value) {
  return value.dump(-1, ' ', false, Entry::Json::error_handler_t::replace);
}

/// Returns whether a member of a list or object is itself a list or object.
bool has_structure(const Entry::Json& value) {
  bool found = false;
  for (const Entry::Json& item : value) found = found || item.is_structured();
  return found;
}

/// Returns a member's text, in which "no" is not left out.
std::string text_in_list(const Entry::Json& item) { return item == false ? "no" : text_of(item); }

}  // namespace

std::string text_of(const nlohmann::ordered_json& value) {
  if (value.is_null() || value == false) return {};
  if (value == true) return "yes";
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_structured() || has_structure(value)) return dumped(value);
  std::string list;
  for (const auto& [name, item] : value.items()) {
    if (item.is_null()) continue;
    list += (list.empty() ? "" : ", ") + (value.is_object() ? name + " " : "") + text_in_list(item);
  }
  return list;
}

const Entry::Json& Entry::value(Path path) const {
  static const Json kNull;
  const Json* found = &json_;
  for (const char* const name : path) {
    if (!found->is_object()) return kNull;
    const auto member = found->find(name);
    if (member == found->end()) return kNull;
    found = &*member;
  }
  return *found;
}

std::string Entry::text(Path path) const { return text_of(value(path)); }

std::optional<double> Entry::number(Path path) const {
  const Json& found = value(path);
  return found.is_number() ? std::optional(found.get<double>()) : std::nullopt;
}

std::int64_t Entry::count(Path path) const {
  const Json& found = value(path);
  return found.is_number_integer() ? found.get<std::int64_t>() : 0;
}

std::vector<std::string> Entry::texts(Path path) const {
  std::vector<std::string> texts;
  if (const Json& found = value(path); found.is_array())
    for (const Json& item : found) texts.push_back(text_of(item));
  return texts;
}

std::vector<std::pair<double, double>> Entry::spans(Path path) const {
  std::vector<std::pair<double, double>> spans;
  const Json& found = value(path);
  if (!found.is_array()) return spans;
  for (const Json& span : found)
    if (span.is_array() && span.size() == 2 && span[0].is_number() && span[1].is_number())
      spans.emplace_back(span[0].get<double>(), span[1].get<double>());
  return spans;
}

}  // namespace facepipe::app
