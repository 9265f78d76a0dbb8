# Included before libraries are looked for if PLAINFS_STATIC is set: finds static ones, first those that
# scripts/packaging/static/libraries built. The program is linked to be placed anywhere in memory, like any other.
if(NOT EXISTS "${PLAINFS_STATIC}/.complete")
  message(FATAL_ERROR "PLAINFS_STATIC: ${PLAINFS_STATIC} was not completed by scripts/packaging/static/libraries")
endif()
list(PREPEND CMAKE_PREFIX_PATH "${PLAINFS_STATIC}")
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(ENV{PKG_CONFIG_PATH} "${PLAINFS_STATIC}/lib/pkgconfig")
set(PKG_CONFIG_ARGN --static)
set(Boost_USE_STATIC_LIBS ON)
set(HDF5_USE_STATIC_LIBRARIES ON)
add_compile_definitions(PLAINFS_STATIC=1)
# The Debian packages of the libraries. The program's documents have the licence of each.
set(PLAINFS_STATIC_PACKAGES
    libaec-dev libblosc-dev libboost-filesystem1.74-dev libbz2-dev libc6-dev libcurl4-openssl-dev libdeflate-dev
    libfmt-dev libfuse3-dev libgcc-12-dev libhdf5-dev libisal-dev liblz4-dev liblzma-dev libsnappy-dev
    libspdlog-dev libssl-dev libstdc++-12-dev libzfp-dev libzstd-dev nlohmann-json3-dev zlib1g-dev)
if(CMAKE_CROSSCOMPILING)
  list(TRANSFORM PLAINFS_STATIC_PACKAGES REPLACE "^lib(c6|gcc-12|stdc[+][+]-12)-dev$" "lib\\1-dev-arm64-cross")
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
endif()
set(PLAINFS_STATIC_VERSIONS "")
foreach(package IN LISTS PLAINFS_STATIC_PACKAGES)
  execute_process(COMMAND dpkg-query -W -f "\${Version}" "${package}" OUTPUT_VARIABLE version COMMAND_ERROR_IS_FATAL ANY)
  string(APPEND PLAINFS_STATIC_VERSIONS "${package} ${version}\n")
endforeach()
# Dependencies of libhdf5, libblosc and libcurl, which the linker reads after them.
set(CMAKE_CXX_STANDARD_LIBRARIES "-lsz -laec -lsnappy -lzstd -llz4 -lssl -lcrypto -lz")
