#include "pipeline/lanes/tracking_threads.h"

#include <cstdint>
#include <utility>

namespace facepipe::pipeline {
namespace {

// The most frames between the two threads. kBetweenStages (pipeline/flight_limits.cpp) counts them.
constexpr std::int64_t kFollowedAhead = 1;

}  // namespace

TrackingThreads::TrackingThreads(Hiding& hiding, TrackQueue& tracks, JobEnd& end, const Lane& lane,
                                 std::unique_ptr<Presentation> presentation, std::stop_token failed)
    : hiding_(hiding),
      tracks_(tracks),
      end_(end),
      lane_(lane),
      presentation_(std::move(presentation)),
      pending_(kFollowedAhead, std::move(failed)) {}

void TrackingThreads::follow() {
  end_.goes_on_after([&] {
    lane_.enter_thread();
    hiding_.follow(tracks_, presentation_.get(), pending_);
  });
  pending_.close();
}

void TrackingThreads::decide(const std::function<bool()>& cut_short) {
  end_.goes_on_after([&] {
    lane_.enter_thread();
    hiding_.decide(pending_, tracks_, cut_short);
  });
  tracks_.finish();
  while (pending_.pop()) {
    // After an error, "track" may be waiting for room in pending_, and nothing else would wake it.
  }
}

}  // namespace facepipe::pipeline
