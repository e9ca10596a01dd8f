# Peers for the same trees. In a native build there are none: their packages have the baseline
# instruction set, and ours is then timed alone.
include(${PROJECT_SOURCE_DIR}/cmake/PneumaJudges.cmake)
target_link_libraries(bench_skeleton_peers PRIVATE pneuma_scenes_skeleton pneuma_judges)
