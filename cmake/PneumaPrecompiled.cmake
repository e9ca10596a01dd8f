# Headers that nearly every file includes, parsed once, which shortens a first build. Libraries and programs
# address code differently (-fPIC, -fPIE), and a precompiled header serves only one way, so each kind has its own.
#
# Release and sanitizer presets use them; debug, bench and fuzz check that each file includes what it needs.
function(pneuma_precompile_headers kind pic)
  cmake_parse_arguments(ARG "" "" "HEADERS;LIBS" ${ARGN})
  set(stub ${PROJECT_BINARY_DIR}/generated/precompiled_${kind}.cpp)
  file(CONFIGURE OUTPUT ${stub} CONTENT "")
  set(target pneuma_precompiled_${kind})
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${stub})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE ${pic})
  target_link_libraries(${target} PRIVATE pneuma_flags Eigen3::Eigen fmt::fmt TBB::tbb ${ARG_LIBS})
  target_precompile_headers(${target} PRIVATE <algorithm> <cmath> <filesystem> <functional> <map> <memory> <span> <string>
    <vector> <Eigen/Core> <Eigen/Geometry> <Eigen/StdVector> <fmt/format.h> ${ARG_HEADERS})
endfunction()

# pneuma_use_precompiled(<target> <kind>)
function(pneuma_use_precompiled target kind)
  if(TARGET pneuma_precompiled_${kind})
    target_precompile_headers(${target} REUSE_FROM pneuma_precompiled_${kind})
    target_link_libraries(${target} PRIVATE Eigen3::Eigen fmt::fmt TBB::tbb) # with which it was made
    # GCC 12 forgets that precompiled headers are the system's, and sees ghosts in std::string there too.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overread>)
  endif()
endfunction()

if(NOT PNEUMA_PRECOMPILE)
  return()
endif()
pneuma_precompile_headers(library -fPIC)
pneuma_precompile_headers(calls -fPIC HEADERS <nlohmann/json.hpp> LIBS nlohmann_json::nlohmann_json) # of libraries that are optimised lightly
pneuma_optimise_lightly(pneuma_precompiled_calls) # as its users, or it would not serve them
pneuma_precompile_headers(program -fPIE HEADERS <CLI/CLI.hpp> <nlohmann/json.hpp> LIBS CLI11::CLI11 nlohmann_json::nlohmann_json)
pneuma_optimise_lightly(pneuma_precompiled_program)
if(PNEUMA_BUILD_TESTS)
  find_package(GTest REQUIRED)
  pneuma_precompile_headers(test -fPIE HEADERS <gtest/gtest.h> <gmock/gmock.h> LIBS GTest::gmock)
  pneuma_optimise_lightly(pneuma_precompiled_test)
endif()
