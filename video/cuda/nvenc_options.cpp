#include "video/cuda/nvenc_options.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/error.h"

namespace facepipe {
namespace {

constexpr double kWorstQuality = 51;

// FFmpeg knows names of older presets too, some of which say nothing of what they stand for.
void check_preset(const std::string& name, const std::string& preset) {
  if (preset.size() == 2 && preset[0] == 'p' && preset[1] >= '1' && preset[1] <= '7') return;
  throw Error(ErrorKind::usage, "encoder " + name + " has no preset \"" + preset +
                                    "\", but p1 (fastest) to p7 (best)");
}

bool chooses_rate(const CodecOptions& options) {
  constexpr std::array<std::string_view, 7> kChoices{
      "b", "rc", "cq", "qp", "q", "cbr", "global_quality"};
  return std::any_of(options.begin(), options.end(), [&](const auto& option) {
    return std::find(kChoices.begin(), kChoices.end(), option.first) != kChoices.end();
  });
}

void add_quality(double quality, CodecOptions& to) {
  to.emplace_back("rc", "vbr");
  to.emplace_back("cq", std::to_string(quality));
  to.emplace_back("b", "0");
}

}  // namespace

CodecOptions nvenc_options(const std::string& name, const EncoderOptions& options) {
  CodecOptions all = options.options;
  if (!options.preset.empty()) {
    check_preset(name, options.preset);
    all.emplace_back("preset", options.preset);
  }
  if (options.crf) {
    if (!(*options.crf > 0 && *options.crf <= kWorstQuality))
      throw Error(ErrorKind::usage, "encoder " + name + ": --crf is over 0, and at most 51");
    add_quality(*options.crf, all);
  } else if (!chooses_rate(options.options)) {
    add_quality(kDefaultNvencQuality, all);
  }
  return all;
}

}  // namespace facepipe
