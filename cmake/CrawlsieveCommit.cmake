# Included by a CMakeLists.txt, this adds the library crawlsieve::commit (consumer/commit.h).
# Run with -P in every build, it writes the library's source. The file is only touched when the
# commit changes, and nothing but it is compiled then.
if(CMAKE_SCRIPT_MODE_FILE)
  set(COMMIT unknown)
  # A repository above the source tree isn't ours.
  get_filename_component(above ${SOURCE_DIR} DIRECTORY)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env GIT_CEILING_DIRECTORIES=${above} GIT_OPTIONAL_LOCKS=0
            git describe --always --dirty --abbrev=12 --exclude=*
    WORKING_DIRECTORY ${SOURCE_DIR}
    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET
    RESULT_VARIABLE result)
  if(result EQUAL 0 AND described MATCHES "^[0-9a-f]+(-dirty)?$")
    set(COMMIT ${described})
  elseif(DEFINED ENV{CRAWLSIEVE_COMMIT})  # a copy of the tree without history: script/package
    set(COMMIT $ENV{CRAWLSIEVE_COMMIT})
  endif()
  configure_file(${SOURCE_DIR}/consumer/commit.cc.in ${OUTPUT} @ONLY)
  return()
endif()

set(commit_source ${CMAKE_BINARY_DIR}/consumer/commit.cc)
add_custom_target(crawlsieve_commit_source
  COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${CMAKE_SOURCE_DIR} -DOUTPUT=${commit_source}
          -P ${CMAKE_CURRENT_LIST_FILE}
  BYPRODUCTS ${commit_source}
  COMMENT "Looking up the commit")
crawlsieve_library(NAME commit SRCS ${commit_source})
add_dependencies(crawlsieve_commit crawlsieve_commit_source)
