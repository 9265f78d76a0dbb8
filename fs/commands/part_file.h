// A file on disk while it is written: beside its target, under a temporary name, which the finished file
// loses.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

#include "fs/commands/target_folder.h"
#include "fs/text/view_file.h"

namespace plainfs {

// Each throws Failure(kNotWritten) where the disk refuses.
class PartFile {
 public:
  // name: of the part, in folder; whole: the path of the finished file, for messages. Makes it where it is
  // not there. Throws InTheWay where something else stands there: no regular file, one of another user, or
  // one that has another name elsewhere.
  PartFile(Descriptor folder, std::string name, std::string whole);
  // The same, but for one that is not there: has_file() is then false, and nothing else may be called.
  static PartFile existing(Descriptor folder, std::string name, std::string whole);
  // The same, empty, and for this object alone: while it lives, owned() of the same name throws
  // Failure(kNotWritten).
  static PartFile owned(Descriptor folder, std::string name, std::string whole);

  bool has_file() const { return file_.number() >= 0; }
  // Whether it was made here: no other process had it before.
  bool is_new() const { return is_new_; }
  uint64_t size() const;
  timespec modified() const;
  // Gives it that size, and the room on disk for it where the file system can; what is in it, up to there,
  // stays.
  void reserve(uint64_t size);
  void write_at(uint64_t offset, const Slices& slices);
  void write_at(uint64_t offset, ByteSpan bytes);
  // Fewer bytes than size at its end.
  size_t read_at(uint64_t offset, char* out, size_t size) const;
  void set_time(timespec time);
  // Until the disk holds what was written.
  void flush();
  // Gives it its size, time and name. Throws InTheWay where a directory has that name.
  void finish(uint64_t size, timespec time, const std::string& name);
  // The same, but throws Failure(kNotWritten) if something has that name.
  void finish_unless_taken(uint64_t size, timespec time, const std::string& name);
  void discard();

 private:
  PartFile(Descriptor folder, std::string name, std::string whole, bool makes_it);
  bool has_own_name() const;
  InTheWay in_the_way() const;
  Failure disk_failure() const;

  Descriptor folder_;
  std::string name_;  // until it is finished
  std::string whole_;
  bool is_new_ = false;
  Descriptor file_;
};

// Of the part of the file at path: the same for a run that takes it up, another for a store that has changed
// since. No two files of a directory share one, by 128 bits of SHA-256.
std::string part_name(const std::string& path, uint64_t size, timespec time);
// Of the part of a file by its number in a plan, which grows at many places at once. plan: ExportPlan::id.
std::string planned_part_name(const std::string& plan, size_t file);
// Whether one of these may have made it. A file of a store that is called so is not exported: it could take
// the place of another one's part.
bool is_part_name(std::string_view name);

// 128 bits of SHA-256 in hexadecimal digits.
std::string short_digest(std::string_view text);

}  // namespace plainfs
