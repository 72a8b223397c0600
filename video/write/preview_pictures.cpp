#include "video/write/preview_pictures.h"

#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "video/notices.h"
#include "video/read/frame_source.h"
#include "video/write/upright_picture.h"

namespace facepipe::video {
namespace {

constexpr int kThreads = 2;  // more would only decode frames that nobody needs
// If pictures are nearer to each other than this, going on takes less time than searching the next
// key frame.
constexpr double kWorthSeeking_s = 2;

/// Goes through the video, from one picture to the next.
class Previews {
 public:
  Previews(const std::string& file, const PreviewOptions& options, const std::stop_token& stop)
      : file_(file), options_(options), stop_(stop), notices_(file) {
    source_ = open(std::nullopt);
    frame_ = source_->next();
  }

  std::vector<PreviewPicture> all() {
    const double duration = source_->duration_s();
    const double step = duration > 0 ? duration / options_.count : 0;
    for (int i = 0; i < options_.count && frame_; ++i) {
      if (i > 0 && !go_to(preview_time(i, options_.count, duration), step)) break;
      take();
    }
    return std::move(pictures_);
  }

 private:
  [[nodiscard]] std::unique_ptr<FrameSource> open(std::optional<double> near_s) {
    FrameSourceOptions source;
    source.threads = kThreads;
    source.near_s = near_s;
    source.only_what_others_need = true;
    return std::make_unique<FrameSource>(file_, source, notices_, stop_);
  }

  [[nodiscard]] bool may_decode() const { return Clock::now() - begin_ < options_.time; }

  /// Goes to a later frame, at `target_s` or at a key frame before it. Returns false if there is no
  /// later frame, or no more time.
  [[nodiscard]] bool go_to(double target_s, double step_s) {
    if (step_s <= 0 || !may_decode()) return false;
    if (step_s >= kWorthSeeking_s) {
      std::unique_ptr<FrameSource> there = open(target_s);
      std::optional<DecodedFrame> found = there->next();
      if (found && there->seconds(found->frame) > time_s_) {
        source_ = std::move(there);
        frame_ = std::move(found);
        return true;
      }
    }
    while (may_decode()) {
      frame_ = source_->next();
      if (!frame_) return false;
      if (source_->seconds(frame_->frame) >= target_s) return true;
    }
    return false;
  }

  void take() {
    time_s_ = source_->seconds(frame_->frame);
    pictures_.push_back(preview_of(frame_->frame, time_s_, options_.longest_side));
  }

  const std::string& file_;
  const PreviewOptions& options_;
  const std::stop_token& stop_;
  const Clock::time_point begin_ = Clock::now();
  Notices notices_;
  std::unique_ptr<FrameSource> source_;
  std::optional<DecodedFrame> frame_;
  double time_s_ = -std::numeric_limits<double>::infinity();
  std::vector<PreviewPicture> pictures_;
};

}  // namespace

PreviewPicture preview_of(const Frame& frame, double time_s, int longest_side) {
  const UprightPicture picture(frame, longest_side);
  return {time_s, picture.size(), picture.jpeg()};
}

double preview_time(int number, int count, double duration_s) {
  return number == 0 ? 0 : (number + 0.5) * duration_s / count;
}

std::vector<PreviewPicture> preview_pictures(const std::string& file, const PreviewOptions& options,
                                             const std::stop_token& stop) {
  return Previews(file, options, stop).all();
}

}  // namespace facepipe::video
