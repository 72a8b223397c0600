#include "detector/turning.h"

namespace facepipe::detector {

TurningSteps turning_steps(Orientation orientation) {
  const int turns = orientation.quarter_turns;
  return {turns == 1 || turns == 2, orientation.mirrored != (turns >= 2), turns % 2 == 1};
}

cv::Mat turned_upright(const cv::Mat& stored, Orientation orientation, cv::Mat& flipped,
                       cv::Mat& transposed) {
  constexpr int kTopToBottom = 0;
  constexpr int kLeftToRight = 1;
  constexpr int kBoth = -1;
  const TurningSteps steps = turning_steps(orientation);
  cv::Mat picture = stored;
  if (steps.flip_rows || steps.flip_columns) {
    const int code = !steps.flip_columns ? kTopToBottom : steps.flip_rows ? kBoth : kLeftToRight;
    cv::flip(picture, flipped, code);
    picture = flipped;
  }
  if (!steps.transpose) return picture;
  cv::transpose(picture, transposed);
  return transposed;
}

}  // namespace facepipe::detector
