# What `cmake --install` puts where: the program, the documents, and the configuration with every
# default as a sample. The libraries are the program's own, and are not installed.
include(GNUInstallDirs)

install(TARGETS crawlsieve_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES README.md CHANGELOG.md CONTRIBUTING.md LICENSE
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES config/crawlsieve.yaml DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
