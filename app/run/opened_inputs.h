// Keeps inputs open for their jobs, after they were opened to name their outputs.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "video/read/demuxer.h"

namespace facepipe::app {

/// Opens inputs to name their outputs, and keeps the inputs open for their jobs. So each input is
/// opened only once, with two exceptions. Jobs reopen all inputs after the first kMostKept. Jobs
/// also reopen URLs that must wait for other inputs, because servers don't wait so long.
class OpenedInputs {
 public:
  static constexpr std::size_t kMostKept = 64;
  static constexpr std::size_t kMostWorkers = 4;  ///< in place of kMostKept, with worker processes

  /// @param single_input  true if the run has only one input
  /// @param stop          ends waiting for an input
  OpenedInputs(bool single_input, video::References references, std::int64_t max_pixels,
               std::stop_token stop);

  /// Returns the result of video::output_extension(). For a FIFO, returns Matroska's extension,
  /// because only the job may read from it. Throws the errors of Demuxer.
  [[nodiscard]] std::string output_extension(const std::string& input, const std::string& encoder);

  /// Opens an input for its job, unless it is open. Does nothing for an input that is no regular
  /// file: it can be read only once, and later checks may refuse it. Throws the errors of Demuxer.
  void open(const std::string& input);

  /// Returns the input if it is open, and gives up its ownership; otherwise returns nullptr.
  /// Thread-safe after all inputs were opened.
  [[nodiscard]] std::unique_ptr<video::Demuxer> take(const std::string& input);

 private:
  using Inputs = std::deque<std::unique_ptr<video::Demuxer>>;

  void keep(std::unique_ptr<video::Demuxer> demuxer);
  [[nodiscard]] Inputs::iterator find(const std::string& input);

  const bool single_input_;
  const video::References references_;
  const std::int64_t max_pixels_;
  const std::stop_token stop_;
  std::mutex mutex_;  // guards opened_
  Inputs opened_;
};

}  // namespace facepipe::app
