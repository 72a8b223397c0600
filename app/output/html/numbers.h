// Writes numbers as people read them on a page.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace facepipe::app {

/// Returns "1,234,567".
[[nodiscard]] std::string grouped(std::int64_t count);
/// Returns about three digits: "0.123", "12.3", "1,234", "56.7k", "1.2M". A value that is not
/// finite is a dash.
[[nodiscard]] std::string short_number(double value);
/// Returns milliseconds without a unit ("0.12", "9.87", "12.3", "123"), or seconds from 10 s on:
/// "12.3 s". A value that is not finite is a dash.
[[nodiscard]] std::string short_ms(double milliseconds);
/// Returns the same with its unit: "123 ms", "12.3 s".
[[nodiscard]] std::string ms_with_unit(double milliseconds);
/// Returns a time of a video, or a duration: "4.58 s", "1:05", "1:02:03". A value that is not
/// finite is a dash.
[[nodiscard]] std::string short_time(double seconds);
/// Returns a part of a video: "4.58 s to 5.1 s", or one time if both look the same.
[[nodiscard]] std::string short_span(double from_s, double to_s);
/// Returns the results of short_span() with commas between them.
[[nodiscard]] std::string short_spans(const std::vector<std::pair<double, double>>& spans);
/// Returns a decimal number for SVG, with at most two places. A value that is not finite is 0.
[[nodiscard]] std::string svg_number(double value);

/// Returns round numbers in [low, high], about `wanted` of them. Returns nothing if a bound is not
/// finite, or if high <= low.
[[nodiscard]] std::vector<double> round_ticks(double low, double high, int wanted);
/// Returns round times in [low, high] in seconds, about `wanted` of them: from a minute on, whole
/// minutes or hours. Returns nothing if a bound is not finite, or if high <= low.
[[nodiscard]] std::vector<double> time_ticks(double low, double high, int wanted);
/// Returns 1, 2 and 5 times powers of ten in [low, high], for a logarithmic axis. If these are more
/// than `most`, only powers of ten.
[[nodiscard]] std::vector<double> log_ticks(double low, double high, std::size_t most);

}  // namespace facepipe::app
