// Tries a model with each engine of this machine, and says how fast each engine is.
#pragma once

#include <optional>

#include "app/doctor/doctor.h"
#include "app/doctor/self_test.h"
#include "core/device.h"
#include "detector/facts.h"
#include "detector/options.h"

namespace facepipe::app {

/// Prints a line about the model's licence, and a line about the engine and precision that "auto"
/// chooses.
void print_licence_and_choice(const detector::ModelInfo& model, const Print& print);

/// Prints a line for each engine and precision of the CPU: its time, or why the engine can't
/// compute the model. Returns the result of the first engine that works. For each engine, f32 comes
/// before other precisions.
/// @param model  with a score threshold of 0; nullopt: there is no model, and no engine is tried
/// @param timed  number of timed frames, >= 1; the printed time is their median
std::optional<SelfTestResult> print_engines(const std::optional<detector::DetectorOptions>& model,
                                            int timed, const Print& print);

/// Compares each engine of the CUDA devices with the CPU's result, and prints a line for it: its
/// time, or why the engine can't compute the model, for example because of an operator. Returns
/// whether our own engine works on one of the devices.
bool print_cuda_engines(const CudaProbe& cuda,
                        const std::optional<detector::DetectorOptions>& model,
                        const std::optional<SelfTestResult>& on_cpu, const Print& print);

}  // namespace facepipe::app
