include(${PROJECT_SOURCE_DIR}/cmake/PneumaJudges.cmake)
target_link_libraries(bench_skeleton_muscles PRIVATE pneuma_scenes_muscle pneuma_judges)
