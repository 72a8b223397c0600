// This detector has no network: its faces depend on each picture's samples. So if pictures are in a
// wrong order, the recorded faces are different.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "detector/detector.h"
#include "pipeline/backend.h"
#include "pipeline/cpu/backend.h"

namespace facepipe::test {

/// Returns a hash of the samples of the first plane, without the padding.
inline std::size_t hash_of_picture(const Frame& frame) {
  const auto bytes = static_cast<std::size_t>(frame.size.width) *
                     static_cast<std::size_t>(frame.format.bytes_per_sample());
  std::size_t hash = 0;
  for (int y = 0; y < frame.size.height; ++y) {
    const std::byte* row = frame.planes[0].data + y * frame.planes[0].stride;
    const std::string_view text(reinterpret_cast<const char*>(row), bytes);
    hash = hash * 31 + std::hash<std::string_view>()(text);
  }
  return hash;
}

/// Returns one to three faces that don't overlap. The faces depend on the picture's samples.
inline Detections faces_of_picture(const Frame& frame) {
  const std::size_t hash = hash_of_picture(frame);
  Detections faces;
  for (std::size_t i = 0; i <= hash % 3; ++i) {
    const auto x = static_cast<float>(20 * i + hash / 3 % 10);
    const auto y = static_cast<float>(hash / 30 % 40);
    faces.push_back({x, y, x + 8, y + 8}, 0.9F - 0.1F * static_cast<float>(i), Landmarks{});
  }
  return faces;
}

class PictureRequest final : public detector::DetectionRequest {
 public:
  void prepare(const Frame& frame) override { faces_ = faces_of_picture(frame); }
  void start() override { interval_.begin = Clock::now(); }
  Detections collect() override {
    interval_.end = Clock::now();
    return std::move(faces_);
  }
  [[nodiscard]] Interval inference() const override { return interval_; }

 private:
  Detections faces_;
  Interval interval_;
};

class PictureDetector final : public detector::Detector {
 public:
  explicit PictureDetector(Size size) : size_(size) {}
  std::unique_ptr<detector::DetectionRequest> acquire(const std::stop_token& /*stop*/) override {
    return std::make_unique<PictureRequest>();
  }
  [[nodiscard]] detector::DetectorFacts facts() const override { return {size_, {}, {}}; }

 private:
  Size size_;
};

class PictureDetectorFactory final : public detector::DetectorFactory {
 public:
  PictureDetectorFactory() : detector::DetectorFactory({}, "pictures", "", true) {}
  std::shared_ptr<detector::Detector> detector(Size frame) override {
    return std::make_shared<PictureDetector>(frame);
  }
};

/// Returns the CPU's backend with a PictureDetector.
inline std::unique_ptr<pipeline::Backend> picture_backend() {
  return pipeline::make_cpu_backend(std::make_unique<PictureDetectorFactory>());
}

}  // namespace facepipe::test
