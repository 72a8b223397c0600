// Reads values of a report's entry, of which any may be missing.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace facepipe::app {

/// The JSON object of one input in a report, or of verify's report. Each function takes the names
/// of members, from the outermost to the innermost one.
class Entry {
 public:
  using Json = nlohmann::ordered_json;
  using Path = std::initializer_list<const char*>;

  /// `json` must outlive the object.
  explicit Entry(const Json& json) : json_(json) {}

  /// Returns a value; null if it is missing.
  [[nodiscard]] const Json& value(Path path) const;
  /// Returns the text of a string, a number or true; empty for false, null and missing values. A
  /// list becomes "a, b", and an object "name a, other b", without members that are null. If they
  /// contain others, they become JSON.
  [[nodiscard]] std::string text(Path path) const;
  /// Returns a number; nullopt if it is missing.
  [[nodiscard]] std::optional<double> number(Path path) const;
  /// Returns a number; NaN if it is missing. Functions of numbers.h show NaN as a dash.
  [[nodiscard]] double number_or_nan(Path path) const {
    return number(path).value_or(std::nan(""));
  }
  /// Returns a count; 0 if it is missing.
  [[nodiscard]] std::int64_t count(Path path) const;
  /// Returns a list of texts; empty if it is missing.
  [[nodiscard]] std::vector<std::string> texts(Path path) const;
  /// Returns a list of spans, each [from, to] in seconds; empty if it is missing.
  [[nodiscard]] std::vector<std::pair<double, double>> spans(Path path) const;

 private:
  const Json& json_;
};

/// Returns a value's text, as Entry::text() does.
[[nodiscard]] std::string text_of(const nlohmann::ordered_json& value);

}  // namespace facepipe::app
