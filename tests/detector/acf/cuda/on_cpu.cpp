#include "tests/detector/acf/cuda/on_cpu.h"

#include <memory>

#include "detector/acf/cpu/acf_detector.h"
#include "tests/detector/detect.h"

namespace facepipe::test {

Detections on_cpu(const detector::acf::Model& model, const Frame& frame,
                  const detector::acf::SizeLimits& sizes, float threshold) {
  const auto detector = detector::acf::make_acf_detector(
      std::make_shared<const detector::acf::Model>(model), std::make_shared<Workers>(2),
      frame.upright(), {.sizes = sizes, .score_threshold = threshold});
  return detect(*detector, frame);
}

std::vector<std::vector<float>> channels_on_cpu(const detector::acf::Model& model,
                                                const Frame& frame,
                                                const detector::acf::SizeLimits& sizes) {
  detector::acf::RgbMaker maker;
  const cv::Mat rgb = maker.picture(frame);
  Workers workers(2);
  detector::acf::PyramidScanner::Memory memory;
  const detector::acf::PyramidScanner scanner(std::make_shared<const detector::acf::Model>(model),
                                              frame.upright(), sizes);
  std::vector<std::vector<float>> scales;
  for (std::size_t i = 0; i < scanner.scales().size(); ++i) {
    if (!scanner.scales()[i].wanted) continue;
    const detector::acf::Planes& planes = scanner.channels(rgb, i, workers, memory);
    std::vector<float>& samples = scales.emplace_back();
    for (int c = 0; c < detector::acf::kChannels; ++c)
      for (int y = 0; y < planes.size().height; ++y)
        samples.insert(samples.end(), planes.row(c, y), planes.row(c, y) + planes.size().width);
  }
  return scales;
}

}  // namespace facepipe::test
