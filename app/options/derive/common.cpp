#include "app/options/derive/common.h"

#include <algorithm>

#include "core/error.h"
#include "video/read/input_access.h"

namespace facepipe::app {

void clash(const std::string& text) { throw Error(ErrorKind::usage, text); }

std::vector<std::string> all_inputs(const Asked& asked) {
  std::vector<std::string> inputs = asked.inputs;
  inputs.insert(inputs.end(), asked.plain_inputs.begin(), asked.plain_inputs.end());
  return inputs;
}

void name_standard_input(std::vector<std::string>& inputs) {
  std::ranges::replace(inputs, std::string("-"), std::string(video::kStandardInput));
}

detector::DetectorOptions detector_of(const Asked& asked) {
  detector::DetectorOptions detector = asked.detector;
  if (asked.models.empty()) return detector;
  detector.model = asked.models.front();
  detector.more_models.assign(asked.models.begin() + 1, asked.models.end());
  return detector;
}

float score_of(const Asked& asked) {
  return asked.score.value_or(detector::DetectorOptions{}.score_threshold);
}

}  // namespace facepipe::app
