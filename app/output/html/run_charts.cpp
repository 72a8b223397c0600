#include "app/output/html/run_charts.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/output/html/numbers.h"
#include "app/output/html/page.h"
#include "app/output/html/plot.h"

namespace facepipe::app {
namespace {

constexpr std::size_t kHints = 80;  // texts under the pointer in a chart over time
constexpr std::size_t kMostTrackBars = 120;

PlotAxis time_axis(double low, double high) {
  const double end = high > low ? high : low + 1;
  return {low, end, false, time_ticks(low, end, 5), short_time};
}

/// Returns an axis from 0 on, with room above the largest value.
PlotAxis count_axis(double largest, const std::string& unit = "") {
  const double high = largest > 0 ? largest * 1.08 : 1;
  PlotAxis axis{0, high, false, round_ticks(0, high, 3), {}};
  const double last = axis.ticks.empty() ? 0 : axis.ticks.back();
  axis.label = [unit, last](double tick) {
    return short_number(tick) + (tick == last && tick > 0 ? unit : "");
  };
  return axis;
}

/// Returns an axis of times in ms from 0 on.
PlotAxis ms_axis(double largest) {
  PlotAxis axis = count_axis(largest);
  const double last = axis.ticks.empty() ? 0 : axis.ticks.back();
  axis.label = [last](double tick) {
    if (tick == 0) return std::string("0");
    return tick == last ? ms_with_unit(tick) : short_ms(tick);
  };
  return axis;
}

/// Returns the axis of a series over the video's time.
PlotAxis axis_of(const Series& series) {
  const double first = series.buckets().empty() ? 0 : series.begin();
  return time_axis(first, std::max(series.last_place(), first));
}

/// Returns the middle of each bucket that has values, with one of its numbers.
template <typename Number>
std::vector<PlotPoint> points_of(const Series& series, Number number) {
  std::vector<PlotPoint> points;
  for (std::size_t i = 0; i < series.buckets().size(); ++i)
    if (series.buckets()[i].count > 0)
      points.push_back({series.middle(i), number(series.buckets()[i])});
  return points;
}

template <typename Text>
void add_hints(const Series& series, Plot& plot, Text text) {
  const Series coarse = series.coarser(kHints);
  for (std::size_t i = 0; i < coarse.buckets().size(); ++i) {
    const Series::Bucket& bucket = coarse.buckets()[i];
    if (bucket.count == 0) continue;
    const double half = coarse.width() / 2;
    plot.hint(coarse.middle(i) - half, coarse.middle(i) + half,
              short_time(coarse.middle(i)) + ": " + text(bucket));
  }
}

/// Draws the mean as a line in a band from the least to the largest value.
void draw_range(const Series& series, Plot& plot, const char* area, const char* line) {
  plot.band(points_of(series, [](const auto& bucket) { return bucket.least; }),
            points_of(series, [](const auto& bucket) { return bucket.most; }), area);
  plot.line(points_of(series, [](const auto& bucket) { return bucket.mean(); }), line);
}

void shade_spans(const Entry& entry, const char* member, const std::string& what, Plot& plot) {
  for (const auto& [from, to] : entry.spans({member}))
    plot.shade(from, to, "lost", short_time(from) + ": " + what);
}

std::string bar_text(const LogCounts::Bar& bar, const std::string& unit, const std::string& thing) {
  return short_number(bar.low) + " to " + short_number(bar.high) + unit + ": " +
         grouped(bar.count) + " " + thing;
}

std::int64_t largest_count(const std::vector<LogCounts::Bar>& bars) {
  std::int64_t largest = 0;
  for (const LogCounts::Bar& bar : bars) largest = std::max(largest, bar.count);
  return largest;
}

/// Returns the sizes in pixels that an axis names, as people think of them.
std::vector<double> size_ticks(double low, double high) {
  std::vector<double> ticks;
  for (const double tick :
       {1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0, 2048.0, 4096.0, 8192.0})
    if (tick >= low && tick <= high) ticks.push_back(tick);
  return ticks.size() > 1 ? ticks : std::vector<double>{low, high};
}

}  // namespace

Markup speed_card(const RunSeries& series) {
  const Series& all = series.finished();
  if (all.count() < 2) return {};
  const auto wanted = static_cast<std::size_t>(std::clamp<std::int64_t>(all.count() / 8, 4, 120));
  const Series seconds = all.coarser(wanted);
  std::vector<PlotPoint> rates;
  for (std::size_t i = 0; i < seconds.buckets().size(); ++i) {
    const double begin = seconds.middle(i) - seconds.width() / 2;
    // The run ends in the middle of the last bucket.
    const double length =
        std::clamp(seconds.last_place() - begin, seconds.width() / 4, seconds.width());
    rates.push_back({begin + length / 2, seconds.buckets()[i].sum / length});
  }
  double fastest = 0;
  for (const PlotPoint& rate : rates) fastest = std::max(fastest, rate.y);
  std::vector<PlotPoint> ground = rates;
  for (PlotPoint& point : ground) point.y = 0;
  Plot plot("Frames finished a second, over the time of the run",
            time_axis(0, seconds.last_place()), count_axis(fastest, " fps"));
  plot.band(ground, rates, "area1");
  plot.line(rates, "line1");
  for (const PlotPoint& rate : rates)
    plot.hint(rate.x - seconds.width() / 2, rate.x + seconds.width() / 2,
              short_time(rate.x) + ": " + short_number(rate.y) + " fps");
  return card("Speed",
              "Frames finished a second, over the time of the run. An encoder that looks ahead "
              "gives its first frames late",
              plot.markup(), CardWidth::half);
}

Markup latency_card(const RunSeries& series) {
  const Series& latency = series.latency();
  if (latency.count() == 0) return {};
  Plot plot("Latency over the video", axis_of(latency), ms_axis(latency.largest()));
  draw_range(latency, plot, "area2", "line2");
  add_hints(latency, plot, [](const Series::Bucket& bucket) {
    return "mean " + ms_with_unit(bucket.mean()) + ", most " + ms_with_unit(bucket.most);
  });
  return card("Latency over the video",
              "From decoded to handed to the encoder: mean and range of the frames", plot.markup(),
              CardWidth::half);
}

Markup latency_counts_card(const RunSeries& series) {
  const std::vector<LogCounts::Bar> bars = series.latencies().bars(40);
  if (bars.empty()) return {};
  PlotAxis axis{bars.front().low, bars.back().high, true, {}, ms_with_unit};
  axis.ticks = log_ticks(axis.low, axis.high, 8);
  Plot plot("How often each latency occurs", axis,
            count_axis(static_cast<double>(largest_count(bars))));
  for (const LogCounts::Bar& bar : bars)
    plot.bar(bar.low, bar.high, static_cast<double>(bar.count), "fill2",
             bar_text(bar, " ms", "frames"));
  const Percentiles times = series.latency_percentiles();
  plot.mark(times.p50, "rule", "median " + ms_with_unit(times.p50));
  plot.mark(times.p95, "rule", "p95 " + ms_with_unit(times.p95));
  plot.mark(times.p99, "rule", "p99 " + ms_with_unit(times.p99));
  return card("Latency, how often", "Number of frames, over a logarithmic scale", plot.markup(),
              CardWidth::half);
}

Markup faces_card(const RunSeries& series, const Entry& entry) {
  const Series& faces = series.faces();
  if (faces.count() == 0) return {};
  Plot plot("Faces in a frame, over the video", axis_of(faces),
            count_axis(std::max(1.0, faces.largest())));
  shade_spans(entry, "lost_s", "frames lost", plot);
  shade_spans(entry, "damaged_s", "frames damaged", plot);
  draw_range(faces, plot, "area3", "line3");
  add_hints(faces, plot, [](const Series::Bucket& bucket) {
    return short_number(bucket.mean()) + " faces, most " + short_number(bucket.most);
  });
  return card("Faces in a frame",
              "Over the video: mean and range. Red: frames were lost or damaged", plot.markup(),
              CardWidth::half);
}

Markup sizes_card(const RunSeries& series) {
  const std::vector<LogCounts::Bar> bars = series.sizes().bars(36);
  if (bars.empty()) return {};
  PlotAxis axis{bars.front().low, bars.back().high, true, {}, [](double tick) {
                  return short_number(tick) + " px";
                }};
  axis.ticks = size_ticks(axis.low, axis.high);
  Plot plot("How often each size of a face occurs", axis,
            count_axis(static_cast<double>(largest_count(bars))));
  for (const LogCounts::Bar& bar : bars)
    plot.bar(bar.low, bar.high, static_cast<double>(bar.count), "fill3",
             bar_text(bar, " px", "faces"));
  return card("Sizes of faces", "Number of faces, over the shorter side of the box", plot.markup(),
              CardWidth::half);
}

Markup scores_card(const RunSeries& series, const Entry& entry) {
  constexpr double kNear = 0.1;  // faces whose score is so near to the threshold are marked
  const Series& scores = series.scores();
  if (scores.count() == 0) return {};
  const bool chosen = entry.text({"command"}) == "run";
  const double threshold = chosen ? entry.number({"options", "score"}).value_or(0) : 0;
  double most = 0;
  double near = 0;
  for (std::size_t i = 0; i < scores.buckets().size(); ++i) {
    most = std::max(most, scores.buckets()[i].sum);
    if (scores.middle(i) < threshold + kNear) near += scores.buckets()[i].sum;
  }
  Plot plot("How often each score of a face occurs",
            {0, 1, false, round_ticks(0, 1, 5), short_number}, count_axis(most));
  for (std::size_t i = 0; i < scores.buckets().size(); ++i) {
    const double from = scores.middle(i) - scores.width() / 2;
    const bool is_near = chosen && scores.middle(i) < threshold + kNear;
    if (scores.buckets()[i].count > 0)
      plot.bar(from, from + scores.width(), scores.buckets()[i].sum, is_near ? "fill2" : "fill3",
               short_number(from) + ": " + grouped(scores.buckets()[i].count) + " faces");
  }
  if (!chosen) return card("Scores of faces", "Number of faces", plot.markup(), CardWidth::half);
  plot.mark(threshold, "rule", "--score " + short_number(threshold));
  return card("Scores of faces",
              grouped(std::llround(near)) + " of " + grouped(scores.count()) +
                  " are less than 0.1 above the score that is needed",
              plot.markup(), CardWidth::half);
}

Markup tracks_card(const RunSeries& series, const Entry& entry) {
  const std::vector<TrackBar> bars = series.tracks().longest(kMostTrackBars);
  if (bars.empty()) return {};
  double first = bars.front().from_s;
  double last = first;
  for (const TrackBar& bar : bars) last = std::max(last, bar.to_s);
  const auto count = static_cast<double>(bars.size());
  const int height = std::clamp(static_cast<int>(5 * bars.size()), 60, 420);
  Plot plot("When each track is seen", time_axis(first, last), {0, count, false, {}, {}}, height);
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const TrackBar& bar = bars[i];
    const double top = count - static_cast<double>(i);
    plot.box({bar.from_s, top - 0.8}, {bar.to_s, top}, "fill1",
             "track " + std::to_string(bar.id) + ": " + short_time(bar.from_s) + " to " +
                 short_time(bar.to_s) + ", best score " + short_number(bar.best_score));
  }
  const bool hides = entry.value({"options", "hide"}).is_object();
  std::string note =
      grouped(series.tracks().count()) + (hides ? " tracks of hidden faces" : " tracks");
  if (entry.text({"command"}) == "detect")
    note = grouped(series.tracks().count()) + " tracks of faces that hide would hide";
  if (series.tracks().count() > static_cast<std::int64_t>(bars.size()))
    note += "; the " + std::to_string(bars.size()) + " longest are drawn";
  return card("Tracks", note, plot.markup());
}

}  // namespace facepipe::app
