// Reads fields of a JSON file that isn't trusted. If a check fails, the error names the field.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace facepipe::detector {

/// A value in a JSON file, and the value's path from the file's root. The JSON must outlive this
/// object. If a check fails, the function throws the exception of refuse().
class JsonField {
 public:
  /// Throws an exception that names `origin` and the reason.
  using Refuse = void (*)(const std::string& origin, const std::string& reason);

  JsonField(const nlohmann::json& root, const std::string& origin, Refuse refusal)
      : value_(&root), origin_(&origin), refuse_(refusal) {}

  [[noreturn]] void refuse(const std::string& reason) const;

  /// Checks that the value is an object that has no other members than `names`.
  void expect_members(const std::vector<std::string_view>& names) const;
  /// Returns a member, or nullopt if the object lacks it.
  [[nodiscard]] std::optional<JsonField> find(std::string_view name) const;
  /// Returns a member. Refuses an object without this member.
  [[nodiscard]] JsonField at(std::string_view name) const;

  /// Returns the entries of a list. Refuses a list with fewer than `fewest` or more than `most`
  /// entries.
  [[nodiscard]] std::vector<JsonField> list(std::size_t fewest, std::size_t most) const;
  [[nodiscard]] bool is_list() const { return value_->is_array(); }

  /// Returns a text. Refuses a text of more than `longest` bytes, or with control characters.
  [[nodiscard]] std::string text(std::size_t longest) const;
  [[nodiscard]] bool flag() const;
  [[nodiscard]] int integer(int least, int most) const;
  [[nodiscard]] std::int64_t long_integer(std::int64_t least, std::int64_t most) const;
  [[nodiscard]] float number(double least, double most) const;

 private:
  JsonField(const JsonField& parent, const nlohmann::json& value, std::string path)
      : value_(&value), path_(std::move(path)), origin_(parent.origin_), refuse_(parent.refuse_) {}

  const nlohmann::json* value_;
  std::string path_;  ///< empty for the root
  const std::string* origin_;
  Refuse refuse_;
};

/// Parses JSON. Calls `refuse` with `origin` and the reason if the text isn't JSON, if an object
/// has the same name twice, or if values are nested more than `deepest` deep.
[[nodiscard]] nlohmann::json parse_json(std::string_view text, int deepest,
                                        const std::string& origin, JsonField::Refuse refuse);

}  // namespace facepipe::detector
