// Measures suppression on one core: facepipe's with each instruction set, and OpenCV's NMSBoxes on
// the same candidates.
//
//   bench_nms write FOLDER  writes the sets of tests/support/nms_cases.h and lists them on standard
//                           output
//   bench_nms run LIST [Google Benchmark's options]
//                           measures the sets that the file LIST names
//
// A line of the list has name, threshold and files (see nms_files.h), separated by tabs. The files
// are variants of one set, and each iteration takes the next one. With only one variant, the
// processor's branch predictor would learn it.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <opencv2/dnn.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/nms_files.h"
#include "nms/cpu/suppressor.h"
#include "tests/support/instruction_sets.h"
#include "tests/support/nms_cases.h"

namespace facepipe::bench {
namespace {

constexpr std::size_t kSizes[] = {200, 1027, 2895, 4096, 10000};
constexpr unsigned kVariants = 8;

// --- Sets

void write_sets(const std::filesystem::path& folder) {
  for (const std::size_t size : kSizes) {
    std::vector<std::string> lines;
    for (unsigned variant = 0; variant < kVariants; ++variant) {
      const auto cases = test::timed_cases(size, variant);
      lines.resize(cases.size());
      for (std::size_t i = 0; i < cases.size(); ++i) {
        const auto& [candidates, threshold] = cases[i];
        const auto file = folder / (candidates.name + "-" + std::to_string(size) + "-" +
                                    std::to_string(variant) + ".f32");
        write_candidates(file, candidates);
        if (variant == 0) {
          std::ostringstream head;
          head << candidates.name << ' ' << size << '\t' << threshold;
          lines[i] = head.str();
        }
        lines[i] += '\t' + file.string();
      }
    }
    for (const std::string& line : lines) std::printf("%s\n", line.c_str());
  }
}

struct Set {
  std::string name;
  float threshold = 0;
  std::vector<test::NmsCase> variants;
};

std::vector<Set> read_list(const std::string& list) {
  std::ifstream in(list);
  if (!in) throw std::runtime_error("cannot read " + list);
  std::vector<Set> sets;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    Set set;
    std::string word;
    std::getline(words, set.name, '\t');
    std::getline(words, word, '\t');
    set.threshold = std::stof(word);
    while (std::getline(words, word, '\t')) set.variants.push_back(read_candidates(word));
    if (set.variants.empty()) throw std::runtime_error("no files in: " + line);
    sets.push_back(std::move(set));
  }
  return sets;
}

// --- Measurements

void measure_ours(benchmark::State& state, const Set& set, nms::NmsOptions options,
                  std::string_view instruction_set) {
  test::force_instruction_set(instruction_set);
  options.threshold = set.threshold;
  options.matrix.d_max = nms::kMaxMatrixSide;
  nms::CpuSuppressor suppressor(
      options, options.rule == nms::NmsRule::matrix ? nms::kMaxMatrixSide : nms::kMaxNmsCapacity);
  std::size_t next = 0;
  for ([[maybe_unused]] auto iteration : state) {
    const test::NmsCase& all = set.variants[next++ % set.variants.size()];
    benchmark::DoNotOptimize(suppressor.run({all.boxes, all.scores}));
  }
  const test::NmsCase& first = set.variants.front();
  const std::size_t kept = suppressor.run({first.boxes, first.scores}).indices.size();
  state.counters["kept"] = static_cast<double>(kept);
  test::use_best_instruction_set();
}

void measure_opencv(benchmark::State& state, const Set& set) {
  std::vector<std::vector<cv::Rect2d>> variants;
  for (const test::NmsCase& all : set.variants) {
    variants.emplace_back();
    for (const Box& box : all.boxes)
      variants.back().emplace_back(box.x1, box.y1, static_cast<double>(box.x2) - box.x1,
                                   static_cast<double>(box.y2) - box.y1);
  }
  std::vector<int> kept;
  std::size_t next = 0;
  for ([[maybe_unused]] auto iteration : state) {
    const std::size_t v = next++ % variants.size();
    cv::dnn::NMSBoxes(variants[v], set.variants[v].scores, 0, set.threshold, kept);
    benchmark::DoNotOptimize(kept.data());
  }
  cv::dnn::NMSBoxes(variants[0], set.variants[0].scores, 0, set.threshold, kept);
  state.counters["kept"] = static_cast<double>(kept.size());
}

nms::NmsOptions of_rule(nms::NmsRule rule) {
  nms::NmsOptions options;
  options.rule = rule;
  return options;
}

std::vector<std::pair<std::string, nms::NmsOptions>> rules() {
  std::vector<std::pair<std::string, nms::NmsOptions>> out{
      {"fast", of_rule(nms::NmsRule::fast)},
      {"matrix", of_rule(nms::NmsRule::matrix)},
      {"diou", {}},
      {"voting", {}},
      {"soft linear", of_rule(nms::NmsRule::soft)},
      {"soft gaussian", of_rule(nms::NmsRule::soft)}};
  out[1].second.matrix.squares = out[1].second.matrix.plus_one = true;
  out[1].second.overlap = nms::NmsOverlap::winner_area;
  out[2].second.overlap = nms::NmsOverlap::diou;
  out[3].second.voting = true;
  out[4].second.soft.decay = nms::SoftDecay::linear;
  return out;
}

void add_measurement(const std::string& name, const std::function<void(benchmark::State&)>& body) {
  benchmark::RegisterBenchmark(name.c_str(), body)->Unit(benchmark::kMicrosecond);
}

void run(const std::vector<Set>& sets) {
  const std::string best{test::instruction_set()};
  for (const Set& set : sets) {
    for (const std::string_view instructions : test::instruction_sets())
      add_measurement(
          std::string(instructions) + '/' + set.name,
          [&set, instructions](auto& state) { measure_ours(state, set, {}, instructions); });
    add_measurement("OpenCV/" + set.name, [&set](auto& state) { measure_opencv(state, set); });
    for (const auto& [rule, options] : rules())
      add_measurement(rule + '/' + set.name, [&set, options = options, best](auto& state) {
        measure_ours(state, set, options, best);
      });
  }
  benchmark::AddCustomContext("opencv", CV_VERSION);
  benchmark::RunSpecifiedBenchmarks();
}

}  // namespace
}  // namespace facepipe::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const std::string mode = argc == 3 ? argv[1] : "";
  try {
    if (mode == "write") {
      facepipe::bench::write_sets(argv[2]);
    } else if (mode == "run") {
      const auto sets = facepipe::bench::read_list(argv[2]);
      facepipe::bench::run(sets);
    } else {
      std::fprintf(stderr, "usage: bench_nms write FOLDER | bench_nms run LIST\n");
      return 2;
    }
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bench_nms: %s\n", failure.what());
    return 1;
  }
  return 0;
}
