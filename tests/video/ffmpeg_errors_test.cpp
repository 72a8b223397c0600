// These tests check FFmpeg's errors: which line of its messages is kept, and what its error codes
// mean.
#include "video/ffmpeg.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "tests/support/expect_error.h"

namespace facepipe::video {
namespace {

TEST(FFmpegErrors, KeepsTheFirstErrorLineWhole) {
  const FFmpegErrors errors;
  EXPECT_EQ(errors.first(), "");
  av_log(nullptr, AV_LOG_WARNING, "only a warning\n");
  EXPECT_EQ(errors.first(), "");
  av_log(nullptr, AV_LOG_WARNING, "too wide\n");
  av_log(nullptr, AV_LOG_ERROR, "cannot load %s\n", "libthis.so");
  av_log(nullptr, AV_LOG_FATAL, "so it ends\n");
  EXPECT_EQ(errors.first(), "cannot load libthis.so (too wide)");
}

TEST(FFmpegErrors, KeepsThoseOfOneObject) {
  const UniqueCodecContext one(avcodec_alloc_context3(nullptr));
  const UniqueCodecContext other(avcodec_alloc_context3(nullptr));
  const FFmpegErrors errors(one.get());
  av_log(other.get(), AV_LOG_WARNING, "not mine\n");
  av_log(other.get(), AV_LOG_ERROR, "nor this\n");
  av_log(nullptr, AV_LOG_ERROR, "nobody's\n");
  EXPECT_EQ(errors.first(), "");
  av_log(one.get(), AV_LOG_ERROR, "mine\n");
  EXPECT_EQ(errors.first(), "mine");
}

TEST(FFmpegErrors, ForgetsThoseOfTheLastOne) {
  {
    const FFmpegErrors errors;
    av_log(nullptr, AV_LOG_ERROR, "before\n");
  }
  av_log(nullptr, AV_LOG_ERROR, "between\n");
  EXPECT_EQ(FFmpegErrors().first(), "");
}

TEST(CheckAv, D5WhatTheSystemHasNoMoreOfIsNoFaultOfAFile) {
  for (const ErrorKind kind : {ErrorKind::input, ErrorKind::output, ErrorKind::usage}) {
    test::expect_error(ErrorKind::internal, "a.mp4: out of memory",
                       [&] { check_av(AVERROR(ENOMEM), kind, "a.mp4"); });
    test::expect_error(ErrorKind::internal, "a.mp4: can't start a thread: ", [&] {
      check_av(AVERROR(EAGAIN), kind, "a.mp4");
    });
    test::expect_error(kind, "a.mp4: Input/output error",
                       [&] { check_av(AVERROR(EIO), kind, "a.mp4"); });
  }
  test::expect_error(ErrorKind::device, "surfaces: ", [] {
    check_av(AVERROR(ENOMEM), ErrorKind::device, "surfaces");
  });
}

}  // namespace
}  // namespace facepipe::video
