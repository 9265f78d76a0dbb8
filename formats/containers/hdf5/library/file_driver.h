// A file driver of libhdf5 that reads through Sources, so that the library opens no path by itself: neither
// the file that it is asked for nor the sources of its virtual datasets. Read-only.
#pragma once

#include <hdf5.h>

#include "formats/core/base/sources.h"

namespace plainfs::hdf5 {

// Files that are opened with these access properties, and those that the library opens because of them, come
// from sources, which outlives them. Two names of one file are one file to the library; a file that was
// rewritten is another. Requires: the library's lock is held.
void read_through(Sources& sources, hid_t access);

// How often reading this file has failed. What the library holds of a file after that is not to be believed:
// it keeps headers whose other parts it could not read, and buffers that were never filled. Opened anew, the
// file is another one to it. Requires: the library's lock is held.
uint64_t times_failed(const File& file);

// Keeps the exception that is being handled for what follows: for a function of a driver, through which
// nothing may be thrown. Requires: the library's lock is held.
void keep_driver_error() noexcept;

// Throws the first thing that was thrown while the library read or opened through a driver since one of these
// three was called, if any. The library itself only knows that something failed, and passes over a source
// of a virtual dataset that cannot be opened. Requires: the library's lock is held.
void throw_driver_error();
// The same only for what may pass (formats/core/base/error.h).
void throw_passing_driver_error();
// Before a call whose errors are to be told from those of calls that did without what they could not read.
void forget_driver_error();

// What the drivers of this folder have in common; what each does is still to be set. number: from 0, another
// one for each.
H5FD_class_t driver_class_named(const char* name, int number);

}  // namespace plainfs::hdf5
