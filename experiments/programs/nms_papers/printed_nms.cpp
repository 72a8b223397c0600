#include "experiments/programs/nms_papers/printed_nms.h"

#include <stdexcept>

#include "experiments/programs/nms_papers/printed_on_host.h"
#include "experiments/programs/nms_papers/survivors.h"

namespace facepipe::nms_papers {
namespace {

constexpr std::uint32_t kMostThreads = 1024;  // most threads of a block

}  // namespace

PrintedNms::PrintedNms(std::uint32_t d_max, float threshold)
    : d_max_(d_max),
      threshold_(threshold),
      detections_(d_max),
      cells_(std::size_t{d_max} * d_max),
      survives_(d_max) {}

void PrintedNms::upload(std::span<const Box> boxes, std::span<const float> scores,
                        cuda::StreamView stream) {
  if (boxes.size() > d_max_ || scores.size() != boxes.size())
    throw std::invalid_argument("candidates: more than D_max, or not a score each");
  std::vector<PrintedDetection> all = printed_detections(boxes, scores);
  size_ = static_cast<std::uint32_t>(all.size());
  all.resize(d_max_);
  cuda::copy(detections_.span(), all, stream);
  cuda::fill(survives_.span(), 1, stream);
  stream.synchronize();
}

PrintedMatrix PrintedNms::matrix() const {
  return {detections_.data(), cells_.data(), survives_.data(), d_max_, threshold_};
}

void PrintedNms::enqueue_memset(cuda::StreamView stream) { cuda::fill(cells_.span(), 1, stream); }

void PrintedNms::enqueue_map(std::uint32_t rows, std::uint32_t block_side, MapShape shape,
                             cuda::StreamView stream) {
  launch_printed_map(matrix(), rows, block_side, shape, stream.get());
}

void PrintedNms::enqueue_reduce(std::uint32_t rows, std::uint32_t k, ReduceStep step,
                                std::uint32_t multiprocessors, cuda::StreamView stream) {
  if (k == 0 || d_max_ % k != 0 || d_max_ / k > kMostThreads)
    throw std::invalid_argument("k: D_max / k must be a whole number of 1 to 1024 threads");
  launch_printed_reduce(matrix(), rows, k, step, multiprocessors, stream.get());
}

std::vector<std::uint32_t> PrintedNms::kept(cuda::StreamView stream) const {
  return survivors(survives_, size_, stream);
}

}  // namespace facepipe::nms_papers
