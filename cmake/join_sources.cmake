# Compiles several sources of a target as one, which takes less than half of the time: most of it goes into headers.
# It is for builds of everything. After a change, one source is compiled faster than its batch, and ccache helps only
# if the batch has no other change. So nothing is joined if there is a compiler launcher.
set(FACEPIPE_JOIN_SOURCES AUTO CACHE STRING
  "Compile several sources as one: AUTO (if there is no compiler launcher), ON or OFF")

# Sets RESULT to all targets of FOLDER and of the folders within it.
function(facepipe_targets_of folder result)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(inner ${folders})
    facepipe_targets_of(${inner} more)
    list(APPEND targets ${more})
  endforeach()
  set(${result} ${targets} PARENT_SCOPE)
endfunction()

# Sets RESULT to the absolute paths of those sources of TARGET that are compiled with the target's flags alone.
function(facepipe_joinable_sources target result)
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  set(joinable)
  foreach(source ${sources})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder} NORMALIZE)
    set(flags)
    foreach(property COMPILE_DEFINITIONS COMPILE_OPTIONS COMPILE_FLAGS)
      get_source_file_property(value ${source} DIRECTORY ${folder} ${property})
      if(value)
        list(APPEND flags ${value})
      endif()
    endforeach()
    if(source MATCHES "\\.cpp$" AND NOT source MATCHES "[$]<" AND NOT flags)
      list(APPEND joinable ${source})
    endif()
  endforeach()
  set(${result} ${joinable} PARENT_SCOPE)
endfunction()

# Joins the sources of all targets that are known so far, as join_sources.py says.
function(facepipe_join_sources)
  set(lines)
  facepipe_targets_of(${CMAKE_SOURCE_DIR} targets)
  foreach(target ${targets})
    get_target_property(type ${target} TYPE)
    if(type MATCHES "^(STATIC_LIBRARY|SHARED_LIBRARY|MODULE_LIBRARY|OBJECT_LIBRARY|EXECUTABLE)$")
      facepipe_joinable_sources(${target} sources)
      foreach(source ${sources})
        string(APPEND lines "${target} ${source}\n")
      endforeach()
      set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
      # GCC takes joined sources for headers, whose types must not have members of a type that one source hides.
      target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
    endif()
  endforeach()
  set(list ${CMAKE_BINARY_DIR}/join_sources.txt)
  file(WRITE ${list} "${lines}")
  execute_process(
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/cmake/join_sources.py ${CMAKE_BINARY_DIR}/join_sources.json
    INPUT_FILE ${list} OUTPUT_VARIABLE batches COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" batches "${batches}")
  foreach(line ${batches})
    string(REGEX MATCH "^(.*) ([^ ]+) ([^ ]+)$" matched "${line}")
    set_source_files_properties(${CMAKE_MATCH_1} TARGET_DIRECTORY ${CMAKE_MATCH_2}
      PROPERTIES UNITY_GROUP ${CMAKE_MATCH_3})
  endforeach()
endfunction()

if(FACEPIPE_JOIN_SOURCES STREQUAL ON OR (FACEPIPE_JOIN_SOURCES STREQUAL AUTO AND NOT CMAKE_CXX_COMPILER_LAUNCHER))
  find_package(Python3 COMPONENTS Interpreter REQUIRED)
  facepipe_join_sources()
endif()
