// The options of the rule `matrix` in measurements, and the names of these options in the results.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/nms_cuda/sets.h"
#include "nms/nms.h"

namespace facepipe::nms_papers {

/// The published D_max, which is used unless k requires less.
inline constexpr std::uint32_t kPublishedDMax = 4096;

/// Returns options with IoU or, if `as_published`, with the published predicate: the winner's area,
/// squares, + 1. D_max is 4,096, or 1,024 k if this is less, because a block has at most 1,024
/// threads.
[[nodiscard]] nms::NmsOptions matrix_options(std::uint32_t k, bool as_published);

/// These functions return the words before and after the part's name: "matrix as published " or "",
/// and words such as " k 2 D_max 2048".
[[nodiscard]] std::string words_before(const nms::NmsOptions& options);
[[nodiscard]] std::string words_after(const nms::NmsOptions& options);

/// Says on standard error which sets have more than D_max candidates. Says it only once, even if
/// the sets are measured several times.
void note_left_out(const std::vector<bench::Set>& sets, std::uint32_t d_max);

}  // namespace facepipe::nms_papers
