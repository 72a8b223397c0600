#include "video/read/worker/remote_input.h"

#include <atomic>
#include <stdexcept>
#include <utility>

#include "core/error.h"
#include "video/read/decoder.h"

namespace facepipe::video {
namespace {

std::atomic<InputWorkers*> workers_of_process = nullptr;

Packer request_of(Request request) {
  Packer packer;
  packer(request);
  return packer;
}

}  // namespace

void read_in_workers(InputWorkers* workers) noexcept { workers_of_process = workers; }

InputWorkers* input_workers() noexcept { return workers_of_process; }

RemoteInput::RemoteInput(InputWorkers& workers, std::string url, std::int64_t max_pixels,
                         std::stop_token stop)
    : workers_(workers),
      url_(std::move(url)),
      stop_(std::move(stop)),
      worker_(workers.start(url_)) {
  try {
    open(max_pixels);
  } catch (...) {
    end();
    throw;
  }
}

RemoteInput::~RemoteInput() { end(); }

/// Ends a worker that nobody needs any more.
void RemoteInput::end() noexcept {
  if (lost_.empty()) workers_.end(worker_.process, false);
}

void RemoteInput::open(std::int64_t max_pixels) {
  Packer request = request_of(Request::open);
  request(url_);
  request(max_pixels);
  const Message answer = ask(request, stop_);
  try {
    Unpacker unpacker(std::string_view(answer.head).substr(1));
    description_ = unpacked_input(unpacker);
    streams_ = description_->nb_streams;
    facts_ = unpacked_facts(unpacker, streams_);
  } catch (const std::out_of_range&) {
    lose();
  }
}

/// Sends a request, and returns the answer, whose first byte is Answer::done. Throws the error that
/// the worker answers. If it is stopped while it waits, the worker can't be used any more.
Message RemoteInput::ask(const Packer& request, const std::stop_token& stop, int file) {
  Message answer = exchange(request, stop, file);
  try {
    Unpacker unpacker(answer.head);
    Answer kind{};
    unpacker(kind);
    if (kind == Answer::error) throw_error(unpacker);
    if (kind == Answer::done) return answer;
  } catch (const std::out_of_range&) {
  }
  lose();
}

Message RemoteInput::exchange(const Packer& request, const std::stop_token& stop, int file) {
  {
    const std::scoped_lock lock(asking_);
    if (stopped_) throw Stopped();
    if (worker_.channel.send(request.bytes(), {}, file)) {
      stopped_ = true;
      std::optional<Message> answer = worker_.channel.receive(stop);
      stopped_ = false;
      if (answer) return std::move(*answer);
    }
  }
  lose();
}

/// Ends the worker, and returns how it has ended.
std::string RemoteInput::loss() noexcept {
  const std::scoped_lock lock(losing_);
  if (lost_.empty()) lost_ = workers_.end(worker_.process, true);
  return lost_;
}

void RemoteInput::lose() {
  throw Error(ErrorKind::input, url_ + ": the process that decodes it " + loss());
}

UniqueAVPacket RemoteInput::read(AVFormatContext& description) {
  if (facts_.failure || stop_.stop_requested()) return nullptr;
  try {
    return packet_of(ask(request_of(Request::read), stop_), description);
  } catch (const Stopped&) {
    return nullptr;
  } catch (const Error& error) {
    facts_.failure.emplace(error);
    facts_.read_error = error.what();
    return nullptr;
  }
}

UniqueAVPacket RemoteInput::packet_of(Message answer, AVFormatContext& description) {
  try {
    Unpacker unpacker(std::string_view(answer.head).substr(1));
    bool has_streams = false;
    bool has_facts = false;
    bool has_packet = false;
    unpacker(has_streams);
    if (has_streams) unpack_streams(unpacker, description);
    streams_ = description.nb_streams;
    unpacker(has_facts);
    if (has_facts) facts_ = unpacked_facts(unpacker, streams_);
    unpacker(has_packet);
    if (!has_packet) return nullptr;
    UniqueAVPacket packet = answer.bytes ? std::move(answer.bytes) : new_av_packet();
    unpack_packet(unpacker, *packet);
    if (static_cast<unsigned>(packet->stream_index) < streams_) return packet;
  } catch (const std::out_of_range&) {
  }
  lose();
}

void RemoteInput::work_on(int stream_index) {
  Packer request = request_of(Request::work_on);
  request(stream_index);
  const Message answer = ask(request);
  try {
    Unpacker unpacker(std::string_view(answer.head).substr(1));
    facts_ = unpacked_facts(unpacker, streams_);
  } catch (const std::out_of_range&) {
    lose();
  }
}

void RemoteInput::discard(int stream_index) {
  Packer request = request_of(Request::discard);
  request(stream_index);
  static_cast<void>(ask(request));
}

bool RemoteInput::seek(int stream_index, std::int64_t latest, int flags) {
  Packer request = request_of(Request::seek);
  request(stream_index);
  request(latest);
  request(flags);
  const Message answer = ask(request);
  return answer.head.size() > 1 && answer.head[1] != 0;
}

Channel RemoteInput::open_codec(const DecoderOptions& options) {
  auto [channel, other] = Channel::make();
  Packer request = request_of(Request::open_codec);
  request(options.threads);
  request(options.only_what_others_need);
  static_cast<void>(ask(request, {}, other.number()));
  return std::move(channel);
}

}  // namespace facepipe::video
