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

constexpr int kEdge = 640;
constexpr Size kTile{kEdge, kEdge};

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
std::vector<int> begins(int length) {
  const int count = (length + kEdge - 1) / kEdge;
  std::vector<int> begins{0};
  for (int i = 1; i < count; ++i) begins.push_back(i * (length - kEdge) / (count - 1));
  return begins;
}

/// Returns the planes of a tile. The part of a tile that lies beyond the picture is black, as in a
/// network's input.
std::vector<std::uint8_t> planes_of(const cv::Mat& tile, ChannelOrder order) {
  std::vector<std::uint8_t> planes(std::size_t{3} * kEdge * kEdge, 0);
  constexpr std::ptrdiff_t kPlane = std::ptrdiff_t{kEdge} * kEdge;
  for (int c = 0; c < 3; ++c) {
    cv::Mat plane(kEdge, kEdge, CV_8UC1, planes.data() + kPlane * c);
    cv::Mat channel;
    cv::extractChannel(tile, channel, order == ChannelOrder::rgb ? c : 2 - c);
    channel.copyTo(plane(cv::Rect(0, 0, tile.cols, tile.rows)));
  }
  return planes;
}

}  // namespace

Calibration::Calibration(const Model& model, int threads)
    : order_(model.channel_order()),
      observer_(make_observer(model, kTile,
                              threads > 0 ? threads : std::max(1, cv::getNumberOfCPUs()))) {}

void Calibration::look_at(const RgbaImage& picture, const std::stop_token& stop) {
  std::vector<std::uint8_t> bytes = picture.bytes;  // OpenCV has no type for constant memory
  const cv::Mat whole(picture.size.height, picture.size.width, CV_8UC4, bytes.data());
  for (const int side : kLongerSides) {
    const cv::Mat sized = resized(whole, side);
    for (const int y : begins(sized.rows))
      for (const int x : begins(sized.cols)) {
        if (stop.stop_requested()) throw Stopped();
        const cv::Rect tile(x, y, std::min(kEdge, sized.cols), std::min(kEdge, sized.rows));
        observer_->look(planes_of(sized(tile), order_));
      }
  }
}

}  // namespace facepipe::detector
