# Third-party packages, all from Debian 12. scripts/deps.sh installs them.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(TBB REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(assimp REQUIRED)
find_package(embree 3 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(PNG REQUIRED)
find_package(Threads REQUIRED)

# OpenVDB's find module lives in its own folder.
list(APPEND CMAKE_MODULE_PATH /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/cmake/OpenVDB)
find_package(OpenVDB REQUIRED)

# CHOLMOD, the sparse Cholesky of SuiteSparse (no CMake package in Debian 12).
find_path(CHOLMOD_INCLUDE_DIR cholmod.h PATH_SUFFIXES suitesparse REQUIRED)
find_library(CHOLMOD_LIBRARY cholmod REQUIRED)
add_library(pneuma_cholmod INTERFACE)
target_include_directories(pneuma_cholmod SYSTEM INTERFACE $<BUILD_INTERFACE:${CHOLMOD_INCLUDE_DIR}>)
target_link_libraries(pneuma_cholmod INTERFACE ${CHOLMOD_LIBRARY})
