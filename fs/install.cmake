# Installs the program and its files, and makes packages of them.
include(GNUInstallDirs)
# A release names its own: CONTRIBUTING.md, "Making a release".
set(PLAINFS_CONTACT "The plainfs authors <plainfs@localhost>" CACHE STRING "the maintainer that packages name")
set(PLAINFS_URL "https://plainfs.invalid/plainfs" CACHE STRING "the page of the sources, as README.md has it")
set(PLAINFS_IMAGE "plainfs.invalid/plainfs" CACHE STRING "the container image that workflows name")
install(TARGETS plainfs RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(PLAINFS_STATIC)
  install(CODE "
    set(plainfs_program \"$<TARGET_FILE:plainfs>\")
    set(plainfs_static \"${PLAINFS_STATIC}\")
    set(plainfs_documents \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}\")
    set(plainfs_version \"${PROJECT_VERSION}\")
    set(plainfs_packages \"${PLAINFS_STATIC_PACKAGES}\")
    include(\"${PROJECT_SOURCE_DIR}/scripts/packaging/static/documents.cmake\")")
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
# Below /usr on Debian, where packages install, its policy wants manuals compressed, one for each helper, and the changes.
install(CODE "
  if(EXISTS /etc/debian_version AND CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
    set(manuals \"\$ENV{DESTDIR}/usr/${CMAKE_INSTALL_DATADIR}/man\")
    file(MAKE_DIRECTORY \"\${manuals}/man8\")
    foreach(helper ${helpers})
      file(WRITE \"\${manuals}/man8/\${helper}.8\" \".so man1/plainfs.1\\n\")
      execute_process(COMMAND gzip -9nf \"\${manuals}/man8/\${helper}.8\" COMMAND_ERROR_IS_FATAL ANY)
      list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"/usr/${CMAKE_INSTALL_DATADIR}/man/man8/\${helper}.8.gz\")
    endforeach()
    execute_process(COMMAND gzip -9nf \"\${manuals}/man1/plainfs.1\" COMMAND_ERROR_IS_FATAL ANY)
    set(documents \"\$ENV{DESTDIR}/usr/${CMAKE_INSTALL_DATADIR}/doc/plainfs\")
    string(TIMESTAMP day \"%a, %d %b %Y %H:%M:%S +0000\" UTC)
    file(WRITE \"\${documents}/changelog\" \"plainfs (${PROJECT_VERSION}) unstable; urgency=medium\\n\\n\"
         \"  * See CHANGELOG.md.\\n\\n -- ${PLAINFS_CONTACT}  \${day}\\n\")
    execute_process(COMMAND gzip -9nf \"\${documents}/changelog\" COMMAND_ERROR_IS_FATAL ANY)
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"/usr/${CMAKE_INSTALL_DATADIR}/doc/plainfs/changelog.gz\")
    list(TRANSFORM CMAKE_INSTALL_MANIFEST_FILES REPLACE \"(man1/plainfs[.]1)\$\" \"\\\\1.gz\")
  endif()")
install(FILES ${PROJECT_SOURCE_DIR}/fs/completion/plainfs.bash
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME plainfs)
install(FILES ${PROJECT_SOURCE_DIR}/fs/completion/plainfs.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
# Installs the pages in the folders by which they link to each other.
foreach(page README.md CHANGELOG.md SECURITY.md CONTRIBUTING.md fs/VIEWS.md fs/READING.md formats/README.md)
  get_filename_component(folder ${page} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/${page} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder})
endforeach()
file(GLOB pages ${PROJECT_SOURCE_DIR}/docs/*.md ${PROJECT_SOURCE_DIR}/docs/*.png)
install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
install(FILES ${PROJECT_SOURCE_DIR}/fs/apparmor/plainfs DESTINATION ${CMAKE_INSTALL_DOCDIR}/apparmor)
# Installs the samples that README.md begins with.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tests/data/samples/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples
        PATTERN make.py EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
# Installs the units of the user's service manager, which only systemd has.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  install(FILES ${PROJECT_SOURCE_DIR}/fs/systemd/plainfs-serve@.service ${PROJECT_SOURCE_DIR}/fs/systemd/plainfs-serve@.socket
          DESTINATION lib/systemd/user)
  # The manager looks for programs in few folders only. An archive does not know its folder.
  install(CODE "
    if(NOT \"\${CMAKE_INSTALL_PREFIX}\" MATCHES \"^/?\$|/_CPack_Packages/\")
      set(unit \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/systemd/user/plainfs-serve@.service\")
      file(READ \"\${unit}\" text)
      string(REPLACE \"ExecStart=plainfs \" \"ExecStart=\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/plainfs \" text \"\${text}\")
      file(WRITE \"\${unit}\" \"\${text}\")
    endif()")
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
set(CPACK_PACKAGE_CONTACT "${PLAINFS_CONTACT}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "mounts scientific array stores as plain files")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "plainfs shows what is in HDF5, AnnData, Zarr, Seurat, NetCDF and other
scientific stores as ordinary files: tables as .csv and .parquet, arrays
as .npy, matrices as .mtx, whole stores as .h5ad or .rds. The files are
generated when they are read and take no space. It mounts a store, copies
it out, or serves it over HTTP.")
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
if(PLAINFS_STATIC)
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "fuse3 | fuse, ca-certificates")
  string(APPEND CPACK_PACKAGE_VERSION "+static")
  set(CPACK_GENERATOR DEB TGZ)
  set(CPACK_PACKAGE_FILE_NAME plainfs-${CPACK_PACKAGE_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
else()
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  if(PLAINFS_FUSE)
    set(CPACK_DEBIAN_PACKAGE_DEPENDS fuse3)
  endif()
endif()
include(CPack)
