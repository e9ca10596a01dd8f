# pneuma_add_module(<name> USES <lower modules...> LIBS <public libraries...> PRIVATE_LIBS <...>)
#
# One static library per module from src/<name>/*.cpp, with its public headers in
# include/pneuma/<name>. The target is pneuma_<name>, alias pneuma::<name>.
function(pneuma_add_module name)
  cmake_parse_arguments(ARG "" "" "USES;LIBS;PRIVATE_LIBS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  if(NOT sources)
    return()
  endif()
  set(target pneuma_${name})
  add_library(${target} STATIC ${sources})
  add_library(pneuma::${name} ALIAS ${target})
  target_include_directories(${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>
    PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/generated)
  foreach(lower IN LISTS ARG_USES)
    if(TARGET pneuma_${lower}) # a module without sources yet has no library
      target_link_libraries(${target} PUBLIC pneuma_${lower})
    endif()
  endforeach()
  target_link_libraries(${target} PUBLIC ${ARG_LIBS} PRIVATE ${ARG_PRIVATE_LIBS} $<BUILD_INTERFACE:pneuma_flags>)
  pneuma_use_precompiled(${target} library)
  pneuma_use_unity(${target})
  set_property(GLOBAL APPEND PROPERTY PNEUMA_MODULES ${target})
endfunction()

# pneuma_add_tests(<target> SOURCES <files...> LIBS <...> LABEL <unit|verify|regress>)
# A GoogleTest program whose cases are registered one by one with CTest; the target tests_<label> builds all of a label.
function(pneuma_add_tests target)
  cmake_parse_arguments(ARG "" "LABEL" "SOURCES;LIBS" ${ARGN})
  add_executable(${target} ${ARG_SOURCES})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE pneuma_flags pneuma_test_support ${ARG_LIBS} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${target} PRIVATE
    PNEUMA_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    PNEUMA_PROGRAM="$<TARGET_FILE:pneuma_cli>")
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  pneuma_use_precompiled(${target} test)
  if(ARG_LABEL STREQUAL unit)
    pneuma_use_unity(${target})
  endif()
  if(NOT TARGET tests_${ARG_LABEL})
    add_custom_target(tests_${ARG_LABEL})
  endif()
  add_dependencies(tests_${ARG_LABEL} ${target})
  # A sanitizer makes the longest tests, whole runs that are killed and resumed, ten times longer.
  if(PNEUMA_SANITIZE)
    set(seconds 2400)
  else()
    set(seconds 600)
  endif()
  gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST
    PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${seconds})
endfunction()
