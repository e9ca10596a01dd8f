# Third-party packages, all from Debian 12. scripts/deps.sh installs them.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(TBB REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
if(PNEUMA_BUILD_TESTS OR PNEUMA_BUILD_BENCH)
  find_package(assimp REQUIRED) # a judge of our files, and what DART needs
else()
  find_package(assimp QUIET) # reads FBX characters; without it they are refused
endif()
find_package(embree 3 REQUIRED)
find_package(meshoptimizer REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(PNG REQUIRED)
find_package(JPEG REQUIRED)
find_package(Threads REQUIRED)

# OpenVDB's find module lives in its own folder.
list(APPEND CMAKE_MODULE_PATH /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/cmake/OpenVDB)
find_package(OpenVDB REQUIRED)

# SuiteSparse: sparse Cholesky (CHOLMOD) and LU (KLU). Debian 12 ships no CMake package for it.
find_path(SUITESPARSE_INCLUDE_DIR cholmod.h PATH_SUFFIXES suitesparse REQUIRED)
find_library(CHOLMOD_LIBRARY cholmod REQUIRED)
find_library(KLU_LIBRARY klu REQUIRED)
add_library(pneuma_suitesparse INTERFACE)
target_include_directories(pneuma_suitesparse SYSTEM INTERFACE $<BUILD_INTERFACE:${SUITESPARSE_INCLUDE_DIR}>)
target_link_libraries(pneuma_suitesparse INTERFACE ${CHOLMOD_LIBRARY} ${KLU_LIBRARY})
