// Declares the kernels that part candidates by their class, and put together what is kept of each
// class (nms/cuda/class_suppressor.h).
#pragma once

#include <cuda_runtime_api.h>
#include <vector_types.h>

#include <cstdint>

#include "nms/cuda/candidate_view.h"

namespace facepipe::nms {

/// Refers to memory that the kernels share. Pointers without a remark aren't null.
struct ClassWork {
  CandidateView all;             ///< the candidates of all classes
  const std::uint16_t* classes;  ///< the class of each

  // The candidates of one class, in their order. There is room for `each` of them.
  std::uint32_t each;
  float4* boxes;
  float* scores;
  std::uint32_t* places;  ///< index of each among the candidates of all classes
  std::uint32_t* count;   ///< counts also candidates beyond `each`

  // What suppression keeps of one class.
  const std::uint32_t* kept;  ///< indices among the candidates of the class
  const std::uint32_t* kept_count;
  const std::uint32_t* beyond_capacity;  ///< candidates of the class that had no room
  const float4* kept_boxes;              ///< null if boxes aren't moved
  const float* kept_scores;              ///< null if scores aren't changed

  // What is kept of all classes, by the index among the candidates of all classes.
  std::uint8_t* chosen;  ///< not 0 for kept candidates
  float4* moved_boxes;   ///< null if boxes aren't moved
  float* new_scores;     ///< null if scores aren't changed

  // The output; see DeviceKept.
  const std::uint32_t* ranked;
  const std::uint32_t* ranked_count;
  float4* ranked_boxes;                ///< null if boxes aren't moved
  float* ranked_scores;                ///< null if scores aren't changed
  std::uint32_t* all_beyond_capacity;  ///< sum over all classes
};

/// Forgets the kept candidates of the last frame: clears `chosen` and *all_beyond_capacity.
void launch_forget_kept(const ClassWork& work, cudaStream_t stream);

/// Writes the candidates of a class.
void launch_part(const ClassWork& work, std::uint16_t its_class, cudaStream_t stream);

/// Adds what is kept of a class to what is kept of all classes.
void launch_unite(const ClassWork& work, cudaStream_t stream);

/// Writes ranked_boxes and ranked_scores. Enqueues nothing if both are null.
void launch_rank_values(const ClassWork& work, cudaStream_t stream);

}  // namespace facepipe::nms
