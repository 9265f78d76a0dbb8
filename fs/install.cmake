# Installs the program and its files, and makes packages of them.
include(GNUInstallDirs)
# A portable program lies beside the libraries that not every system has by the same name: all but the C and C++ run-time, for which it
# wants those of this system or newer. It finds them wherever their folder is (DT_RPATH, which counts for the libraries' own libraries too).
if(PLAINFS_PORTABLE)
  set(libraries lib/plainfs)
  target_link_options(plainfs PRIVATE -Wl,--disable-new-dtags)
  set_target_properties(plainfs PROPERTIES INSTALL_RPATH "\$ORIGIN")
  install(TARGETS plainfs RUNTIME_DEPENDENCY_SET dependencies RUNTIME DESTINATION ${libraries})
  install(RUNTIME_DEPENDENCY_SET dependencies
          PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|resolv|stdc\\+\\+|gcc_s)\\.so" LIBRARY DESTINATION ${libraries})
  install(CODE "
    file(MAKE_DIRECTORY \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
    file(CREATE_LINK ../${libraries}/plainfs \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/plainfs\" SYMBOLIC)
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/plainfs\")
    # Copies the licence of each library, if the system knows its package.
    file(GLOB carried \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${libraries}/*.so*\")
    foreach(library \${carried})
      get_filename_component(name \${library} NAME)
      execute_process(COMMAND dpkg-query -S \"*/\${name}\" OUTPUT_VARIABLE owner ERROR_QUIET)
      if(owner MATCHES \"^([a-z0-9.+-]+)\")
        file(INSTALL /usr/share/doc/\${CMAKE_MATCH_1}/copyright RENAME \${CMAKE_MATCH_1}
             DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}/libraries\")
      endif()
    endforeach()")
else()
  install(TARGETS plainfs RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
# mount(8) looks for these in /sbin.
set(helpers mount.plainfs mount.fuse.plainfs)
if(NOT PLAINFS_FUSE)
  set(helpers)
endif()
foreach(helper ${helpers})
  install(CODE "
    file(MAKE_DIRECTORY \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_SBINDIR}\")
    file(CREATE_LINK ../${CMAKE_INSTALL_BINDIR}/plainfs
         \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_SBINDIR}/${helper}\" SYMBOLIC)
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_SBINDIR}/${helper}\")")
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/fs/man/plainfs.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_SOURCE_DIR}/fs/completion/plainfs.bash
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME plainfs)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/fs/VIEWS.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
file(GLOB pages ${PROJECT_SOURCE_DIR}/docs/*.md ${PROJECT_SOURCE_DIR}/docs/*.png)
install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
# Installs the samples that README.md begins with.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tests/data/samples/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples
        PATTERN make.py EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
# Installs the units of the user's service manager, which only systemd has.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  install(FILES ${PROJECT_SOURCE_DIR}/fs/systemd/plainfs-serve@.service ${PROJECT_SOURCE_DIR}/fs/systemd/plainfs-serve@.socket
          DESTINATION lib/systemd/user)
endif()
# Debian's zsh looks below /usr in vendor-completions only, and below /usr/local in site-functions only.
install(CODE "
  set(folder site-functions)
  if(EXISTS /etc/debian_version AND CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
    set(folder vendor-completions)
  endif()
  file(INSTALL \"${PROJECT_SOURCE_DIR}/fs/completion/_plainfs\"
       DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/zsh/\${folder}\")")

# Takes away what `cmake --install` put there, by its list.
add_custom_target(uninstall
  COMMAND ${CMAKE_COMMAND} -D MANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt -D
          DOCUMENTS=${CMAKE_INSTALL_FULL_DOCDIR} -P ${PROJECT_SOURCE_DIR}/fs/uninstall.cmake)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME plainfs)
set(CPACK_PACKAGE_CONTACT "The plainfs authors <plainfs@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "mounts scientific array stores as plain files")
# "0.1.0+git202611261015.3d7af43": to apt a later commit is an upgrade. The commit with the tag v0.1.0 is "0.1.0".
set(its_commit "")
if(GIT_FOUND AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
  execute_process(COMMAND ${GIT_EXECUTABLE} log -1 --format=+git%cd.%h --abbrev=7 --date=format:%Y%m%d%H%M
                  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE its_commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND ${GIT_EXECUTABLE} describe --tags --exact-match --match v${PROJECT_VERSION}
                  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(status EQUAL 0)
    set(its_commit "")
  endif()
endif()
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}${its_commit}")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(depends)
if(PLAINFS_FUSE)
  list(APPEND depends fuse3)
endif()
if(PLAINFS_PORTABLE)
  string(APPEND CPACK_PACKAGE_VERSION "+portable")
  set(CPACK_GENERATOR DEB TGZ)
  set(CPACK_PACKAGE_FILE_NAME plainfs-${CPACK_PACKAGE_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
  execute_process(COMMAND getconf GNU_LIBC_VERSION OUTPUT_VARIABLE libc OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REGEX REPLACE "[^0-9.]" "" libc "${libc}")
  string(REGEX REPLACE "[.].*" "" compiler "${CMAKE_CXX_COMPILER_VERSION}")
  list(APPEND depends "libc6 (>= ${libc})" "libstdc++6 (>= ${compiler})" libgcc-s1 ca-certificates)
else()
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
list(JOIN depends ", " CPACK_DEBIAN_PACKAGE_DEPENDS)
include(CPack)
