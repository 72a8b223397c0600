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

/// Opens inputs in the order of the run, each once: an input that was looked into for its output's
/// name goes on to its job as it stands. Two kinds are opened again by their jobs: those behind the
/// first kMostKept, and URLs that would have to wait for other inputs, as servers don't.
class OpenedInputs {
 public:
  static constexpr std::size_t kMostKept = 64;

  /// A blocked look ends when `stop` is requested.
  /// @param alone the run has one input
  OpenedInputs(bool alone, video::References references, std::int64_t max_pixels,
               std::stop_token stop);

  /// As video::output_extension(); Matroska's for a FIFO, into which nobody looks before its
  /// job. Errors: as Demuxer.
  [[nodiscard]] std::string output_extension(const std::string& input, const std::string& encoder);

  /// The input if it is open, which it then is no more here, else nullptr. Thread-safe, once all
  /// are opened.
  [[nodiscard]] std::unique_ptr<video::Demuxer> take(const std::string& input);

 private:
  const bool alone_;
  const video::References references_;
  const std::int64_t max_pixels_;
  const std::stop_token stop_;
  std::mutex mutex_;  // guards opened_
  std::deque<std::unique_ptr<video::Demuxer>> opened_;
};

}  // namespace facepipe::app
