# Installs the program, the libraries and the headers, and a package for find_package(pneuma CONFIG).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(modules GLOBAL PROPERTY PNEUMA_MODULES)
add_library(pneuma INTERFACE)
add_library(pneuma::pneuma ALIAS pneuma)
target_link_libraries(pneuma INTERFACE ${modules})
target_compile_features(pneuma INTERFACE cxx_std_20)

foreach(target IN LISTS modules)
  string(REPLACE "pneuma_" "" short ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${short})
endforeach()
install(TARGETS ${modules} pneuma pneuma_suitesparse EXPORT pneumaTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS pneuma_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/pneuma DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(DIRECTORY data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/pneuma/data)
# The page that `pneuma studio` serves, where it was built (scripts/studio.sh).
install(FILES ${PROJECT_SOURCE_DIR}/build/studio/studio.html DESTINATION ${CMAKE_INSTALL_DATADIR}/pneuma/data OPTIONAL)
install(FILES LICENSE NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(EXPORT pneumaTargets NAMESPACE pneuma:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pneuma)

configure_package_config_file(cmake/pneumaConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/pneumaConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pneuma)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/pneumaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/pneumaConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/pneumaConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pneuma)
