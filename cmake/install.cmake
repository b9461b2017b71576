# `cmake --install`: the program, the library with its headers, a CMake package and a pkg-config
# file. Programs use `find_package(hone)` and link hone::hone.
include(CMakePackageConfigHelpers)

install(TARGETS hone EXPORT hone-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS hone_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET hone_mpi)
  install(TARGETS hone_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/hone)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/hone DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")
install(EXPORT hone-targets NAMESPACE hone:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hone)

# Man pages and the completion of shells, from what the program prints: made with `installable`.
if(NOT CMAKE_CROSSCOMPILING)
  set(pages ${PROJECT_BINARY_DIR}/pages)
  find_program(HONE_PYTHON_PROGRAM NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
  find_program(HONE_PYTHON_PROGRAM NAMES python3)
  add_custom_command(OUTPUT ${pages}/hone ${pages}/_hone DEPENDS hone_program
    COMMAND ${CMAKE_COMMAND} -E make_directory ${pages}
    COMMAND hone_program completion bash > ${pages}/hone
    COMMAND hone_program completion zsh > ${pages}/_hone)
  set(made ${pages}/hone ${pages}/_hone)
  if(HONE_PYTHON_PROGRAM)
    set(reference ${PROJECT_SOURCE_DIR}/scripts/site/command_reference.py)
    add_custom_command(OUTPUT ${pages}/man/hone.1 DEPENDS hone_program ${reference}
      COMMAND ${HONE_PYTHON_PROGRAM} -B ${reference} $<TARGET_FILE:hone_program> ${pages}/man)
    list(APPEND made ${pages}/man/hone.1)
  endif()
  add_custom_target(hone_pages DEPENDS ${made})
  set(share ${CMAKE_INSTALL_DATAROOTDIR})
  install(FILES ${pages}/hone DESTINATION ${share}/bash-completion/completions OPTIONAL)
  install(FILES ${pages}/_hone DESTINATION ${share}/zsh/site-functions OPTIONAL)
  install(DIRECTORY ${pages}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL
    FILES_MATCHING PATTERN "*.1")
endif()

configure_package_config_file(cmake/hone-config.cmake.in hone-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hone)
write_basic_package_version_file(hone-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/hone-config.cmake
  ${PROJECT_BINARY_DIR}/hone-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hone)

set(HONE_PC_LIBRARIES ${HDF5_HL_LIBRARIES} ${HDF5_LIBRARIES} ${BZIP2_LIBRARIES} ${CAIRO_LIBRARY}
  ${MUPARSER_LIBRARY})
if(HONE_HAVE_LIBXSMM)
  list(APPEND HONE_PC_LIBRARIES ${LIBXSMM_LIBRARY} ${LIBXSMM_NOBLAS}
    -Wl,--exclude-libs,libxsmmnoblas.a)
endif()
list(JOIN HONE_PC_LIBRARIES " " HONE_PC_LIBRARIES)
# Relative to the file itself: the tree may be installed anywhere.
file(RELATIVE_PATH HONE_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/hone.pc.in hone.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/hone.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
