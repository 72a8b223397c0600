# Writes what the program says about its command line into files for `cmake --install`: man pages, scripts for shells,
# and options.json. Run it with cmake -DPROGRAM=FILE -DTO=FOLDER -P command_line_files.cmake.

# write(FILE ARGUMENTS...): writes what the program prints with these arguments.
function(write file)
  execute_process(COMMAND ${PROGRAM} ${ARGN} OUTPUT_FILE ${TO}/${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${TO})  # what an earlier version wrote
file(MAKE_DIRECTORY ${TO}/man1)
write(facepipe.bash completion bash)
write(_facepipe completion zsh)
write(facepipe.fish completion fish)
write(man1/facepipe.1 help --man)
execute_process(COMMAND ${PROGRAM} help --json OUTPUT_VARIABLE json COMMAND_ERROR_IS_FATAL ANY)
string(JSON commands LENGTH "${json}" commands)
math(EXPR last "${commands} - 1")
foreach(index RANGE ${last})
  string(JSON command GET "${json}" commands ${index} name)
  separate_arguments(words UNIX_COMMAND "${command}")
  list(JOIN words "-" page)
  write(man1/facepipe-${page}.1 help --man ${words})
endforeach()
file(WRITE ${TO}/options.json "${json}")
