#include "app/doctor/cuda.h"

#include <spdlog/fmt/fmt.h>

#include <string>
#include <vector>

#include "core/chip_code.h"

namespace facepipe::app {
namespace {

std::string cuda_version(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

void print_versions(const cuda::Versions& versions, const std::vector<ChipCode>& codes,
                    const Print& print) {
  print_line(print, "runtime", cuda_version(versions.runtime));
  print_line(print, "code for", describe_chip_codes(codes) + "; it was only ever run on 9.0");
  if (versions.driver == 0) {
    print_line(print, "driver", "not installed");
    return;
  }
  const std::string release =
      versions.release.empty() ? "" : fmt::format(" (release {})", versions.release);
  print_line(print, "driver", "for CUDA up to " + cuda_version(versions.driver) + release);
}

void print_chip(std::size_t index, const CudaProbe::Found& found, const cuda::DeviceFacts& facts,
                const Print& print) {
  constexpr double kGiB = 1U << 30U;
  print_line(print, fmt::format("cuda:{}", index),
             fmt::format("{}, compute capability {}.{}, {:.1f} GiB, {} multiprocessors{}",
                         facts.name, facts.major, facts.minor,
                         static_cast<double>(facts.memory_bytes) / kGiB, facts.multiprocessors,
                         found.problem.empty() ? "" : ": not usable, it " + found.problem));
}

std::string describe(const video::NvdecAbility& ability) {
  return fmt::format("{} {} bits, {}x{} to {}x{}", ability.chroma, ability.bits,
                     ability.smallest.width, ability.smallest.height, ability.largest.width,
                     ability.largest.height);
}

void print_nvdec(const pipeline::ChipAbilities& chip, const Print& print) {
  if (!chip.nvdec_problem.empty()) {
    print_line(print, "  NVDEC", "can't be asked: " + chip.nvdec_problem);
    return;
  }
  if (chip.decodes.empty()) print_line(print, "  NVDEC", "decodes nothing");
  for (const video::NvdecAbility& ability : chip.decodes)
    print_line(print, "  NVDEC", fmt::format("{:<11}{}", ability.codec, describe(ability)));
}

void print_nvenc(const pipeline::ChipAbilities& chip, const Print& print) {
  if (!chip.nvenc_problem.empty()) print_line(print, "  NVENC", "not tried: " + chip.nvenc_problem);
  for (const pipeline::NvencTrial& trial : chip.encodes)
    print_line(print, "  NVENC",
               fmt::format("{:<11}{} bits: {}", trial.encoder, trial.bits,
                           trial.problem.empty() ? "works" : "no: " + trial.problem));
}

}  // namespace

void print_cuda(const CudaProbe& probe, const pipeline::CudaAbilities& found, const Print& print) {
  print("cuda\n");
  print_versions(found.versions, found.codes, print);
  for (std::size_t i = 0; i < found.chips.size() && i < probe.devices.size(); ++i) {
    const pipeline::ChipAbilities& chip = found.chips[i];
    print_chip(i, probe.devices[i], chip.facts, print);
    print_nvdec(chip, print);
    print_nvenc(chip, print);
  }
}

bool print_cuda_engine(std::string_view name, const SelfTestResult& found,
                       const SelfTestResult& on_cpu, const Print& print) {
  const ScoreComparison scores = compare_scores(found.candidates, on_cpu.candidates);
  if (scores.compared == 0) {
    print_line(print, name,
               fmt::format("no: no candidate has a score over {}, so there is nothing to compare",
                           kLeastCompared));
    return false;
  }
  const bool works = scores.largest_difference <= kMostScoreDifference;
  const std::string verdict = works
                                  ? fmt::format("works: {:.1f} ms for {}x{}", found.milliseconds,
                                                found.network_size.width, found.network_size.height)
                                  : "no: it gives other results";
  print_line(
      print, name,
      fmt::format("{}; {} scores compared, largest difference {:.4f} (at most {} is expected)",
                  verdict, scores.compared, scores.largest_difference, kMostScoreDifference));
  return works;
}

}  // namespace facepipe::app
