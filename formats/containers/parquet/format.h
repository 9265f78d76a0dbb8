// The numbers of the Parquet format (parquet.thrift), for its reader and its writer.
#pragma once

#include <cstdint>

namespace plainfs::parquet {

// Type: how values are stored. A text has a length of its own, `fixed` has that of its column.
enum class Physical : uint8_t {
  boolean = 0,
  int32 = 1,
  int64 = 2,
  int96 = 3,
  real32 = 4,
  real64 = 5,
  bytes = 6,
  fixed = 7
};

// FieldRepetitionType.
enum class Repetition : uint8_t { required = 0, optional = 1, repeated = 2 };

// CompressionCodec.
enum class Codec : uint8_t {
  none = 0,
  snappy = 1,
  gzip = 2,
  lzo = 3,
  brotli = 4,
  lz4_framed = 5,
  zstd = 6,
  lz4 = 7
};

// PageType.
enum class PageKind : uint8_t { data = 0, index = 1, dictionary = 2, data_v2 = 3 };

// Encoding.
enum class Encoding : uint8_t {
  plain = 0,
  plain_dictionary = 2,
  rle = 3,
  bit_packed = 4,
  delta_binary_packed = 5,
  delta_length_byte_array = 6,
  delta_byte_array = 7,
  rle_dictionary = 8,
  byte_stream_split = 9
};

// ConvertedType, the older of the two ways to state the meaning of a column.
namespace converted {
inline constexpr int kNone = -1, kUtf8 = 0, kMap = 1, kMapKeyValue = 2, kList = 3, kEnum = 4, kDecimal = 5,
                     kDate = 6, kTimeMillis = 7, kTimeMicros = 8, kTimestampMillis = 9, kTimestampMicros = 10,
                     kUint8 = 11, kUint64 = 14, kInt8 = 15, kInt64 = 18, kJson = 19, kBson = 20,
                     kInterval = 21;
}

// The ids of the fields of LogicalType, a union.
namespace logical {
inline constexpr int kNone = 0, kString = 1, kMap = 2, kList = 3, kEnum = 4, kDecimal = 5, kDate = 6,
                     kTime = 7, kTimestamp = 8, kInteger = 10, kUnknown = 11, kJson = 12, kBson = 13,
                     kUuid = 14, kFloat16 = 15, kGeometry = 17, kGeography = 18;
}

// The ids of the fields of TimeUnit, a union.
inline constexpr int kMillis = 1, kMicros = 2, kNanos = 3;

// The first and the last bytes of a file, and those of a file with an encrypted footer.
inline constexpr char kMagic[] = "PAR1", kEncryptedMagic[] = "PARE";
inline constexpr uint64_t kMagicBytes = 4;

}  // namespace plainfs::parquet
