// Sorts records. Records leave an encoder in decoding order, but files need presentation order.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "core/frame_record.h"

namespace facepipe::pipeline {

/// Puts records into the order of their indices. push() gives a record to the sink as soon as the
/// sink has got all records with lower indices. Not thread-safe.
class RecordOrder {
 public:
  template <typename Sink>
  void push(FrameRecord record, const Sink& sink) {
    const std::int64_t index = record.index;
    waiting_.emplace(index, std::move(record));
    while (auto next = waiting_.extract(next_)) {
      sink(std::move(next.mapped()));
      ++next_;
    }
  }

 private:
  std::map<std::int64_t, FrameRecord> waiting_;
  std::int64_t next_ = 0;
};

}  // namespace facepipe::pipeline
