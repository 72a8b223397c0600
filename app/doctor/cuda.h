// Prints doctor's section about CUDA.
#pragma once

#include <string_view>

#include "app/doctor/doctor.h"
#include "app/doctor/self_test.h"
#include "pipeline/cuda/abilities.h"

namespace facepipe::app {

/// Prints the versions of CUDA and of the driver. Then describes each chip, and prints what the
/// chip can decode and encode. `probe` and `found` must belong to the same machine.
void print_cuda(const CudaProbe& probe, const pipeline::CudaAbilities& found, const Print& print);

/// The scores of the CUDA engine may differ by this much from the scores of the f32 CPU engine.
/// Half precision in sixty layers, and the CPU's coarser preprocessing, cause such differences.
inline constexpr double kMostScoreDifference = 0.05;

/// Prints whether an engine of a CUDA device works, and how much its result differs from the CPU's
/// result. `name` is for example "cuda:0 f16". Returns whether the engine works.
bool print_cuda_engine(std::string_view name, const SelfTestResult& found,
                       const SelfTestResult& on_cpu, const Print& print);

}  // namespace facepipe::app
