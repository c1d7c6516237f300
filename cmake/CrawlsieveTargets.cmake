# How every library, program and test of the project is declared.

add_library(crawlsieve_build_flags INTERFACE)
target_compile_features(crawlsieve_build_flags INTERFACE cxx_std_20)
target_compile_options(crawlsieve_build_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual
  -Wconversion -Wno-sign-conversion
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>
  # g++ 12 warns of `"literal" + string` at -O3 without cause (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  # ... and takes the string of an empty std::optional for one that is read (GCC bug 80635).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-maybe-uninitialized>
  # ... and takes a source that another file includes for a header.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${CRAWLSIEVE_TOGETHER}>>:-Wno-subobject-linkage>
  $<$<BOOL:${CRAWLSIEVE_WERROR}>:-Werror>)
# Some libraries ask for it, and precompiled headers fit to those with it or without.
target_compile_options(crawlsieve_build_flags INTERFACE -pthread)
if(CRAWLSIEVE_SANITIZE)
  target_compile_options(crawlsieve_build_flags INTERFACE
    -fsanitize=${CRAWLSIEVE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(crawlsieve_build_flags INTERFACE -fsanitize=${CRAWLSIEVE_SANITIZE})
endif()
if(CRAWLSIEVE_FUZZ)
  target_compile_options(crawlsieve_build_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# crawlsieve_compile_together(VARIABLE target sources...)
# sets VARIABLE to what is compiled of a target's sources: with CRAWLSIEVE_TOGETHER, files that have
# several in them, which takes a fraction of the time. cmake/source_groups.py makes them, anew when
# a source changes. Sources with flags of their own stay alone; these are to be set before.
function(crawlsieve_compile_together variable target)
  set(compiled ${ARGN})
  if(CRAWLSIEVE_TOGETHER)
    set(sources)
    foreach(source IN LISTS ARGN)
      get_source_file_property(definitions ${source} COMPILE_DEFINITIONS)
      get_source_file_property(options ${source} COMPILE_OPTIONS)
      get_source_file_property(alone ${source} SKIP_UNITY_BUILD_INCLUSION)
      # Those with a whole path are generated, or another room's.
      if(source MATCHES "^[^/].*\\.cc$" AND NOT definitions AND NOT options AND NOT alone)
        list(APPEND sources ${source})
      endif()
    endforeach()
    find_program(CRAWLSIEVE_DEBIAN_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH REQUIRED)
    set(finder ${CMAKE_SOURCE_DIR}/cmake/source_groups.py)
    execute_process(COMMAND ${CRAWLSIEVE_DEBIAN_PYTHON} -B -I -S ${finder} 12 ${CMAKE_SOURCE_DIR}
        ${CMAKE_BINARY_DIR} ${CMAKE_CURRENT_BINARY_DIR}/together/${target}_ ${sources}
      WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE files
      OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    string(REPLACE "\n" ";" files "${files}")
    foreach(source file IN ZIP_LISTS sources files)
      if(NOT file STREQUAL "alone")
        list(REMOVE_ITEM compiled ${source})
        list(APPEND together ${file})
      endif()
    endforeach()
    list(REMOVE_DUPLICATES together)
    list(APPEND compiled ${together})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${finder} ${sources})
  endif()
  set(${variable} ${compiled} PARENT_SCOPE)
endfunction()

# crawlsieve_precompile(target)
# has the headers that most sources include compiled once for all: with CRAWLSIEVE_TOGETHER, and with
# clang, which then takes a quarter to half less time for a source; g++ gains a tenth. Call it when
# the target has all its options.
function(crawlsieve_precompile target)
  if(NOT CRAWLSIEVE_TOGETHER OR NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    return()
  endif()
  # What is compiled with other options can't use them.
  get_target_property(options ${target} COMPILE_OPTIONS)
  list(FILTER options INCLUDE REGEX "^-O")
  set(precompiled crawlsieve_precompiled${options})
  if(NOT TARGET ${precompiled})
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled.cc CONTENT "")
    add_library(${precompiled} OBJECT ${CMAKE_BINARY_DIR}/precompiled.cc)
    # Without a time in it, ccache finds what was compiled with it.
    target_compile_options(${precompiled} PRIVATE ${options} "SHELL:-Xclang -fno-pch-timestamp")
    target_precompile_headers(${precompiled} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/precompiled.h)
    target_link_libraries(${precompiled}
      PRIVATE fmt::fmt nlohmann_json::nlohmann_json GTest::gmock crawlsieve_build_flags)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${precompiled})
endfunction()

# crawlsieve_library(NAME index SRCS a.cc b.cc [DEPS public...] [PRIVATE_DEPS private...])
# makes the library crawlsieve_index with the alias crawlsieve::index.
function(crawlsieve_library)
  cmake_parse_arguments(ARG "" "NAME" "SRCS;DEPS;PRIVATE_DEPS" ${ARGN})
  set(target crawlsieve_${ARG_NAME})
  crawlsieve_compile_together(compiled ${target} ${ARG_SRCS})
  add_library(${target} STATIC ${compiled})
  add_library(crawlsieve::${ARG_NAME} ALIAS ${target})
  file(RELATIVE_PATH room ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  if(CRAWLSIEVE_SANITIZE AND room MATCHES "^(plugin|extract)(/|$)")
    # What tests run millions of times is here. All else has the preset's flags, which ask for no
    # optimisation: clang takes three times as long for it with sanitizers.
    target_compile_options(${target} PRIVATE -O1)
  endif()
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(${target}
    PUBLIC ${ARG_DEPS}
    PRIVATE crawlsieve_build_flags ${ARG_PRIVATE_DEPS})
  crawlsieve_precompile(${target})
endfunction()

# crawlsieve_use_tcmalloc(program)
# has a program take its memory from tcmalloc (docs/decisions/0035), but not in the builds with
# sanitizers, which have an allocator of their own.
function(crawlsieve_use_tcmalloc target)
  if(NOT CRAWLSIEVE_SANITIZE)
    target_link_libraries(${target} PRIVATE PkgConfig::TCMALLOC)
  endif()
endfunction()

# crawlsieve_test(NAME index SRCS a_test.cc... DEPS libs... [LABELS unit] [TIMEOUT seconds]
#                 [ONE_PROCESS] [PARTS name=filter...] [BY_REQUEST filter])
# makes one GoogleTest program and registers each of its tests with ctest; with ONE_PROCESS the
# program as a whole, because its tests share something that takes long to make; PARTS of it, with a
# filter of GoogleTest's each, run in processes of their own, and the program has what is left.
# Tests BY_REQUEST need something that a script fetches, and that script runs them.
function(crawlsieve_test)
  cmake_parse_arguments(ARG "ONE_PROCESS" "NAME;TIMEOUT;BY_REQUEST" "SRCS;DEPS;LABELS;PARTS" ${ARGN})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  if(CRAWLSIEVE_SANITIZE)
    # Which make a test several times as slow.
    math(EXPR ARG_TIMEOUT "2 * ${ARG_TIMEOUT}")
  endif()
  set(target ${ARG_NAME}_test)
  crawlsieve_compile_together(compiled ${target} ${ARG_SRCS})
  add_executable(${target} ${compiled})
  if(CMAKE_BUILD_TYPE STREQUAL RelWithDebInfo AND NOT CRAWLSIEVE_SANITIZE)
    # For tests -O2 takes the compiler half as long again, and most of them run for a moment.
    target_compile_options(${target} PRIVATE -O1)
  endif()
  target_link_libraries(${target} PRIVATE ${ARG_DEPS} GTest::gmock GTest::gtest_main
                                          crawlsieve_build_flags)
  crawlsieve_precompile(${target})
  if(ARG_ONE_PROCESS)
    set(tests ${target})
    set(of_parts)
    set(rest)
    foreach(part IN LISTS ARG_PARTS)
      if(NOT part MATCHES "^([^=]+)=(.+)$")
        message(FATAL_ERROR "${target}: ${part} is no name=filter")
      endif()
      set(filter ${CMAKE_MATCH_2})
      list(APPEND tests ${CMAKE_MATCH_1}_test)
      list(APPEND of_parts ${filter})
      add_test(NAME ${CMAKE_MATCH_1}_test COMMAND ${target} --gtest_filter=${filter})
      # A suite that was renamed is in no part any more.
      set_tests_properties(${CMAKE_MATCH_1}_test PROPERTIES FAIL_REGULAR_EXPRESSION "Running 0 tests")
    endforeach()
    if(of_parts)
      list(JOIN of_parts ":" of_parts)
      set(rest --gtest_filter=-${of_parts})
    endif()
    add_test(NAME ${target} COMMAND ${target} ${rest})
    # What may take longest begins first, so that it isn't alone at the end.
    set_tests_properties(${tests} PROPERTIES
      LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT} COST ${ARG_TIMEOUT})
  else()
    set(filter)
    if(ARG_BY_REQUEST)
      set(filter TEST_FILTER "-${ARG_BY_REQUEST}")
    endif()
    gtest_discover_tests(${target}
      ${filter}
      DISCOVERY_MODE PRE_TEST
      DISCOVERY_TIMEOUT 60
      PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT})
  endif()
endfunction()

# crawlsieve_fuzz_target(NAME fuzz_html SRCS fuzz_html.cc [DEPS libs...])
# makes a replay program that runs LLVMFuzzerTestOneInput over each file in corpus/<NAME>/ and is
# a test in every build; with CRAWLSIEVE_FUZZ (clang only) also the fuzzer itself.
function(crawlsieve_fuzz_target)
  cmake_parse_arguments(ARG "" "NAME" "SRCS;DEPS" ${ARGN})
  set(replay ${ARG_NAME}_replay)
  add_executable(${replay} ${ARG_SRCS})
  target_link_libraries(${replay} PRIVATE ${ARG_DEPS} crawlsieve_replay_main crawlsieve_build_flags)
  add_test(NAME fuzz.${ARG_NAME}
           COMMAND ${replay} ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${ARG_NAME})
  set_tests_properties(fuzz.${ARG_NAME} PROPERTIES LABELS fuzz TIMEOUT 120)
  if(CRAWLSIEVE_FUZZ)
    add_executable(${ARG_NAME} ${ARG_SRCS})
    target_link_libraries(${ARG_NAME} PRIVATE ${ARG_DEPS} crawlsieve_build_flags)
    target_link_options(${ARG_NAME} PRIVATE -fsanitize=fuzzer)
  endif()
endfunction()
