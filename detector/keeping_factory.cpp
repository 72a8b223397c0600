#include "detector/keeping_factory.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/machine.h"
#include "detector/looks.h"
#include "detector/looks_detector.h"
#include "detector/tiling.h"

namespace facepipe::detector {
namespace {

// This is enough for a stream that switches between a few sizes. It is not more, because each
// detector holds a compiled network.
constexpr std::size_t kKeptDetectors = 4;
// Limits the pixels of the inputs of all kept networks of a run together, because the memory of a
// network grows with the pixels of its input.
constexpr std::int64_t kKeptPixels = kLargestUntiled;

ModelAbout with_file(ModelAbout about, const DetectorOptions& options) {
  about.file = options.model;
  return about;
}

Size turned(Size size) { return {size.height, size.width}; }

}  // namespace

KeepingFactory::KeepingFactory(EngineChoice choice, std::string kind, std::string sha256,
                               bool finds_landmarks, DetectorOptions options,
                               std::vector<FoundClass> classes, ModelAbout about)
    : DetectorFactory(std::move(choice), std::move(kind), std::move(sha256), finds_landmarks,
                      std::move(classes), with_file(std::move(about), options)),
      options_(with_defaults(std::move(options), this->about())) {
  if (options_.requests < 1)
    throw Error(ErrorKind::usage, "detector: at least one request is needed");
  if (options_.threads < 0) throw Error(ErrorKind::usage, "detector: threads must be 0 or more");
  if (options_.threads == 0) options_.threads = usable_processors();
}

std::shared_ptr<Detector> KeepingFactory::detector(Size frame) {
  const std::scoped_lock lock(mutex_);
  if (const auto* const known = kept_.find(frame)) return *known;
  const Looks looks = looks_of(options_);
  std::int64_t size = 0;
  for (const float scale : looks.scales) size += pixels_for(frame, scale);
  // The picture turned by 180 degrees has the size of the picture itself, as a square always has.
  const bool other_size = looks.turned && frame.width != frame.height;
  if (other_size) size += pixels_for(turned(frame), looks.scales.front());
  // makes room for one more
  kept_.keep_at_most(kKeptDetectors - 1, kKeptPixels / options_.models - size);
  std::vector<LookAt> all;
  for (const float scale : looks.scales) {
    // Frames wait only in the first look's detector. The other looks run within collect(), one
    // after the other, so they need one request.
    const int requests = all.empty() ? options_.requests : 1;
    all.push_back({make(frame, scale, requests), false});
  }
  if (looks.mirrored) all.push_back({all.front().detector, true});
  if (looks.turned) {
    const std::shared_ptr<Detector> upright = all.front().detector;
    const std::shared_ptr<Detector> lying =
        other_size ? make(turned(frame), looks.scales.front(), 1) : upright;
    for (int turns = 1; turns <= kTurns; ++turns)
      all.push_back({turns == 2 ? upright : lying, false, 0, turns});
  }
  std::shared_ptr<Detector> made = make_looks_detector(std::move(all));
  kept_.add(frame, made, size);
  return made;
}

}  // namespace facepipe::detector
