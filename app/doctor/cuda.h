// doctor's part about CUDA, as text from facts.
#pragma once

#include <string_view>

#include "app/doctor/doctor.h"
#include "app/doctor/self_test.h"
#include "pipeline/cuda/abilities.h"

namespace facepipe::app {

/// Versions, and of each chip what it is and what it decodes and encodes. `probe` and `found` are
/// of the same machine.
void print_cuda(const CudaProbe& probe, const pipeline::CudaAbilities& found, const Print& print);

/// Scores of the CUDA engine may be this far from the f32 CPU engine's: what halves in sixty layers
/// and the CPU's coarser preprocessing explain.
inline constexpr double kMostScoreDifference = 0.05;

/// Whether an engine of a CUDA device, `name` ("cuda:0 f16"), works beside the CPU's result, and
/// how near it comes. True if it works.
bool print_cuda_engine(std::string_view name, const SelfTestResult& found,
                       const SelfTestResult& on_cpu, const Print& print);

}  // namespace facepipe::app
