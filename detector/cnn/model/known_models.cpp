#include "detector/cnn/model/known_models.h"

#include <array>

namespace facepipe::detector {

std::span<const KnownModel* const> known_models() {
  static constexpr std::array<const KnownModel*, 2> kModels{&kCenterface, &kYunet};
  return kModels;
}

}  // namespace facepipe::detector
