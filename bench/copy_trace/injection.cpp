// This library records every memory copy of CUDA in a program that doesn't know the library. CUDA's
// driver loads the library that CUDA_INJECTION64_PATH names. FACEPIPE_COPY_TRACE names the file to
// write, which bench/copy_trace.py reads.
//
// Tabs separate the columns: what (memcpy, peer, memset or managed), direction, kind of memory that
// is read, kind that is written, start in ns, bytes, number of copies, stream, node of a CUDA graph
// (0: none). CUPTI doesn't see kernels that access mapped memory, or reads by engines like NVDEC.
// The last line says whether the trace is complete.
#include <cupti.h>

#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>

namespace {

constexpr std::size_t kBufferBytes = std::size_t{8} << 20;
constexpr std::size_t kAlignment = 8;  // CUPTI requires this alignment of buffers

const char* text_of(CUptiResult result) {
  const char* text = nullptr;
  return cuptiGetResultString(result, &text) == CUPTI_SUCCESS ? text : "unknown error";
}

/// Ends the program if a call of CUPTI failed, because an incomplete trace would prove nothing.
void require(CUptiResult result, const char* what) {
  if (result == CUPTI_SUCCESS) return;
  std::fprintf(stderr, "copy trace: %s: %s\n", what, text_of(result));
  std::_Exit(EXIT_FAILURE);
}

const char* direction_of(std::uint8_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
      return "HtoD";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
      return "DtoH";
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
      return "HtoA";
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
      return "AtoH";
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOA:
      return "AtoA";
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOD:
      return "AtoD";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOA:
      return "DtoA";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
      return "DtoD";
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH:
      return "HtoH";
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
      return "PtoP";
    default:
      return "unknown";
  }
}

const char* memory_of(std::uint8_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE:
      return "pageable";
    case CUPTI_ACTIVITY_MEMORY_KIND_PINNED:
      return "pinned";
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE:
      return "device";
    case CUPTI_ACTIVITY_MEMORY_KIND_ARRAY:
      return "array";
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED:
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC:
      return "managed";
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC:
      return "static";
    default:
      return "unknown";
  }
}

/// Writes the trace file of a process. The class is thread-safe, because CUPTI calls it from its
/// own threads.
class Trace {
 public:
  explicit Trace(const char* path) : file_(std::fopen(path, "w"), &std::fclose) {
    if (file_ == nullptr) {
      std::perror(path);
      std::_Exit(EXIT_FAILURE);
    }
    std::fputs("facepipe copy trace 1\n", file_.get());
  }

  void note(const char* name, const char* value) {
    const std::scoped_lock lock(mutex_);
    std::fprintf(file_.get(), "note\t%s\t%s\n", name, value);
  }

  void add_all(std::uint8_t* records, std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    CUpti_Activity* record = nullptr;
    while (cuptiActivityGetNextRecord(records, bytes, &record) == CUPTI_SUCCESS) add(*record);
    std::size_t dropped = 0;
    if (cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped) == CUPTI_SUCCESS)
      dropped_ += dropped;
  }

  /// Writes the last line. Nothing may be added afterwards.
  void end() {
    const std::scoped_lock lock(mutex_);
    std::fprintf(file_.get(), "end\t%zu records\t%zu dropped\n", records_, dropped_);
    if (std::fflush(file_.get()) != 0) std::perror("copy trace");
  }

 private:
  void add(const CUpti_Activity& record);
  void write(const char* what, const char* direction, const char* from, const char* to,
             std::uint64_t start, std::uint64_t bytes, std::uint64_t copies, std::uint32_t stream,
             std::uint64_t node) {
    std::fprintf(file_.get(),
                 "%s\t%s\t%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu32 "\t%" PRIu64
                 "\n",
                 what, direction, from, to, start, bytes, copies, stream, node);
    ++records_;
  }

  std::mutex mutex_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::size_t records_ = 0;
  std::size_t dropped_ = 0;
};

void add_managed(const CUpti_ActivityUnifiedMemoryCounter3& counter, const auto& write) {
  if (counter.counterKind == CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD)
    write("HtoD");
  else if (counter.counterKind == CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH)
    write("DtoH");
}

void Trace::add(const CUpti_Activity& record) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto& copy = reinterpret_cast<const CUpti_ActivityMemcpy6&>(record);
      write("memcpy", direction_of(copy.copyKind), memory_of(copy.srcKind), memory_of(copy.dstKind),
            copy.start, copy.bytes, copy.copyCount, copy.streamId, copy.graphNodeId);
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY2: {
      const auto& copy = reinterpret_cast<const CUpti_ActivityMemcpyPtoP4&>(record);
      write("peer", direction_of(copy.copyKind), memory_of(copy.srcKind), memory_of(copy.dstKind),
            copy.start, copy.bytes, 1, copy.streamId, copy.graphNodeId);
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto& fill = reinterpret_cast<const CUpti_ActivityMemset4&>(record);
      write("memset", "fill", "none", memory_of(static_cast<std::uint8_t>(fill.memoryKind)),
            fill.start, fill.bytes, 1, fill.streamId, fill.graphNodeId);
      break;
    }
    case CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER: {
      const auto& counter = reinterpret_cast<const CUpti_ActivityUnifiedMemoryCounter3&>(record);
      add_managed(counter, [&](const char* direction) {
        write("managed", direction, "managed", "managed", counter.start, counter.value, 1,
              counter.streamId, 0);
      });
      break;
    }
    default:
      break;
  }
}

// This object is never destroyed, because CUPTI's threads can deliver buffers while the program's
// static objects are destroyed.
Trace* trace = nullptr;

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *size = kBufferBytes;
  *most_records = 0;  // no limit except the buffer's size
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kAlignment, kBufferBytes));
}

void CUPTIAPI take_buffer(CUcontext /*context*/, std::uint32_t /*stream*/, std::uint8_t* buffer,
                          std::size_t /*size*/, std::size_t valid) {
  const std::unique_ptr<std::uint8_t, decltype(&std::free)> owned(buffer, &std::free);
  trace->add_all(buffer, valid);
}

/// Counts how managed memory moves, which happens without a call of a copy function. Some machines
/// can't count it.
CUptiResult count_managed() {
  std::array<CUpti_ActivityUnifiedMemoryCounterConfig, 2> wanted{};
  for (auto& counter : wanted) {
    counter.scope = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE;
    counter.enable = 1;
  }
  wanted[0].kind = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD;
  wanted[1].kind = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH;
  const CUptiResult configured = cuptiActivityConfigureUnifiedMemoryCounter(
      wanted.data(), static_cast<std::uint32_t>(wanted.size()));
  if (configured != CUPTI_SUCCESS) return configured;
  return cuptiActivityEnable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
}

// Counts managed memory. This is possible only after CUDA is initialised, which happens after the
// driver has loaded this library.
void CUPTIAPI on_context_created(void* /*data*/, CUpti_CallbackDomain /*domain*/,
                                 CUpti_CallbackId /*id*/, const void* /*context*/) {
  static std::once_flag once;
  std::call_once(once, [] {
    const CUptiResult managed = count_managed();
    trace->note("managed memory", managed == CUPTI_SUCCESS ? "counted" : text_of(managed));
  });
}

void wait_for_context() {
  CUpti_SubscriberHandle subscriber = nullptr;
  require(cuptiSubscribe(&subscriber, on_context_created, nullptr), "events");
  require(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE,
                              CUPTI_CBID_RESOURCE_CONTEXT_CREATED),
          "new contexts");
}

void at_exit() {
  require(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "the last records");
  trace->end();
}

}  // namespace

/// The driver calls this when it initialises CUDA. Returns 1 for success.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  const char* const path = std::getenv("FACEPIPE_COPY_TRACE");
  if (path == nullptr) {
    std::fputs("copy trace: FACEPIPE_COPY_TRACE names no file\n", stderr);
    std::_Exit(EXIT_FAILURE);
  }
  trace = new Trace(path);
  require(cuptiActivityRegisterCallbacks(give_buffer, take_buffer), "callbacks");
  require(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY), "copies");
  require(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY2), "copies between devices");
  require(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET), "fills");
  wait_for_context();
  std::atexit(at_exit);
  return 1;
}
