// These tests check the library that records a program's memory copies. A fake CUPTI delivers
// records that the test writes.
#include <cupti.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/temporary_folder.h"

extern "C" int InitializeInjection();

namespace {

/// Holds the state of the fake CUPTI. Each death test runs in a new process with a new state.
struct StandIn {
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  CUpti_CallbackFunc on_event = nullptr;
  bool contexts_enabled = false;
  std::vector<CUpti_ActivityKind> enabled;
  CUptiResult enable_result = CUPTI_SUCCESS;
  CUptiResult managed_result = CUPTI_SUCCESS;
  std::size_t dropped = 0;
  std::vector<std::vector<std::uint8_t>> records;
  std::size_t given = 0;
} stand_in;

template <class Record>
void will_deliver(const Record& record) {
  std::vector<std::uint8_t> bytes(sizeof(Record));
  std::memcpy(bytes.data(), &record, sizeof(Record));
  stand_in.records.push_back(std::move(bytes));
}

CUpti_ActivityMemcpy6 copy(std::uint8_t kind, std::uint64_t bytes, std::uint64_t node) {
  CUpti_ActivityMemcpy6 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  record.copyKind = kind;
  record.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
  record.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  record.bytes = bytes;
  record.start = 1000;
  record.streamId = 7;
  record.graphNodeId = node;
  record.copyCount = 1;
  return record;
}

/// Loads the library as the driver does, and ends the program normally.
[[noreturn]] void run_to_end(const std::string& file) {
  setenv("FACEPIPE_COPY_TRACE", file.c_str(), 1);
  if (InitializeInjection() != 1) std::exit(3);
  for (int context = 0; context < 2 && stand_in.contexts_enabled; ++context)
    stand_in.on_event(nullptr, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED,
                      nullptr);
  std::exit(0);
}

std::string text_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

}  // namespace

extern "C" {

CUptiResult CUPTIAPI
cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc funcBufferRequested,
                               CUpti_BuffersCallbackCompleteFunc funcBufferCompleted) {
  stand_in.request = funcBufferRequested;
  stand_in.complete = funcBufferCompleted;
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityEnable(CUpti_ActivityKind kind) {
  stand_in.enabled.push_back(kind);
  return stand_in.enable_result;
}

CUptiResult CUPTIAPI cuptiSubscribe(CUpti_SubscriberHandle*, CUpti_CallbackFunc callback, void*) {
  stand_in.on_event = callback;
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle,
                                         CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  stand_in.contexts_enabled = enable == 1 && domain == CUPTI_CB_DOMAIN_RESOURCE &&
                              id == CUPTI_CBID_RESOURCE_CONTEXT_CREATED;
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI
cuptiActivityConfigureUnifiedMemoryCounter(CUpti_ActivityUnifiedMemoryCounterConfig*, uint32_t) {
  return stand_in.managed_result;
}

CUptiResult CUPTIAPI cuptiActivityFlushAll(uint32_t flag) {
  if (flag != CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) return CUPTI_ERROR_INVALID_PARAMETER;
  std::uint8_t* buffer = nullptr;
  std::size_t size = 0;
  std::size_t most = 1;
  stand_in.request(&buffer, &size, &most);
  stand_in.complete(nullptr, 0, buffer, size, size);
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityGetNextRecord(uint8_t*, size_t, CUpti_Activity** record) {
  if (stand_in.given == stand_in.records.size()) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(stand_in.records[stand_in.given++].data());
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t* dropped) {
  *dropped = stand_in.dropped;
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiGetResultString(CUptiResult, const char** str) {
  *str = "a CUPTI error";
  return CUPTI_SUCCESS;
}
}

namespace facepipe {
namespace {

class CopyTraceDeathTest : public testing::Test {
 protected:
  test::TemporaryFolder folder_;
  std::string file_ = (folder_ / "trace.tsv").string();
};

TEST_F(CopyTraceDeathTest, WritesEveryKindOfCopy) {
  const auto run = [this] {
    will_deliver(copy(CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, 120, 5));
    will_deliver(copy(CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, 3110400, 0));
    CUpti_ActivityMemcpyPtoP4 peer{};
    peer.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
    peer.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
    peer.bytes = 9;
    will_deliver(peer);
    CUpti_ActivityMemset4 fill{};
    fill.kind = CUPTI_ACTIVITY_KIND_MEMSET;
    fill.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    fill.bytes = 64;
    will_deliver(fill);
    CUpti_ActivityUnifiedMemoryCounter3 managed{};
    managed.kind = CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER;
    managed.counterKind = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH;
    managed.value = 4096;
    will_deliver(managed);
    run_to_end(file_);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "");
  EXPECT_EQ(text_of(file_),
            "facepipe copy trace 1\n"
            "note\tmanaged memory\tcounted\n"
            "memcpy\tHtoD\tpinned\tdevice\t1000\t120\t1\t7\t5\n"
            "memcpy\tDtoH\tpinned\tdevice\t1000\t3110400\t1\t7\t0\n"
            "peer\tPtoP\tunknown\tunknown\t0\t9\t1\t0\t0\n"
            "memset\tfill\tnone\tdevice\t0\t64\t1\t0\t0\n"
            "managed\tDtoH\tmanaged\tmanaged\t0\t4096\t1\t0\t0\n"
            "end\t5 records\t0 dropped\n");
}

TEST_F(CopyTraceDeathTest, TellsOfRecordsThatWereDropped) {
  const auto run = [this] {
    stand_in.dropped = 12;
    run_to_end(file_);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "");
  EXPECT_NE(text_of(file_).find("end\t0 records\t12 dropped\n"), std::string::npos);
}

TEST_F(CopyTraceDeathTest, TellsWhereManagedMemoryIsNotCounted) {
  const auto run = [this] {
    stand_in.managed_result = CUPTI_ERROR_NOT_SUPPORTED;
    run_to_end(file_);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "");
  EXPECT_NE(text_of(file_).find("note\tmanaged memory\ta CUPTI error\n"), std::string::npos);
}

TEST_F(CopyTraceDeathTest, EndsTheProgramWhereCopiesCantBeSeen) {
  const auto run = [this] {
    stand_in.enable_result = CUPTI_ERROR_NOT_INITIALIZED;
    run_to_end(file_);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(1), "copy trace: copies: a CUPTI error");
}

TEST_F(CopyTraceDeathTest, EndsTheProgramWhereItHasNoFileToWrite) {
  EXPECT_EXIT(run_to_end((folder_ / "none" / "trace.tsv").string()), testing::ExitedWithCode(1),
              "No such file");
}

}  // namespace
}  // namespace facepipe
