#include "app/run/input_queue.h"

#include <algorithm>
#include <limits>

namespace facepipe::app {
namespace {

std::uintmax_t order_of(const QueuedInput& input) {
  return input.bytes.value_or(std::numeric_limits<std::uintmax_t>::max());
}

}  // namespace

InputQueue::InputQueue(std::vector<QueuedInput> inputs, int lanes)
    : lanes_(static_cast<std::uintmax_t>(lanes)) {
  std::ranges::stable_sort(inputs, std::ranges::greater(), order_of);
  for (const QueuedInput& input : inputs) bytes_left_ += input.bytes.value_or(0);
  waiting_.assign(inputs.begin(), inputs.end());
}

std::optional<InputQueue::Turn> InputQueue::next() {
  const std::scoped_lock lock(mutex_);
  if (waiting_.empty()) return std::nullopt;
  const QueuedInput first = waiting_.front();
  waiting_.pop_front();
  const std::uintmax_t bytes = first.bytes.value_or(0);
  const bool more_than_a_share = bytes > 0 && bytes >= bytes_left_ / lanes_;
  bytes_left_ -= bytes;
  return Turn{first.index, more_than_a_share};
}

}  // namespace facepipe::app
