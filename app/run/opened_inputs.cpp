#include "app/run/opened_inputs.h"

#include <algorithm>
#include <utility>

#include "app/run/named_files.h"
#include "video/write/container.h"

namespace facepipe::app {

OpenedInputs::OpenedInputs(bool single_input, video::References references, std::int64_t max_pixels,
                           std::stop_token stop)
    : single_input_(single_input),
      references_(references),
      max_pixels_(max_pixels),
      stop_(std::move(stop)) {}

std::string OpenedInputs::output_extension(const std::string& input, const std::string& encoder) {
  if (video::is_fifo(input)) return video::kMatroskaExtension;
  auto demuxer = std::make_unique<video::Demuxer>(input, stop_, references_, max_pixels_);
  std::string extension = facepipe::video::output_extension(*demuxer, encoder);
  keep(std::move(demuxer));
  return extension;
}

void OpenedInputs::open(const std::string& input) {
  if (!bytes_of_input(input) || find(input) != opened_.end()) return;
  keep(std::make_unique<video::Demuxer>(input, stop_, references_, max_pixels_));
}

void OpenedInputs::keep(std::unique_ptr<video::Demuxer> demuxer) {
  const bool can_wait = single_input_ || !video::is_url(demuxer->url());
  // Each input that another process has opened keeps this process.
  const std::size_t most = video::input_workers() != nullptr ? kMostWorkers : kMostKept;
  if (can_wait && opened_.size() < most) opened_.push_back(std::move(demuxer));
}

OpenedInputs::Inputs::iterator OpenedInputs::find(const std::string& input) {
  return std::ranges::find_if(opened_,
                              [&](const auto& demuxer) { return demuxer->url() == input; });
}

std::unique_ptr<video::Demuxer> OpenedInputs::take(const std::string& input) {
  const std::scoped_lock lock(mutex_);
  const auto found = find(input);
  if (found == opened_.end()) return nullptr;
  std::unique_ptr<video::Demuxer> demuxer = std::move(*found);
  opened_.erase(found);
  return demuxer;
}

}  // namespace facepipe::app
