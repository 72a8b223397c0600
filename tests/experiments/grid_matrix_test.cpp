// These tests compare map and reduce in one kernel with the CPU's rule `matrix`.
#include "experiments/programs/nms_papers/grid_matrix.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"
#include "experiments/programs/nms_papers/matrix_options.h"
#include "nms/cpu/suppressor.h"
#include "nms/predicate.h"
#include "tests/nms/cuda/device_nms.h"
#include "tests/support/expect_error.h"
#include "tests/support/nms_cases.h"

namespace facepipe::nms_papers {
namespace {

std::vector<std::uint32_t> kept_by_cpu(const nms::NmsOptions& options, const test::NmsCase& all) {
  nms::CpuSuppressor cpu(options, options.matrix.d_max);
  const nms::NmsKept kept = cpu.run({all.boxes, all.scores});
  std::vector<std::uint32_t> out(kept.indices.begin(), kept.indices.end());
  std::sort(out.begin(), out.end());
  return out;
}

/// Returns those of the `kept` indices that belong to valid candidates, because V says nothing
/// about the others.
std::vector<std::uint32_t> valid_of(const std::vector<std::uint32_t>& kept,
                                    const test::NmsCase& all) {
  std::vector<std::uint32_t> out;
  for (const std::uint32_t i : kept)
    if (const Box& box = all.boxes[i]; nms::valid(box.x1, box.y1, box.x2, box.y2, all.scores[i]))
      out.push_back(i);
  return out;
}

void expect_equal(const nms::NmsOptions& options, std::uint32_t multiprocessors) {
  const cuda::Stream stream;
  GridMatrix grid(options, multiprocessors);
  test::DeviceNms candidates(options, options.matrix.d_max);
  const std::size_t most = options.matrix.d_max;
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{31}, std::size_t{33},
                                  std::size_t{129}, std::size_t{1000}, most - 1, most})
    for (const test::NmsCase& all :
         {test::tight_faces(count), test::crowd(count), test::degenerate(count)}) {
      candidates.upload({all.boxes, all.scores});
      grid.enqueue(candidates.candidates(), stream);
      EXPECT_EQ(valid_of(grid.kept(static_cast<std::uint32_t>(count), stream), all),
                kept_by_cpu(options, all))
          << all.name << " of " << count << ", k " << options.matrix.k << " on " << multiprocessors;
    }
}

TEST(GridMatrix, KeepsWhatTheMatrixKeeps) {
  for (const std::uint32_t k : {4U, 16U, 32U, 128U})
    for (const bool as_published : {false, true})
      expect_equal(matrix_options(k, as_published), nms::kAllMultiprocessors);
}

TEST(GridMatrix, RunsOnFewMultiprocessors) {
  for (const std::uint32_t multiprocessors : {1U, 8U})
    expect_equal(matrix_options(32, false), multiprocessors);
}

TEST(GridMatrix, RefusesThreadsThatAreNoWarps) {
  nms::NmsOptions options = matrix_options(32, false);
  options.matrix.k = 100;
  test::expect_error(ErrorKind::usage, "must be a multiple of 32",
                     [&] { GridMatrix grid(options); });
}

}  // namespace
}  // namespace facepipe::nms_papers
