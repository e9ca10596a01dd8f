# Included by CTest before it runs. Registers a GoogleTest program as one test (units) or as one test for each of its suites: cases of a
# suite share the bodies and runs that they look at, which alone halves the time of all tests. Needs `program`, `name`, `label`, `cost` and `seconds`.
function(pneuma_register test filter)
  add_test("${test}" "${program}" "--gtest_filter=${filter}" --gtest_brief=1)
  set_tests_properties("${test}" PROPERTIES LABELS "${label}" TIMEOUT "${seconds}" COST "${cost}" SKIP_RETURN_CODE 77)
endfunction()

if(label STREQUAL "unit" OR NOT EXISTS "${program}") # a program that was not built fails by its name
  pneuma_register("${name}" "*")
  return()
endif()
# The program is asked once for its suites; the answer is kept beside it.
if(NOT EXISTS "${program}.suites" OR "${program}" IS_NEWER_THAN "${program}.suites")
  execute_process(COMMAND "${program}" --gtest_list_tests OUTPUT_VARIABLE listed)
  string(REGEX MATCHALL "\n[^ \n]+\\." suites "\n${listed}")
  list(TRANSFORM suites STRIP)
  file(WRITE "${program}.suites" "${suites}")
endif()
file(READ "${program}.suites" suites)
foreach(suite IN LISTS suites)
  string(REGEX REPLACE "\\.$" "" test "${suite}")
  pneuma_register("${name}.${test}" "${suite}*")
endforeach()
