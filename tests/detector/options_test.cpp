#include <gmock/gmock.h>

#include "core/error.h"
#include "detector/cnn/cpu/engine.h"
#include "detector/options.h"

namespace facepipe::detector {
namespace {

using enum Library;
using enum Precision;

// These are engines that a build can have on different processors.
const EngineSupport kOpencv{opencv, {f32}, {}};
const std::vector<EngineSupport> kWithCuda{kOpencv, {native_cuda, {f16}, {f16}}};
const std::vector<EngineSupport> kNativeCuda{{native_cuda, {f16}, {f16}}};
const std::vector<EngineSupport> kPlain{kOpencv};
const std::vector<EngineSupport> kOld{{openvino, {f32}, {}}, kOpencv};
const std::vector<EngineSupport> kSkylake{{openvino, {f32, bf16}, {}}, kOpencv};
const std::vector<EngineSupport> kZen4{{openvino, {f32, bf16, i8}, {bf16}}, kOpencv};
const std::vector<EngineSupport> kAvx2{{openvino, {f32, i8}, {}}, kOpencv};
const std::vector<EngineSupport> kNoAmx{{openvino, {f32, f16, bf16}, {}}, kOpencv};
const std::vector<EngineSupport> kSapphireRapids{{openvino, {f32, f16, bf16}, {bf16}}, kOpencv};
const std::vector<EngineSupport> kGraniteRapids{{openvino, {f32, f16, bf16}, {f16, bf16}}, kOpencv};

constexpr Device kCpu{DeviceKind::cpu, 0};
constexpr Device kCuda{DeviceKind::cuda, 0};

struct Chosen {
  const std::vector<EngineSupport>& built;
  std::optional<Library> library;
  std::optional<Precision> precision;
  Library chosen_library;
  Precision chosen_precision;
  const char* why;  ///< text that the reason must contain
};

const Chosen kChosen[] = {
    // Columns: built, engine, precision -> engine, precision, why.
    {kPlain, {}, {}, opencv, f32, "lacks OpenVINO"},
    {kOld, {}, {}, openvino, f32, "neither f16 nor bf16"},
    {kSkylake, {}, {}, openvino, f32, "neither f16 nor bf16"},
    {kZen4, {}, {}, openvino, bf16, "computes in bf16"},
    {kZen4, {}, f32, openvino, f32, "fastest"},
    {kNoAmx, {}, {}, openvino, f32, "f16 is slower"},
    {kNoAmx, openvino, {}, openvino, f32, "f16 is slower"},
    {kSapphireRapids, {}, {}, openvino, bf16, "computes in bf16"},
    {kSapphireRapids, openvino, {}, openvino, bf16, "computes in bf16"},
    {kSapphireRapids, {}, f16, openvino, f16, "fastest"},
    {kGraniteRapids, {}, {}, openvino, f16, "computes in f16"},
    {kGraniteRapids, openvino, {}, openvino, f16, "computes in f16"},
    {kGraniteRapids, opencv, {}, opencv, f32, "f32 only"},
    {kGraniteRapids, {}, f32, openvino, f32, "fastest"},
    {kGraniteRapids, openvino, f32, openvino, f32, ""},
    {kZen4, {}, bf16, openvino, bf16, "fastest"},
    {kAvx2, {}, {}, openvino, f32, "neither f16 nor bf16"},
    {kAvx2, openvino, {}, openvino, f32, "neither f16 nor bf16"},
    {kAvx2, {}, i8, openvino, i8, "fastest engine"},
    {kZen4, openvino, i8, openvino, i8, ""},
    {kZen4, opencv, f32, opencv, f32, ""},
    {kPlain, {}, f32, opencv, f32, "lacks OpenVINO"},
};

TEST(EngineChoice, FollowsTheTable) {
  for (const Chosen& c : kChosen) {
    DetectorOptions options;
    options.library = c.library;
    options.precision = c.precision;
    const EngineChoice choice = choose_engine(kCpu, options, c.built);
    EXPECT_EQ(choice.library, c.chosen_library) << choice.why;
    EXPECT_EQ(choice.precision, c.chosen_precision) << choice.why;
    EXPECT_THAT(choice.why, testing::HasSubstr(c.why));
    EXPECT_EQ(choice.why.empty(), c.library && c.precision) << choice.why;
  }
}

struct Refused {
  const std::vector<EngineSupport>& built;
  Device device;
  std::optional<Library> library;
  std::optional<Precision> precision;
  ErrorKind kind;
  const char* message;  ///< text that the message must contain
};

const Refused kRefused[] = {
    // Columns: built, device, engine, precision, error, message.
    {kGraniteRapids, kCpu, opencv, f16, ErrorKind::usage, "engine opencv, precision f16"},
    {kGraniteRapids, kCpu, opencv, bf16, ErrorKind::usage, "engine opencv, precision bf16"},
    {kGraniteRapids, kCuda, openvino, {}, ErrorKind::usage, "device cuda:0, engine openvino"},
    {kGraniteRapids, kCuda, opencv, bf16, ErrorKind::usage, "can't be combined"},
    {kGraniteRapids, kCuda, opencv, f16, ErrorKind::device, "opencv can't compute in f16"},
    {kZen4, kCpu, openvino, f16, ErrorKind::device, "can't compute in f16 on this processor"},
    {kZen4, kCpu, {}, f16, ErrorKind::device, "can't compute in f16 on this processor"},
    {kOld, kCpu, openvino, bf16, ErrorKind::device, "can't compute in bf16 on this processor"},
    {kOld, kCpu, {}, i8, ErrorKind::device, "can't compute in i8 on this processor"},
    {kZen4, kCpu, opencv, i8, ErrorKind::usage, "engine opencv, precision i8"},
    {kWithCuda, kCuda, {}, i8, ErrorKind::usage, "device cuda:0, precision i8"},
    {kPlain, kCpu, openvino, {}, ErrorKind::device, "lacks the engine openvino"},
    {kPlain, kCuda, {}, {}, ErrorKind::device, "lacks the engine cuda"},
    {kWithCuda, kCpu, native_cuda, {}, ErrorKind::usage, "device cpu, engine cuda"},
    {kNativeCuda, kCuda, opencv, {}, ErrorKind::device, "lacks the engine opencv"},
    {kWithCuda, kCuda, {}, f32, ErrorKind::usage, "device cuda:0, precision f32"},
    {kPlain, kCpu, {}, f16, ErrorKind::device, "lacks the engine openvino"},
    {kPlain, kCpu, {}, bf16, ErrorKind::device, "lacks the engine openvino"},
};

TEST(EngineChoice, RefusesInsteadOfReplacing) {
  for (const Refused& c : kRefused) {
    DetectorOptions options;
    options.library = c.library;
    options.precision = c.precision;
    try {
      const EngineChoice choice = choose_engine(c.device, options, c.built);
      ADD_FAILURE() << c.message << ": chose " << choice.name();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), c.kind) << error.what();
      EXPECT_THAT(error.what(), testing::HasSubstr(c.message));
    }
  }
}

TEST(EngineChoice, TakesWhatComputesNoNetworksByNameAlone) {
  for (const Library library : {Library::cascade, Library::acf}) {
    const std::vector<EngineSupport> only{{library, {f32}, {}}};
    for (const Device& device : {Device{}, kCuda}) {
      DetectorOptions options;
      EXPECT_THROW((void)choose_engine(device, options, only), Error);
      options.precision = f32;
      EXPECT_THROW((void)choose_engine(device, options, only), Error);
      options.library = library;
      EXPECT_EQ(choose_engine(device, options, only).library, library);
      options.precision = f16;
      EXPECT_THROW((void)choose_engine(device, options, only), Error);
    }
  }
}

TEST(EngineChoice, TakesOpencvOnACudaDeviceByNameAlone) {
  const std::vector<EngineSupport> built{{opencv, {f32, f16}, {}}, {native_cuda, {f16}, {f16}}};
  DetectorOptions options;
  EXPECT_EQ(choose_engine(kCuda, options, built).library, native_cuda);
  options.precision = f16;
  EXPECT_EQ(choose_engine(kCuda, options, built).library, native_cuda);
  options.library = opencv;
  EXPECT_EQ(choose_engine(kCuda, options, built).library, opencv);
  EXPECT_EQ(choose_engine(kCuda, options, built).precision, f16);
  options.precision.reset();
  EXPECT_EQ(choose_engine(kCuda, options, built).precision, f32);
  EXPECT_EQ(choose_engine(kCuda, options, built).name(), "opencv");
}

TEST(EngineChoice, OpencvAloneWorksInHostMemoryOnACudaDevice) {
  for (const NamedEngine& engine : named_engines(DeviceKind::cuda))
    EXPECT_EQ(works_in_host_memory(DeviceKind::cuda, engine.library), engine.library == opencv);
  EXPECT_FALSE(works_in_host_memory(DeviceKind::cpu, opencv));
}

TEST(EngineChoice, OfACudaDeviceIsItsOwn) {
  for (const auto library : {std::optional<Library>(), std::optional(native_cuda)}) {
    for (const bool fused : {true, false}) {
      DetectorOptions options;
      options.library = library;
      options.fused = fused;
      const EngineChoice choice = choose_engine(kCuda, options, kWithCuda);
      EXPECT_EQ(choice.library, native_cuda);
      EXPECT_EQ(choice.fused, fused);
      EXPECT_EQ(choice.precision, f16);
      EXPECT_EQ(choice.name(), fused ? "cuda" : "cuda-plain");
      EXPECT_EQ(choice.why, std::string(choice.name()) + ", f16: the engine for CUDA devices");
    }
  }
}

TEST(EngineChoice, HoldsForThisMachine) {
  const EngineChoice choice = choose_engine(kCpu, {});
  for (const EngineSupport& support : supported_engines(DeviceKind::cpu)) {
    if (support.library != choice.library) continue;
    EXPECT_THAT(support.precisions, testing::Contains(choice.precision));
    if (choice.precision != f32) {
      EXPECT_THAT(support.fast, testing::Contains(choice.precision));
    }
  }
  EXPECT_FALSE(choice.why.empty());
}

/// Returns the score that candidates must exceed.
float threshold(const DetectorOptions& options, const ModelAbout& about = {}) {
  return with_defaults(options, about).score_threshold;
}

TEST(DetectorOptions, WeakScoresLowerTheThreshold) {
  DetectorOptions options;
  options.score_threshold = 0.4F;
  EXPECT_EQ(threshold(options), 0.4F);
  options.weak_score = 0.03F;
  EXPECT_EQ(threshold(options), 0.03F);
  options.score_threshold = 0.01F;
  EXPECT_EQ(threshold(options), 0.01F);
  options.score_threshold = kOnlyWeakOnes;
  EXPECT_EQ(threshold(options), 0.03F);
}

TEST(DetectorOptions, WeakScoresAreUsualOnes) {
  ModelAbout squares;
  squares.reference_score = 0.0441F;  // 0.21^2
  DetectorOptions options;
  options.weak_score = 0.1F;
  EXPECT_NEAR(threshold(options, squares), 0.01F, 1e-6);
  options.score_threshold = 0.001F;  // as the model scores
  EXPECT_EQ(threshold(options, squares), 0.001F);
  EXPECT_NEAR(threshold(with_one_look(options, 0.1F), squares), 0.01F, 1e-6);
  EXPECT_EQ(threshold(with_one_look(options, 0), squares), 0);
}

TEST(DetectorOptions, TheCardsScoreTakesThePlaceOfTheDefault) {
  ModelAbout about;
  about.score = 0.3F;
  DetectorOptions options;
  EXPECT_EQ(threshold(options, about), 0.5F);
  options.card_score = CardScore::taken;
  EXPECT_EQ(threshold(options), 0.5F);
  EXPECT_EQ(threshold(options, about), 0.3F);
  options.weak_score = 0.1F;
  EXPECT_EQ(threshold(options, about), 0.1F);
  about.score = 0.05F;
  EXPECT_EQ(threshold(options, about), 0.05F) << "faces that the card calls so are found";
  // The second time, nothing changes.
  EXPECT_EQ(threshold(with_defaults(options, about), about), 0.05F);
}

TEST(EngineChoice, NamesPrecisions) {
  EXPECT_EQ(to_string(f32), "f32");
  EXPECT_EQ(to_string(f16), "f16");
  EXPECT_EQ(to_string(bf16), "bf16");
  EXPECT_EQ(to_string(i8), "i8");
}

std::vector<std::string_view> names(const std::vector<NamedEngine>& engines) {
  std::vector<std::string_view> names;
  for (const NamedEngine& engine : engines) names.push_back(engine.name);
  return names;
}

TEST(NamedEngines, AreThoseThatUsersKnow) {
  using testing::ElementsAre;
  EXPECT_THAT(names(named_engines()),
              ElementsAre("acf", "cascade", "opencv", "openvino", "cuda", "cuda-plain"));
  EXPECT_THAT(names(named_engines(DeviceKind::cpu)),
              ElementsAre("acf", "cascade", "opencv", "openvino"));
  EXPECT_THAT(names(named_engines(DeviceKind::cuda)),
              ElementsAre("acf", "cascade", "cuda", "cuda-plain", "opencv"));
}

TEST(NamedEngines, StandForTheirLibraryAndFusion) {
  EXPECT_EQ(engine_name(opencv), "opencv");
  EXPECT_EQ(engine_name(openvino), "openvino");
  EXPECT_EQ(engine_name(openvino, false), "openvino");
  EXPECT_EQ(engine_name(native_cuda, true), "cuda");
  EXPECT_EQ(engine_name(native_cuda, false), "cuda-plain");
  for (const NamedEngine& engine : named_engines())
    EXPECT_EQ(engine_name(engine.library, engine.fused), engine.name);
}

}  // namespace
}  // namespace facepipe::detector
