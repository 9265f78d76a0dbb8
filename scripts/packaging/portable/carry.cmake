# Runs while a portable program is installed: copies its libraries and their loader into its folder, and among the
# documents the licences, and lists of the packages that they are from. Requires: plainfs_program, plainfs_folder,
# plainfs_documents, plainfs_version.
set(folder "$ENV{DESTDIR}${plainfs_folder}")
set(documents "$ENV{DESTDIR}${plainfs_documents}")

# libgcc_s is also loaded by name, when a thread ends.
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES "${plainfs_program}" RESOLVED_DEPENDENCIES_VAR found)
set(versions "")
set(packages "")
foreach(library IN LISTS found)
  get_filename_component(name "${library}" NAME)
  if(name MATCHES "^ld(-linux|64|[.])")
    set(name loader)
  endif()
  file(REAL_PATH "${library}" file)
  file(COPY_FILE "${file}" "${folder}/${name}")
  file(CHMOD "${folder}/${name}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  list(APPEND CMAKE_INSTALL_MANIFEST_FILES "${plainfs_folder}/${name}")

  # Asks the system for the package. The path that it knows may begin with /lib in place of /usr/lib.
  string(REGEX REPLACE "^/usr" "" older "${file}")
  execute_process(COMMAND dpkg-query -S "${file}" "${older}" OUTPUT_VARIABLE owner ERROR_QUIET)
  if(owner MATCHES "^([a-z0-9.+-]+)")
    list(APPEND packages "${CMAKE_MATCH_1}")
  endif()
endforeach()
list(REMOVE_DUPLICATES packages)
list(SORT packages)

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
foreach(package IN LISTS packages)
  execute_process(COMMAND dpkg-query -W -f "\${Version} \${source:Package} \${source:Version}" "${package}"
                  OUTPUT_VARIABLE facts ERROR_QUIET)
  string(REPLACE " " ";" facts "${facts}")
  list(GET facts 0 version)
  list(GET facts 1 source)
  list(GET facts 2 source_version)
  string(APPEND versions "${package} ${version}\n")
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
Relationship: SPDXRef-plainfs DYNAMIC_LINK SPDXRef-${id}
")
  file(INSTALL "/usr/share/doc/${package}/copyright" RENAME "${package}" DESTINATION "${plainfs_documents}/libraries")
endforeach()
file(WRITE "${folder}/versions" "${versions}")
file(WRITE "${documents}/libraries.spdx" "${spdx}")
list(APPEND CMAKE_INSTALL_MANIFEST_FILES "${plainfs_folder}/versions" "${plainfs_documents}/libraries.spdx")
if(CMAKE_INSTALL_DO_STRIP)
  execute_process(COMMAND strip "${folder}/program" COMMAND_ERROR_IS_FATAL ANY)
endif()
