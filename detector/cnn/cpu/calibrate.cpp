#include "detector/cnn/cpu/calibrate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "core/error.h"

namespace facepipe::detector {
namespace {

constexpr Size kUsualTile{640, 640};

// The network runs on each picture in these sizes (the length of the longer side). At the first
// size, the largest faces of a crowd are small. At the last size, the smallest faces are large.
constexpr std::array kLongerSides{283, 400, 566, 800, 1131, 1600, 2263, 3200, 4525};

cv::Mat resized(const cv::Mat& picture, int longer_side) {
  const double scale = static_cast<double>(longer_side) / std::max(picture.cols, picture.rows);
  const auto side = [scale](int length) {
    return std::max(1, static_cast<int>(std::lround(scale * length)));
  };
  cv::Mat result;
  cv::resize(picture, result, {side(picture.cols), side(picture.rows)}, 0, 0,
             scale < 1 ? cv::INTER_AREA : cv::INTER_LINEAR);
  return result;
}

/// Returns where tiles begin on an axis. Uses as few tiles as possible, and spreads them evenly.
std::vector<int> begins(int length, int tile) {
  const int count = (length + tile - 1) / tile;
  std::vector<int> begins{0};
  for (int i = 1; i < count; ++i) begins.push_back(i * (length - tile) / (count - 1));
  return begins;
}

/// Returns the planes of a tile of the size `size`. The part of a tile that lies beyond the picture
/// is black, as in a network's input.
std::vector<std::uint8_t> planes_of(const cv::Mat& tile, Size size, ChannelOrder order) {
  const std::ptrdiff_t pixels = std::ptrdiff_t{size.width} * size.height;
  std::vector<std::uint8_t> planes(static_cast<std::size_t>(3 * pixels), 0);
  for (int c = 0; c < 3; ++c) {
    cv::Mat plane(size.height, size.width, CV_8UC1, planes.data() + pixels * c);
    cv::Mat channel;
    cv::extractChannel(tile, channel, order == ChannelOrder::rgb ? c : 2 - c);
    channel.copyTo(plane(cv::Rect(0, 0, tile.cols, tile.rows)));
  }
  return planes;
}

}  // namespace

Calibration::Calibration(const Model& model, int threads)
    : order_(model.channel_order()),
      tile_(model.data().input.size.value_or(kUsualTile)),
      observer_(make_observer(model, tile_,
                              threads > 0 ? threads : std::max(1, cv::getNumberOfCPUs()))) {}

void Calibration::measure(const RgbaImage& picture, const std::stop_token& stop) {
  std::vector<std::uint8_t> bytes = picture.bytes;  // OpenCV has no type for constant memory
  const cv::Mat whole(picture.size.height, picture.size.width, CV_8UC4, bytes.data());
  for (const int side : kLongerSides) {
    const cv::Mat sized = resized(whole, side);
    for (const int y : begins(sized.rows, tile_.height))
      for (const int x : begins(sized.cols, tile_.width)) {
        if (stop.stop_requested()) throw Stopped();
        const cv::Rect tile(x, y, std::min(tile_.width, sized.cols),
                            std::min(tile_.height, sized.rows));
        observer_->look(planes_of(sized(tile), tile_, order_));
      }
  }
}

}  // namespace facepipe::detector
