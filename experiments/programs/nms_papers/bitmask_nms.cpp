#include "experiments/programs/nms_papers/bitmask_nms.h"

#include <stdexcept>

#include "experiments/programs/nms_papers/rank_candidates.h"

namespace facepipe::nms_papers {

BitmaskNms::BitmaskNms(std::size_t capacity, float threshold)
    : threshold_(threshold),
      capacity_(capacity),
      mask_(capacity * words_of(capacity)),
      device_ranked_(capacity),
      device_mask_(mask_.size()),
      device_kept_(capacity),
      device_count_(1) {
  order_.reserve(capacity);
  ranked_.reserve(capacity);
  kept_.reserve(capacity);
}

void BitmaskNms::rank(std::span<const Box> boxes, std::span<const float> scores) {
  if (boxes.size() > capacity_ || scores.size() != boxes.size())
    throw std::invalid_argument("candidates: more than the capacity, or not a score each");
  rank_candidates(order_, boxes, scores);
  ranked_.clear();
  for (const std::uint32_t i : order_) ranked_.push_back({boxes[i], scores[i]});
}

void BitmaskNms::enqueue_upload(cuda::StreamView stream) {
  cuda::copy(device_ranked_.span(), ranked_, stream);
}

void BitmaskNms::enqueue_kernel(cuda::StreamView stream) {
  launch_bitmask({static_cast<std::uint32_t>(ranked_.size()), threshold_, device_ranked_.data(),
                  device_mask_.data()},
                 stream.get());
}

void BitmaskNms::copy_mask(cuda::StreamView stream) {
  const std::size_t size = ranked_.size() * words();
  cuda::copy(std::span(mask_).first(size), device_mask_.span(), stream);
  stream.synchronize();
}

void BitmaskNms::reduce() {
  const std::size_t row_words = words();
  removed_.assign(row_words, 0);
  kept_.clear();
  for (std::size_t i = 0; i < ranked_.size(); ++i) {
    if ((removed_[i / kBitmaskTile] >> i % kBitmaskTile & 1) != 0) continue;
    kept_.push_back(order_[i]);
    const std::uint64_t* const row = mask_.data() + i * row_words;
    for (std::size_t word = i / kBitmaskTile; word < row_words; ++word) removed_[word] |= row[word];
  }
}

void BitmaskNms::upload_kept(cuda::StreamView stream) {
  const auto count = static_cast<std::uint32_t>(kept_.size());
  cuda::copy(device_kept_.span(), kept_, stream);
  cuda::copy(device_count_.span(), std::span(&count, 1), stream);
  stream.synchronize();
}

void BitmaskNms::run(cuda::StreamView stream) {
  enqueue_upload(stream);
  enqueue_kernel(stream);
  copy_mask(stream);
  reduce();
  upload_kept(stream);
}

}  // namespace facepipe::nms_papers
