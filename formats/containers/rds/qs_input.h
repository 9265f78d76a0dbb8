// The decoded bytes of a .qs or .qdata file, read one after another, and arrays of the vectors in them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/containers/rds/value.h"
#include "formats/core/base/cursor.h"
#include "formats/core/base/file.h"
#include "formats/core/model/context.h"

namespace plainfs::rds {

// A reader of one file from its beginning. For one thread.
class QsInput {
 public:
  explicit QsInput(FilePtr file, uint64_t position = 0)
      : file_(std::move(file)), at_(position), start_(position) {}

  uint64_t position() const { return at_; }
  const FilePtr& file() const { return file_; }
  template <std::integral T>
  T number() {
    return load_little<T>(bytes(sizeof(T)).data());
  }
  uint8_t byte() { return number<uint8_t>(); }
  // Returns the next bytes, which are valid until the next call. Throws damaged if the data end before.
  ByteSpan bytes(uint64_t size);
  void skip(uint64_t size);

 private:
  const FilePtr file_;
  uint64_t at_;
  uint64_t start_;  // of buffer_
  Bytes buffer_;
};

// The two forms of strings and vectors.
enum class QsForm { qs, qdata };

// Reads the size of a string and its encoding, or nullopt for NA, and then its text as UTF-8.
std::optional<std::string> qs_string(QsInput& input, QsForm form);
// Skips a string.
void skip_qs_string(QsInput& input, QsForm form);

// The memory that the vectors of a value take. Once it is much, only tiny vectors are held.
struct HeldBytes {
  uint64_t bytes = 0;
  uint64_t most_of_a_vector() const { return bytes < uint64_t{32} << 20 ? uint64_t{64} << 10 : 256; }
};

// Returns the next count numbers of a vector, and skips them. shuffled_by: the size of elements that are
// stored with their bytes apart; 0: they are not. A long vector is read on demand. Null if it is not kept.
ArrayPtr qs_numbers(QsInput& input, RType type, uint64_t count, size_t shuffled_by, bool keep,
                    HeldBytes& held);
// Returns the next count strings likewise.
ArrayPtr qs_texts(QsInput& input, QsForm form, uint64_t count, bool keep, HeldBytes& held, Context& context);

}  // namespace plainfs::rds
