// Suppression on a CUDA device: graph replays, timed by events on the device.
//
//   bench_nms_cuda write FOLDER    writes the sets of tests/support/nms_cases.h in two orders, and
//                                  lists them on standard output
//   bench_nms_cuda run LIST        greedy on each set that the file LIST names
//   bench_nms_cuda rules LIST      the other rules
//   bench_nms_cuda matrix LIST     the matrix' map and reduce kernels apart, for each k
//   bench_nms_cuda once LIST RULE  one replay of each set, for a profiler
//
// A line of the list: name, order, threshold, file (see nms_files.h); parted by tabs. A line of the
// results: who, name, order, kept, and the times of single replays in microseconds; parted by tabs.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/device_times.h"
#include "bench/nms_files.h"
#include "bench/program.h"
#include "core/cuda/graph.h"
#include "core/cuda/stream.h"
#include "tests/nms/cuda/device_nms.h"
#include "tests/support/nms_cases.h"

namespace facepipe {
namespace {

constexpr std::size_t kSizes[] = {200, 1027, 2895, 4096, 10000, 33000};
constexpr int kReplays = 200;

struct Set {
  std::string name;
  std::string order;
  float threshold = 0;
  std::string file;
  test::NmsCase candidates;
};

void write_sets(const std::filesystem::path& folder) {
  for (const std::size_t size : kSizes)
    for (const auto& [candidates, threshold] : test::timed_cases(size)) {
      const std::string name = candidates.name + " " + std::to_string(size);
      for (const bool raster : {true, false}) {
        const char* const order = raster ? "raster" : "random";
        const auto file = folder / (name + "-" + order + ".f32");
        write_candidates(
            file, raster ? test::in_raster_order(candidates) : test::shuffled(candidates, 99));
        std::printf("%s\t%s\t%g\t%s\n", name.c_str(), order, static_cast<double>(threshold),
                    file.c_str());
      }
    }
}

std::vector<Set> read_list(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file);
  std::vector<Set> sets;
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    Set set;
    std::string threshold;
    std::getline(fields, set.name, '\t');
    std::getline(fields, set.order, '\t');
    std::getline(fields, threshold, '\t');
    std::getline(fields, set.file);
    set.threshold = std::stof(threshold);
    set.candidates = read_candidates(set.file);
    sets.push_back(std::move(set));
  }
  return sets;
}

/// As small as the sets of that size need, but as a user would choose it.
std::uint32_t capacity_for(std::size_t count) {
  for (const std::uint32_t capacity : {4096U, 16384U})
    if (count <= capacity) return capacity;
  return kMaxNmsCapacity;
}

std::vector<float> time_calls(const cuda::Stream& stream, const std::function<void()>& call) {
  return microseconds_of_calls(stream, 10, kReplays, call);
}

void show(const std::string& who, const Set& set, std::size_t kept,
          const std::vector<float>& times) {
  std::printf("%s\t%s\t%s\t%zu", who.c_str(), set.name.c_str(), set.order.c_str(), kept);
  for (const float time : times) std::printf("\t%.2f", static_cast<double>(time));
  std::printf("\n");
}

void time_set(const std::string& who, const NmsOptions& options, const Set& set) {
  test::DeviceNms device(options, capacity_for(set.candidates.size()));
  const test::DeviceResult result = device.run({set.candidates.boxes, set.candidates.scores, {}});
  const auto times = time_calls(device.stream(), [&] { device.launch(); });
  show(who, set, result.indices.size(), times);
}

void run(const std::vector<Set>& sets) {
  for (const Set& set : sets) {
    NmsOptions options;
    options.threshold = set.threshold;
    time_set("greedy", options, set);
  }
}

struct NamedOptions {
  const char* name;
  NmsOptions options;
};

std::vector<NamedOptions> other_rules(float threshold) {
  NmsOptions base;
  base.threshold = threshold;
  std::vector<NamedOptions> out(6, NamedOptions{"", base});
  out[0].name = "fast";
  out[0].options.rule = NmsRule::fast;
  out[1].name = "matrix";
  out[1].options.rule = NmsRule::matrix;
  out[2].name = "diou";
  out[2].options.overlap = NmsOverlap::diou;
  out[3].name = "voting";
  out[3].options.voting = true;
  out[4].name = "soft linear";
  out[4].options.rule = NmsRule::soft;
  out[4].options.soft.decay = SoftDecay::linear;
  out[5].name = "soft gaussian";
  out[5].options.rule = NmsRule::soft;
  return out;
}

void run_rules(const std::vector<Set>& sets) {
  for (const Set& set : sets) {
    if (set.name.rfind("faces wide", 0) != 0 || set.candidates.size() > 4096) continue;
    for (const NamedOptions& rule : other_rules(set.threshold))
      time_set(rule.name, rule.options, set);
  }
}

/// The two kernels of the matrix, each in a graph of its own.
void time_matrix(const Set& set, std::uint32_t k) {
  NmsOptions options;
  options.rule = NmsRule::matrix;
  options.threshold = set.threshold;
  options.matrix.k = k;
  test::DeviceNms device(options, options.matrix.d_max);
  const test::DeviceResult result = device.run({set.candidates.boxes, set.candidates.scores, {}});
  const auto timed = [&](const std::string& who, auto enqueue) {
    const cuda::GraphExec graph(cuda::capture(device.stream(), enqueue));
    show(who + " k " + std::to_string(k), set, result.indices.size(),
         time_calls(device.stream(), [&] { graph.launch(device.stream()); }));
  };
  timed("map", [&] { device.suppressor().enqueue_map(device.candidates(), device.stream()); });
  timed("reduce",
        [&] { device.suppressor().enqueue_reduce(device.candidates(), device.stream()); });
  timed("both", [&] {
    device.suppressor().enqueue_map(device.candidates(), device.stream());
    device.suppressor().enqueue_reduce(device.candidates(), device.stream());
  });
}

void run_matrix(const std::vector<Set>& sets) {
  for (const Set& set : sets)
    for (std::uint32_t k = 4; k <= 128; k *= 2)
      if (set.name.rfind("faces wide", 0) == 0 && set.order == "raster" &&
          set.candidates.size() <= 2895)
        time_matrix(set, k);
}

void once(const std::vector<Set>& sets, const std::string& rule) {
  for (const Set& set : sets) {
    NmsOptions options;
    options.threshold = set.threshold;
    for (const NamedOptions& other : other_rules(set.threshold))
      if (rule == other.name) options = other.options;
    test::DeviceNms device(options, capacity_for(set.candidates.size()));
    const test::DeviceResult result = device.run({set.candidates.boxes, set.candidates.scores, {}});
    std::printf("%s, %s: %zu kept\n", set.name.c_str(), set.order.c_str(), result.indices.size());
  }
}

int bench(const std::vector<std::string>& words) {
  if (words.size() == 2 && words[0] == "write")
    write_sets(words[1]);
  else if (words.size() == 2 && words[0] == "run")
    run(read_list(words[1]));
  else if (words.size() == 2 && words[0] == "rules")
    run_rules(read_list(words[1]));
  else if (words.size() == 2 && words[0] == "matrix")
    run_matrix(read_list(words[1]));
  else if (words.size() == 3 && words[0] == "once")
    once(read_list(words[1]), words[2]);
  else {
    std::fprintf(stderr,
                 "usage: bench_nms_cuda write FOLDER | run LIST | rules LIST | matrix LIST "
                 "| once LIST RULE\n");
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace facepipe

int main(int argc, char** argv) {
  return facepipe::run_measurement("bench_nms_cuda", argc, argv, facepipe::bench);
}
