// These tests check that the queue's thread writes the same bytes as a caller without a queue, and
// reports the same errors.
#include "core/files/output_queue.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "tests/core/output_text.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/temporary_folder.h"

namespace facepipe {
namespace {

namespace fs = std::filesystem;
using test::FileSizeLimit;
using test::read_file;
using test::TemporaryFolder;
using testing::IsEmpty;

// the size of a pipe's buffer on Linux
constexpr std::size_t kPipeBytes = 65'536;

int write(OutputQueue& queue, std::string_view text) {
  return queue.write(std::as_bytes(std::span(text)));
}

std::string random_text(std::mt19937& random, std::size_t most) {
  std::string text(random() % (most + 1), '\0');
  for (char& letter : text) letter = static_cast<char>(random());
  return text;
}

class OutputQueueTest : public testing::Test {
 protected:
  TemporaryFolder dir_;
};

TEST_F(OutputQueueTest, RandomWritesAndSeeksGiveTheSameFileAsWithoutAQueue) {
  std::mt19937 random(20240607);  // NOLINT(cert-msc32-c,cert-msc51-cpp): a fixed seed makes the
                                  // cases repeatable
  for (const std::size_t capacity : {97U, 1000U, 100'000U}) {
    SCOPED_TRACE("capacity " + std::to_string(capacity));
    const std::string name = std::to_string(capacity);
    OutputFile plain(dir_ / ("plain" + name), kRefuse);
    OutputFile queued(dir_ / ("queued" + name), kRefuse);
    OutputQueue queue(queued, capacity);
    for (int step = 0; step < 400; ++step) {
      if (random() % 4 == 0) {
        const auto position =
            static_cast<std::int64_t>(random() % static_cast<unsigned>(plain.size() + 500));
        ASSERT_EQ(plain.seek(position), 0);
        ASSERT_EQ(queue.seek(position), 0);
      } else {
        const std::string text = random_text(random, 3000);
        ASSERT_EQ(write(plain, text), 0);
        ASSERT_EQ(write(queue, text), 0);
      }
      ASSERT_EQ(queue.position(), plain.position());
      ASSERT_EQ(queue.size(), plain.size());
      const bool drains = random() % 50 == 0;
      ASSERT_EQ(drains ? queue.drain() : 0, 0);
    }
    ASSERT_EQ(queue.drain(), 0);
    plain.commit();
    queued.commit();
    EXPECT_EQ(read_file(dir_ / ("queued" + name)), read_file(dir_ / ("plain" + name)));
  }
}

TEST_F(OutputQueueTest, GoesOnWhereTheFileStands) {
  OutputFile file(dir_ / "out.txt", kRefuse);
  EXPECT_EQ(write(file, "one "), 0);
  OutputQueue queue(file);
  EXPECT_EQ(queue.position(), 4);
  EXPECT_EQ(queue.size(), 4);
  EXPECT_EQ(write(queue, "two"), 0);
  EXPECT_EQ(queue.drain(), 0);
  EXPECT_EQ(file.size(), 7);
  file.commit();
  EXPECT_EQ(read_file(dir_ / "out.txt"), "one two");
}

TEST_F(OutputQueueTest, PositionsThatFilesDontHaveAreRefused) {
  OutputFile file(dir_ / "out.txt", kRefuse);
  OutputQueue queue(file);
  EXPECT_EQ(queue.seek(-1), EINVAL);
  OutputFile device("/dev/null", kRefuse);
  OutputQueue stream(device);
  EXPECT_FALSE(stream.seekable());
  EXPECT_EQ(stream.seek(0), ESPIPE);
}

TEST_F(OutputQueueTest, WithoutDrainingWhatWaitsIsDropped) {
  {
    OutputFile file(dir_ / "out.txt", kRefuse);
    OutputQueue queue(file);
    const std::string text(1'000'000, 'x');
    for (int i = 0; i < 10; ++i) EXPECT_EQ(write(queue, text), 0);
  }
  EXPECT_THAT(dir_.names(), IsEmpty());
}

TEST_F(OutputQueueTest, AnErrorOfTheFileIsToldWhenDrainedAndFromThenOn) {
  OutputFile file("/dev/full", kRefuse);
  OutputQueue queue(file);
  EXPECT_EQ(write(queue, "x"), 0);
  EXPECT_EQ(queue.drain(), ENOSPC);
  EXPECT_EQ(queue.full(), ENOSPC);
  EXPECT_EQ(write(queue, "y"), ENOSPC);
  EXPECT_EQ(queue.drain(), ENOSPC);
}

TEST_F(OutputQueueTest, AnErrorOfTheFileEndsAWaitForRoom) {
  OutputFile file("/dev/full", kRefuse);
  OutputQueue queue(file, 1000);
  EXPECT_EQ(write(queue, std::string(1'000'000, 'x')), ENOSPC);
}

// The file size limit simulates a full disk.
TEST_F(OutputQueueTest, NothingIsWrittenBehindAnError) {
  OutputFile file(dir_ / "out.txt", kRefuse);
  const FileSizeLimit limit(100'000);
  OutputQueue queue(file);
  static_cast<void>(write(queue, std::string(200'000, 'x')));
  EXPECT_EQ(queue.drain(), EFBIG);
  EXPECT_EQ(queue.seek(0), 0);
  EXPECT_EQ(write(queue, "y"), EFBIG);
  EXPECT_EQ(file.keep_partial(), dir_ / "out.partial.txt");
  EXPECT_EQ(read_file(dir_ / "out.partial.txt"), std::string(100'000, 'x'));
}

TEST_F(OutputQueueTest, WhatIsReservedLiesBehindWhatWaits) {
  OutputFile file(dir_ / "out.txt", kRefuse);
  const FileSizeLimit limit(100'000);
  OutputQueue queue(file);
  int blocks = 0;
  while (true) {
    queue.reserve(20'000);
    if (queue.full() != 0) break;
    ASSERT_EQ(write(queue, std::string(1000, 'x')), 0);
    ++blocks;
  }
  EXPECT_EQ(queue.full(), EFBIG);
  EXPECT_EQ(blocks, 81);
  EXPECT_EQ(write(queue, std::string(19'000, 'y')), 0) << "room for the end of the file";
  EXPECT_EQ(queue.drain(), 0);
  file.commit();
  EXPECT_EQ(fs::file_size(dir_ / "out.txt"), 100'000U);
}

/// Writes to a FIFO whose reader reads only when the test tells it to.
class StalledFifo : public OutputQueueTest {
 protected:
  StalledFifo() {
    std::signal(SIGPIPE, SIG_IGN);  // main() also ignores this signal
    if (mkfifo(fifo_.c_str(), 0600) != 0) throw std::runtime_error("mkfifo");
    reader_ = open(fifo_.c_str(), O_RDONLY | O_NONBLOCK);
    file_.emplace(fifo_, kRefuse, stop_.get_token());
  }
  void TearDown() override { leave(); }

  void leave() {
    if (reader_ >= 0) close(std::exchange(reader_, -1));
  }

  [[nodiscard]] std::string read_all(std::size_t size) const {
    std::string all;
    std::string part(kPipeBytes, '\0');
    while (all.size() < size) {
      pollfd waited{reader_, POLLIN, 0};
      poll(&waited, 1, -1);
      const ssize_t got = read(reader_, part.data(), part.size());
      if (got > 0) all.append(part, 0, static_cast<std::size_t>(got));
    }
    return all;
  }

  const fs::path fifo_ = dir_ / "out.fifo";
  std::stop_source stop_;
  int reader_ = -1;
  std::optional<OutputFile> file_;
};

TEST_F(StalledFifo, MayEndWithBytesThatNobodyTakes) {
  OutputQueue queue(*file_);
  EXPECT_EQ(write(queue, std::string(1'000'000, 'x')), 0);
}

TEST_F(StalledFifo, HoldsUpItsWriterWhenTheQueueIsFull) {
  constexpr std::size_t kCapacity = 100'000;
  OutputQueue queue(*file_, kCapacity);
  std::string text(1'000'000, 'x');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * i >> 8U);
  std::atomic<std::int64_t> given = 0;
  std::atomic<bool> done = false;
  std::jthread writer([&] {
    for (std::size_t i = 0; i < text.size(); i += 1000, given += 1000)
      EXPECT_EQ(write(queue, std::string_view(text).substr(i, 1000)), 0);
    EXPECT_EQ(queue.drain(), 0);
    done = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_LE(given, kCapacity + kPipeBytes);
  EXPECT_FALSE(done);
  EXPECT_EQ(read_all(text.size()), text);
  writer.join();
  EXPECT_TRUE(done);
}

TEST_F(StalledFifo, EndsWithAStop) {
  OutputQueue queue(*file_, 100'000);
  const std::jthread stops([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop_.request_stop();
  });
  EXPECT_EQ(write(queue, std::string(1'000'000, 'x')), ECANCELED);
  EXPECT_EQ(queue.full(), ECANCELED);
  EXPECT_EQ(queue.drain(), ECANCELED);
}

TEST_F(StalledFifo, WhoseReaderLeavesIsAnError) {
  OutputQueue queue(*file_, 100'000);
  EXPECT_EQ(write(queue, std::string(100'000, 'x')), 0);
  leave();
  EXPECT_EQ(queue.drain(), EPIPE);
  EXPECT_EQ(queue.full(), 0);
}

}  // namespace
}  // namespace facepipe
