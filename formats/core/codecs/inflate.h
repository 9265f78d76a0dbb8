// Deflated data in its zlib and gzip wrappings. libdeflate decodes where the size is known; zlib streams
// where it is not.
#pragma once

#include "formats/core/codecs/codec.h"

namespace plainfs {

// One zlib stream (RFC 1950). Bytes after it are left alone, as zlib itself does.
Bytes inflate_zlib(ByteSpan encoded, DecodedSize size);
// One gzip member after another (RFC 1952); zeros may follow the last.
Bytes inflate_gzip(ByteSpan encoded, DecodedSize size);
// The first bytes of what a gzip file holds, at most `most`: as many as the beginning of it, which encoded
// is, gives. Requires: both sizes are below 2^32.
Bytes gzip_beginning(ByteSpan encoded, size_t most);

}  // namespace plainfs
