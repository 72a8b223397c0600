// Inputs that were opened to name their outputs, kept open for their jobs.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "video/read/demuxer.h"

namespace facepipe::app {

/// Opens each input once, in the order of the run: an input that was opened to name its output goes
/// on to its job as it stands. Jobs open two kinds again: inputs behind the first kMostKept, and
/// URLs that would have to wait for other inputs, because servers don't wait.
class OpenedInputs {
 public:
  static constexpr std::size_t kMostKept = 64;

  /// @param single_input  the run has one input
  /// @param stop          ends waiting for an input
  OpenedInputs(bool single_input, video::References references, std::int64_t max_pixels,
               std::stop_token stop);

  /// Returns what video::output_extension() returns. For a FIFO it returns Matroska's, because
  /// only the job may read from it. Errors: as Demuxer.
  [[nodiscard]] std::string output_extension(const std::string& input, const std::string& encoder);

  /// Hands the input over if it is open, else returns nullptr. Thread-safe once all are opened.
  [[nodiscard]] std::unique_ptr<video::Demuxer> take(const std::string& input);

 private:
  const bool single_input_;
  const video::References references_;
  const std::int64_t max_pixels_;
  const std::stop_token stop_;
  std::mutex mutex_;  // guards opened_
  std::deque<std::unique_ptr<video::Demuxer>> opened_;
};

}  // namespace facepipe::app
