// A file on disk while it is being written: beside its target, under a temporary name, which is replaced at
// the end.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

#include "fs/commands/target_folder.h"
#include "fs/text/view_file.h"

namespace plainfs {

// The partial content of a file. All members throw Failure(kNotWritten) if the disk refuses.
class PartFile {
 public:
  // Opens the part `name` in `folder`, or creates it. whole: the path of the finished file, for messages.
  // Throws NameTaken if something else has that name: not a regular file, a file of another user, or one with
  // further hard links.
  PartFile(Descriptor folder, std::string name, std::string whole);
  // Opens a part without creating it. If it is absent, has_file() is false, and no other member may be
  // called.
  static PartFile existing(Descriptor folder, std::string name, std::string whole);
  // Opens or creates an empty part that only this object uses. While it exists, owned() with the same name
  // throws Failure(kNotWritten).
  static PartFile owned(Descriptor folder, std::string name, std::string whole);

  bool has_file() const { return file_.number() >= 0; }
  // Returns whether this object created the file, so that no other process had it before.
  bool is_new() const { return is_new_; }
  uint64_t size() const;
  timespec modified() const;
  // Gives the file that size and, if the file system can, reserves its disk space. Keeps the content up to
  // there.
  void reserve(uint64_t size);
  void write_at(uint64_t offset, const Slices& slices);
  void write_at(uint64_t offset, ByteSpan bytes);
  // Returns fewer bytes than `size` only at the end of the file.
  size_t read_at(uint64_t offset, char* out, size_t size) const;
  void set_time(timespec time);
  // Returns when the data are on disk.
  void flush();
  // Sets the final size, time and name. Throws NameTaken if a directory has that name.
  void finish(uint64_t size, timespec time, const std::string& name);
  // Like finish(), but throws Failure(kNotWritten) if the name is taken.
  void finish_unless_taken(uint64_t size, timespec time, const std::string& name);
  void discard();

 private:
  PartFile(Descriptor folder, std::string name, std::string whole, bool makes_it);
  bool has_own_name() const;
  NameTaken name_taken() const;
  Failure disk_failure() const;

  Descriptor folder_;
  std::string name_;  // until it is finished
  std::string whole_;
  bool is_new_ = false;
  Descriptor file_;
};

// Calls `write`. If it throws, discards the part, unless the disk refused: then another run can resume it.
template <class Write>
void finish_or_discard(PartFile& output, const Write& write) try {
  write();
} catch (const NameTaken&) {
  output.discard();
  throw;
} catch (const Failure&) {
  throw;
} catch (...) {  // an Error, or out of memory
  output.discard();
  throw;
}

// Returns the name of the part of the file at `path`. It is the same for a run that resumes the file, and
// different if the store has changed since. Files of one directory have different names, by 128 bits of
// SHA-256.
std::string part_name(const std::string& path, uint64_t size, timespec time);
// Returns the name of the part of file number `file` in a plan, which grows at many places. plan:
// ExportPlan::id.
std::string planned_part_name(const std::string& plan, size_t file);
// Returns whether the name could be that of a part. A store's file with such a name is not exported, as it
// could replace another file's part.
bool is_part_name(std::string_view name);

// Returns 128 bits of the SHA-256 of `text` in hexadecimal digits.
std::string short_digest(std::string_view text);

}  // namespace plainfs
