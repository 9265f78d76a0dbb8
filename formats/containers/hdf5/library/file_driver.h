// A file driver of libhdf5 that reads through Sources. The library thus opens no path by itself: neither the
// requested file nor the sources of its virtual datasets. Read-only.
#pragma once

#include <hdf5.h>

#include "formats/core/base/sources.h"

namespace plainfs::hdf5 {

// Sets the driver in the access properties `access`. Files opened with them, and files that the library opens
// because of them, come from sources. Two names of one file are one file to the library. A file that was
// rewritten is another one. Requires: the library's lock is held; sources outlives all these files.
void read_through(Sources& sources, hid_t access);

// Returns how often reading this file has failed. After a failure the library's state of a file cannot be
// trusted: it keeps headers of which it could not read other parts, and buffers that were never filled. When
// the file is opened again, the library treats it as another one. Requires: the library's lock is held.
uint64_t times_failed(const File& file);

// Keeps the exception that is being handled for the functions below. For functions of a driver, which must
// not throw. Requires: the library's lock is held.
void keep_driver_error() noexcept;

// Throws the first exception that a driver met while the library read or opened files, since one of these
// three functions was last called. The library itself only knows that something failed. It also skips sources
// of a virtual dataset that it cannot open. Requires: the library's lock is held.
void throw_driver_error();
// Throws that exception only if it is transient (formats/core/base/error.h).
void throw_passing_driver_error();
// Drops that exception. Call it before a call of the library, to separate its errors from those of earlier
// calls that succeeded without the data they could not read.
void forget_driver_error();

// Returns the common part of this folder's drivers. The caller sets the functions. number: from 0, unique to
// each driver.
H5FD_class_t driver_class_named(const char* name, int number);

}  // namespace plainfs::hdf5
