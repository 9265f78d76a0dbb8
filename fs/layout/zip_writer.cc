#include "fs/layout/zip_writer.h"

#include <stdexcept>

#include "formats/core/base/error.h"
#include "formats/core/codecs/checksum.h"

namespace plainfs {

namespace {

// A member that is being written.
class ZipMemberSink : public PackedSink {
 public:
  ZipMemberSink(PackedSink& out, uint64_t begin) : out_(out), begin_(begin) {}
  void write_at(uint64_t offset, ByteSpan bytes) override {
    if (offset != size_) throw std::logic_error("a member of an archive is written in order");
    out_.write_at(begin_ + offset, bytes);
    crc_ = crc32(bytes, crc_);
    size_ += bytes.size();
  }
  void read_at(uint64_t, std::span<std::byte>) override {
    throw std::logic_error("a member of an archive is not read");
  }
  uint32_t crc() const { return crc_; }
  uint64_t size() const { return size_; }

 private:
  PackedSink& out_;
  const uint64_t begin_;
  uint32_t crc_ = 0;
  uint64_t size_ = 0;
};

}  // namespace

void ZipWriter::add(const std::string& name, bool is_large,
                    const std::function<uint64_t(PackedSink& member)>& write) {
  constexpr size_t kMaxName = 0xffff;
  if (name.size() > kMaxName) throw unsupported("a name of {} bytes in a zip archive", name.size());
  ZipEntry entry{name, ZipMethod::stored, is_large};
  entry.begin = size_;
  ZipMemberSink sink(out_, size_ + entry.header_size());
  if (write(sink) != sink.size()) throw std::logic_error("a member of an archive has another size");
  entry.crc = sink.crc();
  entry.plain = entry.stored = sink.size();
  if (!is_large && sink.size() >= kZip64)
    throw unsupported("{}: {} bytes in a zip archive", name, sink.size());
  out_.write_at(size_, as_byte_span(zip_local_header(entry)));
  size_ += entry.header_size() + entry.stored;
  entries_.push_back(std::move(entry));
}

uint64_t ZipWriter::finish() {
  const std::string directory = zip_directory(entries_, size_);
  out_.write_at(size_, as_byte_span(directory));
  return size_ + directory.size();
}

}  // namespace plainfs
