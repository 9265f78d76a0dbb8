// The kinds of messages. The daemon asks, and libhdf5's process answers or fails; meanwhile the process may
// put questions about the bytes of files, which only the daemon opens, and each is answered at once. The
// sender knows what comes back, so a message says its kind alone.
//
// clang-format off
//   ask                                     answer, behind u64 bytes that were read by descriptor and u64 bytes of
//                                           memory that the process has for itself, 0 where it cannot tell
//   settings    flag plugins, u64 bytes     text: why it is not confined, or empty
//               of the memory that is shared, whose descriptor comes with it, or 0
//   open        u64 file, text location     OpenedFacts
//   close       u64 file                    nothing
//   objects     u64 file, u64s              each: flag failed, error or object
//   links       u64 file, u64 group         links
//   find_link   u64 file, u64 group, text   optional link
//   attributes  u64 file, u64s              the first ones, or each: flag failed, error or list of attributes
//   attribute   u64 file, u64 object, text  optional attribute
//   read        u64 file, u64 dataset,      flag: the elements, dense, are at the start of the memory that is
//               u64 element size,           shared; else they follow
//               shape origin, shape extent
//   read_chunk  u64 file, u64 dataset,      optional chunk
//               shape origin
//
//   question                                reply, or refused with an error
//   open_source   text location             flag exists, then u64 source, text path, u64 size, u64 fingerprint,
//                                           flag local; with it comes its descriptor
//   descriptor    text location             flag exists; a descriptor
//   read_source   u64 source, u64 offset,   the bytes
//                 u64 size
//   check_source, forget_source  u64 source nothing
// clang-format on
#pragma once

#include <cstdint>

namespace plainfs::hdf5 {

enum class Ask : uint32_t {
  settings = 1,
  open,
  close,
  objects,
  links,
  find_link,
  attributes,
  attribute,
  read,
  read_chunk,
};

enum class Answer : uint32_t { answer = 100, failure, out_of_memory };

enum class Question : uint32_t { open_source = 200, descriptor, read_source, check_source, forget_source };

enum class Reply : uint32_t { reply = 300, refused };

}  // namespace plainfs::hdf5
