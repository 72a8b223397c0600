#include "app/output/html/plot.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/output/html/numbers.h"

namespace facepipe::app {
namespace {

// The SVG's own units. The page stretches them to the chart's size.
constexpr double kWidth = 1000;
constexpr double kHeight = 100;
// Labels below the chart that are nearer to each other than this could overlap on a wide page.
constexpr double kLeastLabelGap = 0.095;
constexpr double kLeastBarWidth = 1.5;
constexpr int kMarkLine_px = 16;

std::string percent(double share) { return svg_number(100 * share) + "%"; }

Markup path_element(const std::string& data, const char* style) {
  return element("path", {{"class", style}, {"d", data}});
}

}  // namespace

double PlotAxis::place(double value) const {
  const auto scaled = [&](double number) { return logarithmic ? std::log(number) : number; };
  const double span = scaled(high) - scaled(low);
  if (!std::isfinite(value) || !(span > 0) || !std::isfinite(span)) return 0;
  if (value <= low) return 0;
  return std::min(1.0, (scaled(value) - scaled(low)) / span);
}

Plot::Plot(std::string name, PlotAxis x, PlotAxis y, int height)
    : name_(std::move(name)), x_(std::move(x)), y_(std::move(y)), height_(height) {}

std::string Plot::path(const std::vector<PlotPoint>& points) const {
  std::string data;
  for (const PlotPoint& point : points) {
    data += data.empty() ? "" : "L";
    data += svg_number(kWidth * x_.place(point.x)) + " " +
            svg_number(kHeight * (1 - y_.place(point.y)));
  }
  return data;
}

void Plot::line(const std::vector<PlotPoint>& points, const char* style) {
  if (points.empty()) return;
  // A line of one point has no length, but its round ends are visible.
  const std::string more = points.size() == 1 ? "h0.01" : "";
  drawn_ += path_element("M" + path(points) + more, style);
}

void Plot::band(const std::vector<PlotPoint>& lower, const std::vector<PlotPoint>& upper,
                const char* style) {
  if (lower.empty()) return;
  std::vector<PlotPoint> around = upper;
  around.insert(around.end(), lower.rbegin(), lower.rend());
  drawn_ += path_element("M" + path(around) + "Z", style);
}

void Plot::rectangle(const Area& area, const char* style, const std::string& text) {
  const double width = std::max(kLeastBarWidth, kWidth * (area.right - area.left));
  const Markup title = text.empty() ? Markup() : element("title", {}, escaped_text(text));
  drawn_ += element("rect",
                    {{"class", style},
                     {"x", svg_number(std::min(kWidth * area.left, kWidth - kLeastBarWidth))},
                     {"y", svg_number(kHeight * area.top)},
                     {"width", svg_number(width)},
                     {"height", svg_number(kHeight * (area.bottom - area.top))}},
                    title);
}

void Plot::bar(double from, double to, double y, const char* style, const std::string& text) {
  constexpr double kGap = 0.0015;  // between two bars
  const double left = x_.place(from);
  rectangle({left, std::max(left, x_.place(to) - kGap), 1 - y_.place(y), 1}, style, text);
}

void Plot::box(const PlotPoint& from, const PlotPoint& to, const char* style,
               const std::string& text) {
  rectangle({x_.place(from.x), x_.place(to.x), 1 - y_.place(to.y), 1 - y_.place(from.y)}, style,
            text);
}

void Plot::hint(double from, double to, const std::string& text) { shade(from, to, "hint", text); }

void Plot::shade(double from, double to, const char* style, const std::string& text) {
  rectangle({x_.place(from), x_.place(to), 0, 1}, style, text);
}

void Plot::mark(double x, const char* style, const std::string& text) {
  const double place = x_.place(x);
  drawn_ += path_element("M" + svg_number(kWidth * place) + " 0V" + svg_number(kHeight), style);
  if (text.empty()) return;
  const char* const side = place < 0.5 ? "mark right" : "mark left";
  words_ += element("span",
                    {{"class", side},
                     {"style", "left:" + percent(place) +
                                   ";top:" + std::to_string(kMarkLine_px * marks_) + "px"}},
                    escaped_text(text));
  ++marks_;
}

Markup Plot::grid() const {
  Markup lines;
  for (const double tick : y_.ticks) {
    const std::string y = svg_number(kHeight * (1 - y_.place(tick)));
    lines += path_element("M0 " + y + "H" + svg_number(kWidth), "grid");
  }
  return lines;
}

Markup Plot::labels_of_x() const {
  Markup labels;
  double last = -1;
  int shown = 0;
  for (const double tick : x_.ticks) {
    const double place = x_.place(tick);
    if (last >= 0 && place - last < kLeastLabelGap) continue;
    last = place;
    // Every second label is left out on a narrow page.
    const char* const style = shown++ % 2 == 0 ? "x" : "x wide-only";
    labels += element("span", {{"class", style}, {"style", "left:" + percent(place)}},
                      escaped_text(x_.label ? x_.label(tick) : short_number(tick)));
  }
  return labels;
}

Markup Plot::labels_of_y() const {
  Markup labels;
  for (const double tick : y_.ticks)
    labels += element("span", {{"class", "y"}, {"style", "bottom:" + percent(y_.place(tick))}},
                      escaped_text(y_.label ? y_.label(tick) : short_number(tick)));
  return labels;
}

Markup Plot::markup() const {
  const Markup drawing =
      element("svg",
              {{"viewBox", "0 0 " + svg_number(kWidth) + " " + svg_number(kHeight)},
               {"preserveAspectRatio", "none"},
               {"aria-hidden", "true"}},
              grid() + drawn_);
  return element("div",
                 {{"class", "plot"},
                  {"style", "height:" + std::to_string(height_) + "px"},
                  {"role", "img"},
                  {"aria-label", name_}},
                 drawing + labels_of_y() + labels_of_x() + words_);
}

}  // namespace facepipe::app
