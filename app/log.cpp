#include "app/log.h"

// Later versions use Abseil's log and have no handler of their own.
#if __has_include(<google/protobuf/stubs/logging.h>)
#include <google/protobuf/stubs/logging.h>
#define FACEPIPE_PROTOBUF_LOGS
#endif

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <opencv2/core/utils/logger.hpp>

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

void quiet_libraries() {
  constexpr int kKeep = 0;
  // hwloc reads the processor's topology for oneTBB, and tells where there is no /sys; 2: nothing.
  setenv("HWLOC_HIDE_ERRORS", "2", kKeep);
  // 0: what ends the process.
  setenv("SVT_LOG", "0", kKeep);
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
#ifdef FACEPIPE_PROTOBUF_LOGS
  google::protobuf::SetLogHandler(nullptr);
#endif
}

}  // namespace facepipe
