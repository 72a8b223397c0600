#include "tests/detector/cnn/model/card/schema.h"

#include <algorithm>
#include <regex>
#include <stdexcept>

namespace facepipe::test {
namespace {

using Json = nlohmann::json;

bool is_of_type(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  throw std::runtime_error("type " + type);
}

bool fits_members(const Json& value, const Json& schema, const Json& root) {
  if (!value.is_object()) return true;
  for (const Json& name : schema.value("required", Json::array()))
    if (!value.contains(name.get<std::string>())) return false;
  return std::ranges::all_of(value.items(), [&](const auto& member) {
    const auto known = schema["properties"].find(member.key());
    return known != schema["properties"].end() && fits_schema(member.value(), *known, root);
  });
}

bool fits_word(const Json& value, const std::string& word, const Json& schema, const Json& root) {
  const Json& limit = schema[word];
  if (word == "type") return is_of_type(value, limit.get<std::string>());
  if (word == "const") return value == limit;
  if (word == "enum") return std::ranges::find(limit, value) != limit.end();
  if (word == "pattern")
    return !value.is_string() ||
           std::regex_match(value.get<std::string>(), std::regex(limit.get<std::string>()));
  if (word == "minLength") return !value.is_string() || value.get<std::string>().size() >= limit;
  if (word == "maxLength") return !value.is_string() || value.get<std::string>().size() <= limit;
  if (word == "minimum") return !value.is_number() || value >= limit;
  if (word == "maximum") return !value.is_number() || value <= limit;
  if (word == "minItems") return !value.is_array() || value.size() >= limit;
  if (word == "maxItems") return !value.is_array() || value.size() <= limit;
  if (word == "items")
    return !value.is_array() || std::ranges::all_of(value, [&](const Json& item) {
      return fits_schema(item, limit, root);
    });
  if (word == "oneOf")
    return std::ranges::count_if(
               limit, [&](const Json& one) { return fits_schema(value, one, root); }) == 1;
  if (word == "properties") return fits_members(value, schema, root);
  if (word == "$ref")
    return fits_schema(value, root.at(Json::json_pointer(limit.get<std::string>().substr(1))),
                       root);
  if (word == "additionalProperties" && limit == false) return true;  // fits_members() checks this
  throw std::runtime_error("word " + word);
}

}  // namespace

bool fits_schema(const Json& value, const Json& schema, const Json& root) {
  constexpr const char* kRemarks[] = {"$schema", "title", "description",
                                      "default", "$defs", "required"};
  return std::ranges::all_of(schema.items(), [&](const auto& entry) {
    if (std::ranges::find(kRemarks, entry.key()) != std::end(kRemarks)) return true;
    return fits_word(value, entry.key(), schema, root);
  });
}

}  // namespace facepipe::test
