facepipe_test(overlay
  SOURCES ${CMAKE_SOURCE_DIR}/tests/pipeline/overlay_test.cpp
          ${CMAKE_SOURCE_DIR}/tests/pipeline/overlay_plan_test.cpp
          ${CMAKE_SOURCE_DIR}/tests/pipeline/overlay_ink_test.cpp
  LIBS facepipe::pipeline)
