// Measures the kernel that computes an inverted residual, with every tile that it supports.
//
//   bench_inverted_residual [--best N] [--tile ROWS,GROUPS,WARPS,SPLIT,PIXEL_TILES,STAGED]
//                           CIN,EXPANDED,COUT,STRIDE,HEIGHT,WIDTH ...
//
// --tile measures only this tile, for a profiler. HEIGHT and WIDTH are those of the input. Without
// shapes, the program measures the shapes of CenterFace at 1920x1088. It adds a residual if the
// shape allows it. For each tile it measures 20 launches in a row three times, and shows the best
// time. It also shows the relative rms difference between the tile's results and those of the first
// tile.
#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/device_times.h"
#include "bench/program.h"
#include "core/cuda/buffer.h"
#include "detector/cnn/cuda/operators/inverted_residual/trial.h"
#include "tests/detector/cnn/cuda/tile_text.h"

namespace facepipe::bench {
namespace {

constexpr int kLaunches = 20;

struct Case {
  int inputs, expanded, outputs, stride, height, width;
};

constexpr Case kCenterFace[] = {
    {16, 96, 24, 2, 544, 960},  {24, 144, 24, 1, 272, 480}, {24, 144, 32, 2, 272, 480},
    {32, 192, 32, 1, 136, 240}, {32, 192, 64, 2, 136, 240}, {64, 384, 64, 1, 68, 120},
    {64, 384, 96, 1, 68, 120},  {96, 576, 96, 1, 68, 120},  {96, 576, 160, 2, 68, 120},
    {160, 960, 160, 1, 34, 60}, {160, 960, 24, 1, 34, 60},
};

Case parse_case(const std::string& text) {
  Case c{};
  if (std::sscanf(text.c_str(), "%d,%d,%d,%d,%d,%d", &c.inputs, &c.expanded, &c.outputs, &c.stride,
                  &c.height, &c.width) != 6)
    throw std::runtime_error("no shape: " + text);
  return c;
}

detector::graph::Convolution convolution(int inputs, int outputs, int groups, int kernel,
                                         int stride, detector::graph::Activation activation,
                                         std::mt19937& random) {
  detector::graph::Convolution op;
  op.window = {kernel, kernel, stride, stride, kernel / 2, kernel / 2, kernel / 2, kernel / 2};
  op.inputs = inputs;
  op.outputs = outputs;
  op.groups = groups;
  op.activation = activation;
  const int fan_in = inputs / groups * kernel * kernel;
  std::uniform_real_distribution<float> weight(-1, 1);
  const float scale = std::sqrt(6.0F / static_cast<float>(fan_in));
  for (int i = 0; i < outputs * fan_in; ++i) op.weights.push_back(scale * weight(random));
  for (int i = 0; i < outputs; ++i) op.bias.push_back(weight(random) / 2);
  return op;
}

detector::graph::InvertedResidual block_of(const Case& c) {
  std::mt19937 random(1);
  return {convolution(c.inputs, c.expanded, 1, 1, 1, detector::graph::Activation::relu, random),
          convolution(c.expanded, c.expanded, c.expanded, 3, c.stride,
                      detector::graph::Activation::relu, random),
          convolution(c.expanded, c.outputs, 1, 1, 1, detector::graph::Activation::none, random)};
}

std::vector<float> download(const detector::engine::InvertedResidualTrial& trial,
                            const cuda::Stream& stream) {
  std::vector<__half> halves(trial.output().size);
  cuda::copy(std::span<__half>(halves), trial.output(), stream);
  stream.synchronize();
  std::vector<float> values;
  for (const __half value : halves) values.push_back(__half2float(value));
  return values;
}

double relative_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double difference = 0;
  double size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
    size += std::pow(static_cast<double>(b[i]), 2);
  }
  return std::sqrt(difference / size);
}

struct Options {
  std::size_t shown = 4;
  std::vector<detector::engine::InvertedResidualTile> tiles;  ///< empty: all tiles
  std::vector<Case> cases;
};

void bench_case(const Case& c, const Options& options) {
  const detector::engine::Chip chip = detector::engine::current_chip();
  const detector::graph::InvertedResidual op = block_of(c);
  const detector::graph::MapShape input{c.inputs, c.height, c.width};
  const bool residual = c.inputs == c.outputs && c.stride == 1;
  const cuda::Stream stream;
  detector::engine::InvertedResidualTrial trial(op, input, residual, stream);
  struct Row {
    float time;
    double difference;
    detector::engine::InvertedResidualTile tile;
  };
  std::vector<Row> rows;
  std::vector<float> first;
  for (const detector::engine::InvertedResidualTile& tile :
       options.tiles.empty() ? detector::engine::candidate_tiles(trial.shape(), chip)
                             : options.tiles) {
    const float time = trial.time(tile, kLaunches, stream);
    const std::vector<float> values = download(trial, stream);
    if (first.empty()) first = values;
    rows.push_back({time, relative_difference(values, first), tile});
  }
  std::printf("%d -> %d -> %d, stride %d, %dx%d: %zu tiles, the first %.2f us\n", c.inputs,
              c.expanded, c.outputs, c.stride, c.width, c.height, rows.size(),
              rows.empty() ? 0.0 : static_cast<double>(rows.front().time));
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.time < b.time; });
  for (std::size_t i = 0; i < std::min(options.shown, rows.size()); ++i) {
    std::printf("  %7.2f us  %s   (%.1e)\n", static_cast<double>(rows[i].time),
                detector::engine::text_of(rows[i].tile).c_str(), rows[i].difference);
  }
  double worst = 0;
  for (const Row& row : rows) worst = std::max(worst, row.difference);
  std::printf("  most that two tiles differ: %.1e\n", worst);
  std::fflush(stdout);
}

int bench(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--best" && i + 1 < words.size())
      options.shown = std::stoul(words[++i]);
    else if (words[i] == "--tile" && i + 1 < words.size())
      options.tiles.push_back(detector::engine::tile_of(words[++i]));
    else
      options.cases.push_back(parse_case(words[i]));
  }
  if (options.cases.empty()) options.cases.assign(std::begin(kCenterFace), std::end(kCenterFace));
  for (const Case& c : options.cases) bench_case(c, options);
  return 0;
}

}  // namespace
}  // namespace facepipe::bench

int main(int argc, char** argv) {
  return facepipe::bench::run_measurement("bench_inverted_residual", argc, argv,
                                          facepipe::bench::bench);
}
