// A field of a JSON file that isn't trusted. Each check names the field if it fails.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace facepipe::detector {

/// A value, and its path from the file's root. It is a view: the JSON must live longer. All checks
/// throw what refuse() throws.
class JsonField {
 public:
  /// Throws an exception that names `origin` and the reason.
  using Refuse = void (*)(const std::string& origin, const std::string& reason);

  JsonField(const nlohmann::json& root, const std::string& origin, Refuse refusal)
      : value_(&root), origin_(&origin), refuse_(refusal) {}

  [[noreturn]] void refuse(const std::string& reason) const;

  /// Checks that it is an object with no other members than these.
  void expect_members(const std::vector<std::string_view>& names) const;
  /// Returns a member, or nullopt if the object lacks it.
  [[nodiscard]] std::optional<JsonField> find(std::string_view name) const;
  /// Returns a member that must be there.
  [[nodiscard]] JsonField at(std::string_view name) const;

  /// Returns the entries of a list with `fewest` to `most` of them.
  [[nodiscard]] std::vector<JsonField> list(std::size_t fewest, std::size_t most) const;
  [[nodiscard]] bool is_list() const { return value_->is_array(); }

  /// Returns a text of at most `longest` bytes, without control characters.
  [[nodiscard]] std::string text(std::size_t longest) const;
  [[nodiscard]] bool flag() const;
  [[nodiscard]] int integer(int least, int most) const;
  [[nodiscard]] float number(double least, double most) const;

 private:
  JsonField(const JsonField& parent, const nlohmann::json& value, std::string path)
      : value_(&value), path_(std::move(path)), origin_(parent.origin_), refuse_(parent.refuse_) {}

  const nlohmann::json* value_;
  std::string path_;  ///< empty for the root
  const std::string* origin_;
  Refuse refuse_;
};

/// Parses JSON in which no object has a name twice and nothing is nested more than `deepest` deep.
/// Calls `refuse` with `origin` and the reason for all other texts.
[[nodiscard]] nlohmann::json parse_json(std::string_view text, int deepest,
                                        const std::string& origin, JsonField::Refuse refuse);

}  // namespace facepipe::detector
