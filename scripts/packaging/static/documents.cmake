# Runs while a program that is linked statically is installed: writes the licences of its libraries, and the list of
# their packages (SPDX), among the documents. Requires: plainfs_program, plainfs_static, plainfs_documents,
# plainfs_version, plainfs_packages.
set(documents "$ENV{DESTDIR}${plainfs_documents}")

# Each library that the linker read is from one of these packages, or was built from the source of one.
file(STRINGS "${plainfs_program}.map" read REGEX "^LOAD /.*[.]a$")
set(libraries "")
set(names "")
foreach(line IN LISTS read)
  string(REGEX REPLACE "^LOAD " "" library "${line}")
  string(FIND "${library}" "${plainfs_static}/" own)
  if(own EQUAL 0)
    continue()
  endif()
  file(REAL_PATH "${library}" library)
  string(REGEX REPLACE "^/usr" "" older "${library}")  # as packages name it that know no merged /usr
  list(APPEND libraries "${library}")
  list(APPEND names "${library}" "${older}")
endforeach()
list(REMOVE_DUPLICATES libraries)
list(REMOVE_DUPLICATES names)
execute_process(COMMAND dpkg-query -S ${names} OUTPUT_VARIABLE owners ERROR_QUIET)
string(REPLACE "\n" ";" owners "${owners}")
foreach(library IN LISTS libraries)
  string(REGEX REPLACE "^/usr" "" older "${library}")
  set(owner "")
  foreach(line IN LISTS owners)  # PACKAGE[:ARCHITECTURE]: PATH
    string(REGEX MATCH "^([a-z0-9.+-]+)(:[a-z0-9]+)?: (/.*)$" matched "${line}")
    if(matched AND (CMAKE_MATCH_3 STREQUAL library OR CMAKE_MATCH_3 STREQUAL older))
      set(owner "${CMAKE_MATCH_1}")
    endif()
  endforeach()
  list(FIND plainfs_packages "${owner}" place)
  if(place LESS 0)  # a cross linker takes some from the package that its own one is made of
    list(FIND plainfs_packages "${owner}-arm64-cross" place)
  endif()
  if(place LESS 0)
    message(FATAL_ERROR "${library}: from the package '${owner}', which scripts/packaging/static/static.cmake does not list")
  endif()
endforeach()

string(TIMESTAMP created "%Y-%m-%dT%H:%M:%SZ" UTC)  # SOURCE_DATE_EPOCH, if it is set
set(spdx "SPDXVersion: SPDX-2.3
DataLicense: CC0-1.0
SPDXID: SPDXRef-DOCUMENT
DocumentName: plainfs-${plainfs_version}-libraries
DocumentNamespace: https://spdx.org/spdxdocs/plainfs-${plainfs_version}-${created}
Creator: Tool: plainfs-package
Created: ${created}

PackageName: plainfs
SPDXID: SPDXRef-plainfs
PackageVersion: ${plainfs_version}
PackageDownloadLocation: NOASSERTION
FilesAnalyzed: false
Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-plainfs
")
foreach(package IN LISTS plainfs_packages)
  execute_process(COMMAND dpkg-query -W -f "\${Version} \${source:Package} \${source:Version}" "${package}"
                  OUTPUT_VARIABLE facts COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE " " ";" facts "${facts}")
  list(GET facts 0 version)
  list(GET facts 1 source)
  list(GET facts 2 source_version)
  string(REGEX REPLACE "[^A-Za-z0-9.-]" "-" id "${package}")
  string(APPEND spdx "
PackageName: ${package}
SPDXID: SPDXRef-${id}
PackageVersion: ${version}
PackageDownloadLocation: https://snapshot.debian.org/package/${source}/${source_version}/
FilesAnalyzed: false
PackageLicenseConcluded: NOASSERTION
PackageLicenseDeclared: NOASSERTION
PackageLicenseComments: see libraries/${package}
PackageCopyrightText: NOASSERTION
Relationship: SPDXRef-plainfs STATIC_LINK SPDXRef-${id}
")
  file(INSTALL "/usr/share/doc/${package}/copyright" RENAME "${package}" DESTINATION "${plainfs_documents}/libraries")
endforeach()
file(WRITE "${documents}/libraries.spdx" "${spdx}")
list(APPEND CMAKE_INSTALL_MANIFEST_FILES "${plainfs_documents}/libraries.spdx")
