# Options are shown only when Pneuma is the top-level project.
include(CMakeDependentOption)
cmake_dependent_option(PNEUMA_BUILD_TESTS "Build the test suites" ON "PROJECT_IS_TOP_LEVEL" OFF)
cmake_dependent_option(PNEUMA_BUILD_BENCH "Build the benchmarks" OFF "PROJECT_IS_TOP_LEVEL" OFF)
cmake_dependent_option(PNEUMA_BUILD_FUZZ "Build the libFuzzer targets (clang)" OFF "PROJECT_IS_TOP_LEVEL" OFF)
cmake_dependent_option(PNEUMA_BUILD_PYTHON "Build the Python package, where pybind11 and NumPy are installed" ON "PROJECT_IS_TOP_LEVEL" OFF)
cmake_dependent_option(PNEUMA_WARNINGS_AS_ERRORS "Fail on any warning" ON "PROJECT_IS_TOP_LEVEL" OFF)
option(PNEUMA_PRECOMPILE "Precompile the headers that nearly every file includes" OFF)
option(PNEUMA_UNITY "Compile the files of a target two dozen at a time: a first build in half the time, a changed file in more" OFF)
option(PNEUMA_NATIVE "Compile for this machine's instruction set (-march=native)" OFF)
set(PNEUMA_SANITIZE "" CACHE STRING "Sanitizers, as given to -fsanitize= (e.g. address,undefined)")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# pneuma_use_unity(<target>): with PNEUMA_UNITY a target's files are compiled two dozen at a time and share what they include and
# instantiate. A file must therefore not give a name of its unnamed namespace another meaning than its neighbours do.
function(pneuma_use_unity target)
  if(PNEUMA_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 24)
    # GCC takes every file of a batch for a header.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# pneuma_optimise_lightly(<target>): for code that only calls the libraries, as programs and tests do. What is measured and
# simulated lies in them and keeps -O3; compiling the calls takes less.
function(pneuma_optimise_lightly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# Rebuilds of an unchanged file cost nothing where ccache is installed.
find_program(PNEUMA_CCACHE ccache)
if(PNEUMA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # It must be told that a precompiled header stands for its content.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${PNEUMA_CCACHE})
endif()

# One interface target carries our flags to our own code only, never to a user of the library.
add_library(pneuma_flags INTERFACE)
target_compile_options(pneuma_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual
  # Designated initialisers may leave the rest at its default; GCC 12 sees ghosts in std::string and Eigen.
  -Wno-missing-field-initializers
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds> $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>
  # The same bits everywhere: no fused multiply-add contraction behind our back.
  -ffp-contract=off
  $<$<BOOL:${PNEUMA_WARNINGS_AS_ERRORS}>:-Werror>
  $<$<BOOL:${PNEUMA_NATIVE}>:-march=native>)
if(PNEUMA_SANITIZE)
  add_compile_options(-fsanitize=${PNEUMA_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${PNEUMA_SANITIZE})
endif()
