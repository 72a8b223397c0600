#include <functional>
#include <stdexcept>
#include <string>

#include "experiments/programs/nms_papers/graph_times.h"
#include "experiments/programs/nms_papers/matrix_options.h"
#include "experiments/programs/nms_papers/measures.h"
#include "experiments/programs/nms_papers/printed_nms.h"
#include "experiments/programs/nms_papers/printed_on_host.h"
#include "nms/cuda/cooperative.h"

namespace facepipe::nms_papers {
namespace {

constexpr std::uint32_t kLargestBlockSide = 32;

/// Measures one set with the printed kernels, and with kernels that differ from them in one step.
class PrintedTimes {
 public:
  PrintedTimes(const Set& set, int replays, const Place& place)
      : set_(set), replays_(replays), place_(place), nms_(kPublishedDMax, set.threshold) {
    nms_.upload(set.candidates.boxes, set.candidates.scores, stream_);
    expected_ = printed_on_host(set.candidates.boxes, set.candidates.scores, set.threshold);
    memset();
    map();
  }

  void show_printed_map() {
    show("printed memset", [&] { memset(); });
    show("printed map", [&] { map(); });
  }
  void show_printed(std::uint32_t k) {
    expect_kept(k, ReduceStep::printed);
    const std::string words = " k " + std::to_string(k);
    const auto reduce_rows = [&] { reduce(k, ReduceStep::printed); };
    show("printed reduce" + words, reduce_rows);
    show("printed both" + words, [&] {
      map();
      reduce_rows();
    });
    show("printed all" + words, [&] {
      memset();
      map();
      reduce_rows();
    });
  }

  void show_other_maps() {
    show("printed 32x32 map",
         [&] { nms_.enqueue_map(nms_.size(), kLargestBlockSide, MapShape::printed, stream_); });
    show("printed coalesced map",
         [&] { nms_.enqueue_map(nms_.size(), kUsualBlockSide, MapShape::coalesced, stream_); });
    show("printed whole map",
         [&] { nms_.enqueue_map(nms_.d_max(), kUsualBlockSide, MapShape::printed, stream_); });
  }
  void show_other_reductions(std::uint32_t k) {
    const std::string words = " reduce k " + std::to_string(k);
    const auto show_step = [&](const char* who, ReduceStep step) {
      expect_kept(k, step);
      show(who + words, [&] { reduce(k, step); });
    };
    show_step("printed", ReduceStep::printed);
    show_step("printed up to n", ReduceStep::up_to_n);
    show_step("printed ends early", ReduceStep::ends_early);
    show_step("printed capped", ReduceStep::capped);
    show("printed whole" + words, [&] {
      nms_.enqueue_reduce(nms_.d_max(), k, ReduceStep::printed, multiprocessors_, stream_);
    });
  }

 private:
  void memset() { nms_.enqueue_memset(stream_); }
  void map() { nms_.enqueue_map(nms_.size(), kUsualBlockSide, MapShape::printed, stream_); }
  void reduce(std::uint32_t k, ReduceStep step) {
    nms_.enqueue_reduce(nms_.size(), k, step, multiprocessors_, stream_);
  }
  void expect_kept(std::uint32_t k, ReduceStep step) {
    reduce(k, step);
    if (nms_.kept(stream_) != expected_)
      throw std::runtime_error("printed: keeps other candidates than on the host of " + set_.name);
  }
  void show(const std::string& who, const std::function<void()>& enqueue) {
    show_graph({who + place_.words, set_, expected_.size()}, stream_, replays_, enqueue);
  }

  const Set& set_;
  int replays_;
  const Place& place_;
  std::uint32_t multiprocessors_ =
      place_.multiprocessors == experiments::kWholeDevice
          ? static_cast<std::uint32_t>(nms::device_attribute(cudaDevAttrMultiProcessorCount))
          : place_.multiprocessors;
  cuda::Stream stream_;
  PrintedNms nms_;
  std::vector<std::uint32_t> expected_;
};

template <class TimeSet>
void time_sets(const std::vector<Set>& sets, const Command& command, const Place& place,
               TimeSet&& time) {
  note_left_out(sets, kPublishedDMax);
  for (const Set& set : sets) {
    if (set.candidates.size() > kPublishedDMax || set.candidates.size() == 0) continue;
    PrintedTimes times(set, command.replays, place);
    time(times);
  }
}

}  // namespace

void time_printed(const std::vector<Set>& sets, const Command& command, const Place& place) {
  time_sets(sets, command, place, [&](PrintedTimes& times) {
    times.show_printed_map();
    for (const std::uint32_t k : command.ks) times.show_printed(k);
  });
}

void time_steps(const std::vector<Set>& sets, const Command& command, const Place& place) {
  time_sets(sets, command, place, [&](PrintedTimes& times) {
    for (const std::uint32_t k : command.ks) times.show_other_reductions(k);
    times.show_other_maps();
  });
}

}  // namespace facepipe::nms_papers
