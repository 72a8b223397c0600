# facepipe_library(NAME SOURCES...): makes the static library facepipe::NAME. Its headers are included as
# "NAME/header.h".
function(facepipe_library name)
  add_library(facepipe_${name} STATIC ${ARGN})
  add_library(facepipe::${name} ALIAS facepipe_${name})
  target_include_directories(facepipe_${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(facepipe_${name} PRIVATE facepipe_warnings)
endfunction()
