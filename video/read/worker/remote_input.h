// Reads an input through a worker process. This is the program's side; serve.h is the worker's.
#pragma once

#include <cstdint>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>

#include "video/ffmpeg.h"
#include "video/read/worker/channel.h"
#include "video/read/worker/input_workers.h"
#include "video/read/worker/messages.h"

namespace facepipe::video {

struct DecoderOptions;

/// Owns a worker process in which an input is open. A worker that ends, or that answers what can't
/// be, is an Error(input), which names the input. Only one thread at a time may use it, but
/// open_codec() and lost() may be called by any thread.
class RemoteInput {
 public:
  /// Starts the worker, and opens the input there. Errors: as Demuxer's constructor.
  RemoteInput(InputWorkers& workers, std::string url, std::int64_t max_pixels,
              std::stop_token stop);
  /// Ends the worker.
  ~RemoteInput();
  RemoteInput(const RemoteInput&) = delete;
  RemoteInput& operator=(const RemoteInput&) = delete;

  /// Returns a description of the input (unpacked_input()). Call it once.
  [[nodiscard]] UniqueInputContext take_description() { return std::move(description_); }
  [[nodiscard]] const InputFacts& facts() const { return facts_; }

  void stop_with(std::stop_token stop) { stop_ = std::move(stop); }
  /// Returns the next packet; nullptr at the end, on an error, or when stopped. Adds new streams to
  /// `description`. If the worker ends, facts() say so.
  [[nodiscard]] UniqueAVPacket read(AVFormatContext& description);
  /// These functions do what Demuxer's functions of the same names do.
  void work_on(int stream_index);
  void discard(int stream_index);
  [[nodiscard]] bool seek(int stream_index, std::int64_t latest, int flags);

  /// Opens a decoder of the video in the worker. Returns the channel to it. Errors: Error(input).
  [[nodiscard]] Channel open_codec(const DecoderOptions& options);

  /// Throws Error(input) that says that the worker has ended, and why.
  [[noreturn]] void lose();

 private:
  [[nodiscard]] Message ask(const Packer& request, const std::stop_token& stop = {}, int file = -1);
  [[nodiscard]] Message exchange(const Packer& request, const std::stop_token& stop, int file);
  void open(std::int64_t max_pixels);
  [[nodiscard]] UniqueAVPacket packet_of(Message answer, AVFormatContext& description);
  [[nodiscard]] std::string loss() noexcept;
  void end() noexcept;

  InputWorkers& workers_;
  const std::string url_;
  std::stop_token stop_;
  std::mutex asking_;  // guards the order of requests and answers
  std::mutex losing_;  // guards lost_, also while another thread waits for an answer
  InputWorkers::Worker worker_;
  std::string lost_;      // how the worker has ended; empty while it works
  bool stopped_ = false;  // an answer was not waited for, so no other can be
  UniqueInputContext description_;
  InputFacts facts_;
  unsigned streams_ = 0;
};

}  // namespace facepipe::video
