// Suppression on the CPU: every rule, on the caller's thread, without allocation after
// construction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "nms/nms.h"

namespace facepipe {

/// Holds the memory of one call at a time: calls of one object must not overlap; different objects
/// share nothing.
class CpuSuppressor {
 public:
  /// Throws std::invalid_argument as check_nms_options() does.
  CpuSuppressor(const NmsOptions& options, std::uint32_t capacity);
  ~CpuSuppressor();
  CpuSuppressor(CpuSuppressor&&) noexcept;
  CpuSuppressor& operator=(CpuSuppressor&&) noexcept;

  /// Throws std::invalid_argument where the spans differ in length. Never allocates.
  NmsKept run(const NmsCandidates& candidates);

  [[nodiscard]] const NmsOptions& options() const;
  [[nodiscard]] std::uint32_t capacity() const;

  /// All memory that an object takes. At most 400 bytes a candidate of the capacity, and 2 MiB;
  /// only what a call uses is touched.
  [[nodiscard]] static std::size_t scratch_bytes(const NmsOptions& options, std::uint32_t capacity);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace facepipe
