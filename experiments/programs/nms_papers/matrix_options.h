// The options of the rule `matrix` in measurements, and the words for them in the results.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/nms_cuda/sets.h"
#include "nms/nms.h"

namespace facepipe::nms_papers {

/// D_max as published, unless k requires less.
inline constexpr std::uint32_t kPublishedDMax = 4096;

/// Returns options with IoU, or with the published predicate: the winner's area, squares, + 1.
/// D_max is 4,096, or less if k partitions of 1,024 threads don't reach so far.
[[nodiscard]] nms::NmsOptions matrix_options(std::uint32_t k, bool as_published);

/// Return what stands before and after the part's name: "matrix as published " or nothing, and
/// " k 2 D_max 2048".
[[nodiscard]] std::string words_before(const nms::NmsOptions& options);
[[nodiscard]] std::string words_after(const nms::NmsOptions& options);

/// Says on standard error which sets have more than D_max candidates; once, however often the sets
/// are measured.
void tell_left_out(const std::vector<bench::Set>& sets, std::uint32_t d_max);

}  // namespace facepipe::nms_papers
