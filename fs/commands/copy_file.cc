#include "fs/commands/copy_file.h"

#include <algorithm>
#include <vector>

#include "formats/core/base/checked.h"
#include "formats/core/base/modified_time.h"
#include "fs/commands/part_file.h"

namespace plainfs {

void make_pieces(Filesystem& filesystem, Workers& workers, const OpenFile& file, uint64_t first, uint64_t end,
                 const std::function<bool(uint64_t offset, const Slices& piece)>& use) {
  std::vector<Slices> pieces(workers.threads() + 1);
  for (uint64_t at = first; at < end;) {
    const size_t count = std::min<uint64_t>(pieces.size(), divide_up(end - at, kExportPiece));
    workers.parallel_for(count, [&](size_t i) {
      const uint64_t start = at + i * kExportPiece;
      const uint64_t wanted = std::min(kExportPiece, end - start);
      pieces[i] = filesystem.read(file, start, wanted);
      if (pieces[i].size() != wanted)
        throw damaged("{} bytes at {}, expected {}", pieces[i].size(), start, wanted);
    });
    for (size_t i = 0; i < count; ++i) {
      if (!use(at, pieces[i])) return;
      at += pieces[i].size();
      pieces[i] = {};
    }
  }
}

bool is_copied(Filesystem& filesystem, const TargetFolder& folder, const Copy& copy) {
  return folder.has_file(copy.path, copy.size, modified_time(filesystem.status(copy.inode)));
}

void copy_file(Filesystem& filesystem, Workers& workers, const TargetFolder& folder, const Copy& copy,
               const std::function<void(uint64_t)>& wrote) {
  const timespec time = modified_time(filesystem.status(copy.inode));
  const OpenFile file = filesystem.open(copy.inode);
  PartFile output(folder.folder_of(copy.path), part_name(copy.path, copy.size, time),
                  folder.whole(copy.path));
  // The last piece of an interrupted run may be incomplete.
  const uint64_t found = std::min(output.size(), copy.size);
  const uint64_t first = found < 2 * kExportPiece ? 0 : (found / kExportPiece - 1) * kExportPiece;
  wrote(first);
  finish_or_discard(output, [&] {
    make_pieces(filesystem, workers, file, first, copy.size, [&](uint64_t offset, const Slices& piece) {
      output.write_at(offset, piece);
      wrote(piece.size());
      return true;
    });
    output.finish(copy.size, time, folder.name_of(copy.path));
  });
}

}  // namespace plainfs
