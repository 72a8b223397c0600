// The part of doctor about CUDA, which makes text of facts.
#pragma once

#include <string_view>

#include "app/doctor/doctor.h"
#include "app/doctor/self_test.h"
#include "pipeline/cuda/abilities.h"

namespace facepipe::app {

/// Prints versions, and for each chip what it is and what it decodes and encodes. `probe` and
/// `found` belong to the same machine.
void print_cuda(const CudaProbe& probe, const pipeline::CudaAbilities& found, const Print& print);

/// Scores of the CUDA engine may differ so much from those of the f32 CPU engine. Half precision in
/// sixty layers, and the CPU's coarser preprocessing, explain that much.
inline constexpr double kMostScoreDifference = 0.05;

/// Prints whether an engine of a CUDA device, `name` ("cuda:0 f16"), works, and how near its result
/// comes to the CPU's. Returns whether it works.
bool print_cuda_engine(std::string_view name, const SelfTestResult& found,
                       const SelfTestResult& on_cpu, const Print& print);

}  // namespace facepipe::app
