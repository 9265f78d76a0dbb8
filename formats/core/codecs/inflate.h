// Deflate data in zlib and gzip format. libdeflate decodes if the size is known, zlib streams if it is not.
#pragma once

#include "formats/core/codecs/codec.h"

namespace plainfs {

// Returns the fault that zlib reports with a message of z_stream; null: it waits for more data.
std::string_view fault_of_zlib(const char* message);

// Decodes one zlib stream (RFC 1950). Ignores bytes after it, like zlib itself.
Bytes inflate_zlib(ByteSpan encoded, DecodedSize size);
// Decodes gzip members one after another (RFC 1952). Zeros may follow the last.
Bytes inflate_gzip(ByteSpan encoded, DecodedSize size);
// Returns up to `most` bytes of the content of a gzip file. `encoded` is the beginning of the file; the
// result has as many bytes as it yields. Requires: both sizes are below 2^32.
Bytes gzip_beginning(ByteSpan encoded, size_t most);

}  // namespace plainfs
