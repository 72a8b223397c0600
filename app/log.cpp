#include "app/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <memory>

#include "video/ffmpeg.h"

namespace facepipe {
namespace {

constexpr const char* kClearLine = "\r\033[K";

}  // namespace

void start_log(spdlog::level::level_enum level) {
  const auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  auto logger = std::make_shared<spdlog::logger>("facepipe", sink);
  logger->set_pattern((isatty(STDERR_FILENO) == 1 ? std::string(kClearLine) : std::string()) +
                      "facepipe: %l: %v");
  logger->set_level(level);
  logger->flush_on(spdlog::level::debug);
  spdlog::set_default_logger(std::move(logger));
  redirect_ffmpeg_log();
}

}  // namespace facepipe
