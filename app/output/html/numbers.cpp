#include "app/output/html/numbers.h"

#include <spdlog/fmt/fmt.h>

#include <array>
#include <cmath>
#include <string_view>

#include "app/output/joined.h"

namespace facepipe::app {
namespace {

constexpr std::string_view kUnknown = "\u2013";  // a dash
constexpr std::size_t kMostTicks = 50;

/// Removes zeros at the end of decimal places, and a point without places.
std::string trimmed(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

/// Returns a number with three digits at least.
std::string three_digits(double value) {
  const double size = std::abs(value);
  if (size >= 99.95) return grouped(std::llround(value));
  return trimmed(fmt::format("{:.{}f}", value, size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3));
}

std::vector<double> multiples_of(double step, double low, double high) {
  std::vector<double> multiples;
  const double first = std::ceil(low / step - 1e-9);
  for (std::size_t i = 0; i < kMostTicks; ++i) {
    const double multiple = (first + static_cast<double>(i)) * step;
    if (!(multiple <= high + step * 1e-6)) break;
    multiples.push_back(std::abs(multiple) < step * 1e-6 ? 0 : multiple);
  }
  return multiples;
}

}  // namespace

std::string grouped(std::int64_t count) {
  std::string digits = std::to_string(count);
  const std::size_t first = digits.front() == '-' ? 1 : 0;
  for (std::size_t place = digits.size(); place > first + 3; place -= 3)
    digits.insert(place - 3, 1, ',');
  return digits;
}

std::string short_number(double value) {
  if (!std::isfinite(value)) return std::string(kUnknown);
  if (std::abs(value) >= 1e18) return fmt::format("{:.3g}", value);
  if (std::abs(value) >= 999950) return trimmed(fmt::format("{:.2f}", value / 1e6)) + "M";
  if (std::abs(value) >= 9999.5) return trimmed(fmt::format("{:.1f}", value / 1e3)) + "k";
  return three_digits(value);
}

std::string short_ms(double milliseconds) {
  if (!std::isfinite(milliseconds)) return std::string(kUnknown);
  if (std::abs(milliseconds) >= 9999.5) return short_number(milliseconds / 1000) + " s";
  if (milliseconds >= 99.95) return grouped(std::llround(milliseconds));
  return fmt::format("{:.{}f}", milliseconds, milliseconds >= 9.995 ? 1 : 2);
}

std::string ms_with_unit(double milliseconds) {
  const std::string text = short_ms(milliseconds);
  return text.ends_with('s') || text == kUnknown ? text : text + " ms";
}

std::string short_time(double seconds) {
  constexpr double kMostSeconds = 1e15;
  if (!std::isfinite(seconds) || std::abs(seconds) > kMostSeconds) return std::string(kUnknown);
  if (seconds < 0) return "-" + short_time(-seconds);
  if (seconds < 59.95) return three_digits(seconds) + " s";
  const std::int64_t all = std::llround(seconds);
  if (all < 3600) return fmt::format("{}:{:02}", all / 60, all % 60);
  return fmt::format("{}:{:02}:{:02}", all / 3600, all / 60 % 60, all % 60);
}

std::string short_span(double from_s, double to_s) {
  const std::string from = short_time(from_s);
  const std::string to = short_time(to_s);
  return from == to ? from : from + " to " + to;
}

std::string short_spans(const std::vector<std::pair<double, double>>& spans) {
  std::vector<std::string> texts;
  for (const auto& [from_s, to_s] : spans) texts.push_back(short_span(from_s, to_s));
  return joined_by(texts, ", ");
}

std::string svg_number(double value) {
  if (!std::isfinite(value)) return "0";
  const std::string text = trimmed(fmt::format("{:.2f}", value));
  return text == "-0" ? "0" : text;
}

std::vector<double> round_ticks(double low, double high, int wanted) {
  const double rough = (high - low) / wanted;
  if (!std::isfinite(rough) || rough <= 0) return {};
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.5, 2.0, 1.0})
    if (factor * power >= rough * (1 - 1e-9)) step = factor * power;
  return multiples_of(step, low, high);
}

std::vector<double> time_ticks(double low, double high, int wanted) {
  const double rough = (high - low) / wanted;
  for (const double step : {10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0, 3600.0,
                            7200.0, 10800.0, 21600.0, 43200.0, 86400.0})
    if (rough > 10 && step >= rough * (1 - 1e-9)) return multiples_of(step, low, high);
  return round_ticks(low, high, wanted);
}

std::vector<double> log_ticks(double low, double high, std::size_t most) {
  std::vector<double> ticks;
  if (!(low > 0) || !std::isfinite(high) || high < low) return ticks;
  std::vector<double> powers;
  for (int power = static_cast<int>(std::floor(std::log10(low))); power < 300; ++power) {
    const double one = std::pow(10, power);
    if (one > high) break;
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double tick = factor * one;
      if (tick < low || tick > high) continue;
      ticks.push_back(tick);
      if (factor == 1.0) powers.push_back(tick);
    }
  }
  return ticks.size() > most ? powers : ticks;
}

}  // namespace facepipe::app
