# The same torso with the rigid part in ODE, as the paper had it.
find_package(ode CONFIG QUIET)
find_library(ODE_LIBRARY ode)
if(ODE_LIBRARY)
  target_link_libraries(bench_torso PRIVATE ${ODE_LIBRARY})
  target_compile_definitions(bench_torso PRIVATE PNEUMA_HAS_ODE)
endif()
