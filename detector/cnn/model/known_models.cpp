#include "detector/cnn/model/known_models.h"

#include <array>

#include "core/score_scale.h"

namespace facepipe::detector {

const ModelData& centerface() {
  static const ModelData kData{
      .name = "centerface",
      .title = "CenterFace",
      .input = {.channel_order = ChannelOrder::rgb},
      .head = {.kind = HeadKind::centerface,
               .layout = OutputLayout::planes,
               .strides = {4},
               .outputs = {{1}, {2}, {2}, {10}}},
      .reference_score = kUsualReferenceScore,
  };
  return kData;
}

const ModelData& yunet() {
  static const ModelData kData{
      .name = "yunet",
      .title = "YuNet",
      .input = {.channel_order = ChannelOrder::bgr},
      .head = {.kind = HeadKind::yunet,
               .layout = OutputLayout::cells,
               .strides = {8, 16, 32},
               .outputs = {{1, "cls_"}, {1, "obj_"}, {4, "bbox_"}, {10, "kps_"}}},
      .reference_score = 0.38F,
  };
  return kData;
}

std::span<const ModelData* const> known_models() {
  static const std::array<const ModelData*, 2> kModels{&centerface(), &yunet()};
  return kModels;
}

}  // namespace facepipe::detector
