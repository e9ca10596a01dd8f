include(${PROJECT_SOURCE_DIR}/cmake/PneumaJudges.cmake)
target_link_libraries(bench_control PRIVATE pneuma_judges)
