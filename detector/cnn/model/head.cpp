#include "detector/cnn/model/head.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "detector/cnn/model/box_rows.h"
#include "detector/cnn/model/head_cells.h"

namespace facepipe::detector {
namespace {

/// Describes an output. The steps are numbers of floats from one place, cell of a place or channel
/// to the next.
struct Tensor {
  const float* values;
  std::size_t place_step;
  std::size_t anchor_step;
  std::size_t channel_step;
};

/// Holds the outputs of one stride.
struct Level {
  std::vector<Tensor> tensors;
  Size map;  ///< number of places in a row, and number of rows
  int stride;
  std::vector<AnchorSize> anchors;  ///< anchors of a place
};

struct Cell {
  const Tensor* tensors;  ///< outputs of the cell's level
  std::size_t place;
  std::size_t anchor;

  [[nodiscard]] float at(int tensor, int channel) const {
    const Tensor& from = tensors[tensor];
    return from.values[place * from.place_step + anchor * from.anchor_step +
                       static_cast<std::size_t>(channel) * from.channel_step];
  }
};

Level level_of(const HeadData& head, std::size_t index, const NetworkOutputs& outputs,
               Size network) {
  const int stride = head.strides[index];
  Level level{{}, {network.width / stride, network.height / stride}, stride, {}};
  level.anchors.resize(static_cast<std::size_t>(head.anchors));
  if (!head.anchor_sizes.empty()) level.anchors = head.anchor_sizes[index];
  const auto places =
      static_cast<std::size_t>(level.map.width) * static_cast<std::size_t>(level.map.height);
  for (std::size_t t = 0; t < head.outputs.size(); ++t) {
    const float* const values = outputs[index * head.outputs.size() + t].data();
    const auto channels = static_cast<std::size_t>(head.outputs[t].channels);
    if (head.layout == OutputLayout::planes)
      level.tensors.push_back({values, 1, channels * places, places});
    else
      level.tensors.push_back(
          {values, channels * static_cast<std::size_t>(head.anchors), channels, 1});
  }
  return level;
}

bool finite(const Landmarks& landmarks) {
  return std::all_of(landmarks.begin(), landmarks.end(), [](const Point& point) {
    return std::isfinite(point.x) && std::isfinite(point.y);
  });
}

template <class Cells>
class Decoder {
 public:
  Decoder(const HeadData& head, const NetworkFit& fit, float score_threshold)
      : head_(head), fit_(fit), score_threshold_(score_threshold) {}

  void decode(const Level& level) {
    const Tensor* const tensors = level.tensors.data();
    const auto anchors = static_cast<std::size_t>(head_.anchors);
    std::size_t place = 0;
    for (int row = 0; row < level.map.height; ++row)
      for (int column = 0; column < level.map.width; ++column, ++place)
        for (std::size_t anchor = 0; anchor < anchors; ++anchor) {
          const Cell cell{tensors, place, anchor};
          // The score is computed first, because most cells are not candidates.
          const float score = Cells::score(cell, head_.numbers);
          if (score > score_threshold_)
            add(cell, score,
                {static_cast<float>(row), static_cast<float>(column),
                 static_cast<float>(level.stride), level.anchors[anchor]});
        }
  }

  Detections found;

 private:
  void add(const Cell& cell, float score, const CellPlace& place) {
    const Box box = Cells::box(cell, place, head_.numbers);
    const std::optional<Box> visible = box_in_frame(fit_, box);
    if (!std::isfinite(score) || !visible) return;
    Landmarks points;
    if (head_.landmarks) {
      Cells::points(cell, place, box, head_.numbers, points.data());
      for (Point& point : points) point = {point.x * fit_.scale_x(), point.y * fit_.scale_y()};
      if (!finite(points)) return;
    }
    if (head_.landmarks)
      found.push_back(*visible, score, points);
    else
      found.push_back(*visible, score);
    if constexpr (requires { Cells::class_of(cell, head_.numbers); })
      found.set_class_of_last(static_cast<std::uint16_t>(Cells::class_of(cell, head_.numbers)));
  }

  const HeadData& head_;
  const NetworkFit& fit_;
  float score_threshold_;
};

}  // namespace

Detections decode_head(const HeadData& head, const NetworkOutputs& outputs, const NetworkFit& fit,
                       float score_threshold) {
  if (head.kind == HeadKind::boxes) return decode_rows(head, outputs, fit, score_threshold);
  return with_cells_of(head.kind, [&]<class Cells>(Cells) {
    Decoder<Cells> decoder(head, fit, score_threshold);
    for (std::size_t i = 0; i < head.strides.size(); ++i)
      decoder.decode(level_of(head, i, outputs, fit.network));
    return std::move(decoder.found);
  });
}

}  // namespace facepipe::detector
