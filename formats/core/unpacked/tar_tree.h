// The members of a tar archive, read in place. Sources: POSIX pax ("ustar" and "pax Interchange Format"), GNU
// tar manual ("Basic Tar Format"), for long names and numbers in base 256.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/base/error.h"
#include "formats/core/base/inside.h"
#include "formats/core/unpacked/pass.h"

namespace plainfs::unpacked {

// Returns whether a file with these first bytes is a tar archive: its first header has the right checksum.
// 512 bytes are enough.
bool looks_like_tar(ByteSpan first_bytes);

class TarTree final : public FileTree {
 public:
  // Reads the headers of all members. location: of the archive, with which the paths of its members begin.
  // Throws damaged if the first header is invalid, unsupported if there are too many members.
  TarTree(FilePtr file, std::string location);
  // Takes the members from what append_numbers() wrote, and reads nothing. Throws damaged if the numbers do
  // not encode members of this file.
  TarTree(FilePtr file, std::string location, KeptNumbers& numbers);
  void append_numbers(std::vector<uint64_t>& numbers) const;

  // Throws changed if the member's header is not the one that was read.
  FilePtr open(const std::string& key) const override;
  EntryKind kind_of(const std::string& key) const override;
  std::vector<Entry> list(const std::string& folder) const override;

  uint64_t files() const { return files_; }
  // Returns lines about members that are left out or refused, and about damage.
  const std::vector<std::string>& notices() const { return notices_; }

 private:
  struct Member {
    EntryKind kind = EntryKind::folder;
    uint64_t offset = 0;
    uint64_t size = 0;
    uint64_t header = 0;    // offset of the member's header
    uint32_t checksum = 0;  // CRC-32 of the header
    std::optional<Error> refused{};
  };
  struct Stated;

  void read_members();
  uint64_t read_member(uint64_t at, Stated& stated);
  void read_extension(char type, ByteSpan body, Stated& stated) const;
  uint64_t end_of_sparse_map(std::string_view block, uint64_t data) const;
  void add(char type, const Stated& stated, Member member);
  void add_folders(const std::string& key);
  void put(const std::string& key, Member member);
  bool has_header_of(const Member& member) const;
  void notice(const std::string& line);

  const FilePtr file_;
  const std::string location_;
  std::map<std::string, Member> members_;  // by key, without "" for the root
  uint64_t files_ = 0;
  uint64_t left_out_ = 0;  // notices that were too many to keep
  std::vector<std::string> notices_;
};

}  // namespace plainfs::unpacked
