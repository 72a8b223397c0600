#include "bench/nms_cuda/sets.h"

#include <cstddef>
#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "bench/nms_files.h"

namespace facepipe::bench {
namespace {

constexpr std::size_t kSizes[] = {200, 1027, 2895, 4096, 10000, 33000};

Set set_of(const std::string& line) {
  std::istringstream fields(line);
  Set set;
  std::string threshold;
  std::getline(fields, set.name, '\t');
  std::getline(fields, set.order, '\t');
  std::getline(fields, threshold, '\t');
  std::getline(fields, set.file);
  try {
    set.threshold = std::stof(threshold);
  } catch (const std::exception&) {
    throw std::runtime_error("not a line of a list: " + line);
  }
  set.candidates = read_candidates(set.file);
  return set;
}

}  // namespace

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
  for (std::string line; std::getline(in, line);) sets.push_back(set_of(line));
  return sets;
}

}  // namespace facepipe::bench
