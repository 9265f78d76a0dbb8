// What the file drivers of this folder have in common.
#pragma once

#include <hdf5.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace plainfs::hdf5 {

// number: from 0, another one for each driver. What the driver does is still to be set.
inline H5FD_class_t driver_class_named(const char* name, [[maybe_unused]] int number) {
  H5FD_class_t driver{};
#if H5_VERSION_GE(1, 13, 2)
  driver.version = H5FD_CLASS_VERSION;
#endif
#if H5_VERSION_GE(1, 13, 0)
  // The first that is not registered, and those behind it.
  driver.value = static_cast<H5FD_class_value_t>(H5_VFD_RESERVED + 256 + number);
#endif
  driver.name = name;
  driver.maxaddr = static_cast<haddr_t>(INT64_MAX);
  constexpr H5FD_mem_t kFreeLists[] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(kFreeLists), std::end(kFreeLists), driver.fl_map);
  return driver;
}

}  // namespace plainfs::hdf5
