#include "app/run/opened_inputs.h"

#include <algorithm>
#include <utility>

#include "video/write/container.h"

namespace facepipe {

OpenedInputs::OpenedInputs(bool alone, References references, std::int64_t max_pixels,
                           std::stop_token stop)
    : alone_(alone), references_(references), max_pixels_(max_pixels), stop_(std::move(stop)) {}

std::string OpenedInputs::output_extension(const std::string& input, const std::string& encoder) {
  if (is_fifo(input)) return kMatroskaExtension;
  auto demuxer = std::make_unique<Demuxer>(input, stop_, references_, max_pixels_);
  std::string extension = facepipe::output_extension(*demuxer, encoder);
  const bool waits = alone_ || !is_url(input);
  if (waits && opened_.size() < kMostKept) opened_.push_back(std::move(demuxer));
  return extension;
}

std::unique_ptr<Demuxer> OpenedInputs::take(const std::string& input) {
  const std::scoped_lock lock(mutex_);
  const auto found =
      std::ranges::find_if(opened_, [&](const auto& demuxer) { return demuxer->url() == input; });
  if (found == opened_.end()) return nullptr;
  std::unique_ptr<Demuxer> demuxer = std::move(*found);
  opened_.erase(found);
  return demuxer;
}

}  // namespace facepipe
