# Writes SCRIPT, the bundled viewer. An empty file stands for "left out": reports then say so.
cmake_path(GET SCRIPT PARENT_PATH folder)
file(MAKE_DIRECTORY ${folder})

macro(leave_out reason)
  if(MODE STREQUAL "ON")
    message(FATAL_ERROR "report viewer: ${reason}")
  endif()
  message("report viewer: ${reason}; reports will leave out the 3-D view")
  file(WRITE ${SCRIPT} "")
  return()
endmacro()

if(MODE STREQUAL "OFF")
  leave_out("switched off")
elseif(NOT NPM OR NOT NODE)
  leave_out("npm or node not found")
endif()

# npm works on a copy, so that the source tree stays clean.
file(COPY ${SOURCE}/package.json ${SOURCE}/package-lock.json ${SOURCE}/.npmrc ${SOURCE}/build.mjs
     ${SOURCE}/src DESTINATION ${folder})
execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --prefer-offline
                WORKING_DIRECTORY ${folder} RESULT_VARIABLE failed OUTPUT_QUIET
                ERROR_VARIABLE errors TIMEOUT 300)
if(failed)
  leave_out("npm could not fetch its packages")
endif()
execute_process(COMMAND ${NODE} build.mjs ${SCRIPT}
                WORKING_DIRECTORY ${folder} RESULT_VARIABLE failed ERROR_VARIABLE errors)
if(failed)
  leave_out("bundling failed: ${errors}")
endif()
