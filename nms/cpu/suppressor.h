// Runs all rules of suppression on the CPU, on the caller's thread, without allocation after
// construction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "nms/nms.h"

namespace facepipe::nms {

/// An object owns the memory for one call, so calls of the same object must not overlap in time.
/// Different objects share nothing.
class CpuSuppressor {
 public:
  /// Throws Error(usage) as check_nms_options() does.
  CpuSuppressor(const NmsOptions& options, std::uint32_t capacity);
  ~CpuSuppressor();
  CpuSuppressor(CpuSuppressor&&) noexcept;
  CpuSuppressor& operator=(CpuSuppressor&&) noexcept;

  /// Throws Error(internal) if the spans have different lengths. Doesn't allocate.
  NmsKept run(const NmsCandidates& candidates);

  [[nodiscard]] const NmsOptions& options() const;
  [[nodiscard]] std::uint32_t capacity() const;

  /// Returns how many bytes an object allocates: at most 400 for each candidate of the capacity,
  /// plus 2 MiB. A call touches only the memory that it needs.
  [[nodiscard]] static std::size_t scratch_bytes(const NmsOptions& options, std::uint32_t capacity);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace facepipe::nms
