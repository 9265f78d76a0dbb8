// A compressed form written into memory.
#pragma once

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <string>

#include "formats/core/base/error.h"
#include "fs/text/packed_form.h"

namespace plainfs {

// Keeps the written bytes in memory.
class MemorySink : public PackedSink {
 public:
  void write_at(uint64_t offset, ByteSpan bytes) override {
    if (fails_) throw unreadable("the disk is full");
    if (text.size() < offset + bytes.size()) text.resize(offset + bytes.size());
    std::memcpy(text.data() + offset, bytes.data(), bytes.size());
  }
  void read_at(uint64_t offset, std::span<std::byte> bytes) override {
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = offset + i < text.size() ? static_cast<std::byte>(text[offset + i]) : std::byte{0};
  }
  void fail() { fails_ = true; }

  std::string text;

 private:
  bool fails_ = false;
};

inline std::string packed_bytes(const PackedForm& form, int level) {
  MemorySink sink;
  uint64_t generated = 0;
  const uint64_t size = form.write(level, sink, [&](uint64_t bytes) { generated += bytes; });
  BOOST_TEST(generated == form.bytes());
  BOOST_TEST(sink.text.size() <= size);
  sink.text.resize(size);
  return std::move(sink.text);
}

}  // namespace plainfs
