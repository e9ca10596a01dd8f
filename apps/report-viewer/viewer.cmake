# The script of the interactive view in reports: bundled from npm at build time, embedded in the
# render module. Included from src/, where that module's target lives.
#
#   PNEUMA_REPORT_VIEWER=AUTO  bundle where npm is found and can fetch; else reports say that the
#                              3-D view is left out
#   PNEUMA_REPORT_VIEWER=ON    fail without npm
#   PNEUMA_REPORT_VIEWER=OFF   never
set(PNEUMA_REPORT_VIEWER AUTO CACHE STRING "Interactive 3-D view in reports: AUTO, ON or OFF")
set_property(CACHE PNEUMA_REPORT_VIEWER PROPERTY STRINGS AUTO ON OFF)

set(viewer_source ${PROJECT_SOURCE_DIR}/apps/report-viewer)
set(viewer_script ${PROJECT_BINARY_DIR}/report-viewer/viewer.js)
find_program(PNEUMA_NPM npm)
find_program(PNEUMA_NODE NAMES node nodejs)
if(PNEUMA_REPORT_VIEWER STREQUAL "ON" AND NOT (PNEUMA_NPM AND PNEUMA_NODE))
  message(FATAL_ERROR "PNEUMA_REPORT_VIEWER=ON needs npm and node (Debian packages npm, nodejs)")
endif()

file(GLOB viewer_files CONFIGURE_DEPENDS ${viewer_source}/src/*.js)
list(APPEND viewer_files ${viewer_source}/package.json ${viewer_source}/package-lock.json
     ${viewer_source}/.npmrc ${viewer_source}/build.mjs)
add_custom_command(
  OUTPUT ${viewer_script}
  COMMAND ${CMAKE_COMMAND} -DMODE=${PNEUMA_REPORT_VIEWER} -DNPM=${PNEUMA_NPM} -DNODE=${PNEUMA_NODE}
          -DSOURCE=${viewer_source} -DSCRIPT=${viewer_script} -P ${viewer_source}/bundle.cmake
  DEPENDS ${viewer_files} ${viewer_source}/bundle.cmake
  COMMENT "Bundling the report viewer"
  VERBATIM)
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/render/viewer_script.cpp PROPERTIES
  COMPILE_DEFINITIONS PNEUMA_VIEWER_SCRIPT="${viewer_script}"
  OBJECT_DEPENDS ${viewer_script})
