// Draws a chart as SVG whose lines stretch with the page, and whose words are HTML and don't.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/output/html/markup.h"

namespace facepipe::app {

/// Describes an axis. Values beside it are drawn at its end.
struct PlotAxis {
  double low = 0;
  double high = 1;
  bool logarithmic = false;  ///< low must then be over 0
  std::vector<double> ticks{};
  std::function<std::string(double)> label{};  ///< returns the text of a tick

  /// Returns where a value lies: 0 at the low end, 1 at the high end. The result is always finite.
  [[nodiscard]] double place(double value) const;
};

struct PlotPoint {
  double x = 0;
  double y = 0;
};

/// Collects what a chart shows. `style` is a class of page_style.cpp.
class Plot {
 public:
  /// @param name    what the chart shows, for people who can't see it
  /// @param height  in CSS pixels
  Plot(std::string name, PlotAxis x, PlotAxis y, int height = 150);

  /// Draws a line through points. Does nothing if there are none.
  void line(const std::vector<PlotPoint>& points, const char* style);
  /// Fills the area between two lines through points of the same x. Both have the same length.
  void band(const std::vector<PlotPoint>& lower, const std::vector<PlotPoint>& upper,
            const char* style);
  /// Draws a bar from the low end of y. `text` is shown when a pointer rests on it.
  void bar(double from, double to, double y, const char* style, const std::string& text);
  /// Draws a bar between two places on both axes.
  void box(const PlotPoint& from, const PlotPoint& to, const char* style, const std::string& text);
  /// Shows `text` when a pointer rests between two places.
  void hint(double from, double to, const std::string& text);
  /// Draws a vertical line. `text` stands beside it, below the texts of earlier lines; if it is
  /// empty, there is none.
  void mark(double x, const char* style, const std::string& text = {});
  /// Shades the whole height between two places.
  void shade(double from, double to, const char* style, const std::string& text);

  [[nodiscard]] Markup markup() const;

 private:
  struct Area {
    double left = 0;
    double right = 0;
    double top = 0;
    double bottom = 0;
  };
  void rectangle(const Area& area, const char* style, const std::string& text);
  [[nodiscard]] std::string path(const std::vector<PlotPoint>& points) const;
  [[nodiscard]] Markup grid() const;
  [[nodiscard]] Markup labels_of_x() const;
  [[nodiscard]] Markup labels_of_y() const;

  std::string name_;
  PlotAxis x_;
  PlotAxis y_;
  int height_;
  int marks_ = 0;  ///< marks with a text
  Markup drawn_;
  Markup words_;
};

}  // namespace facepipe::app
