#include "formats/schemas/takane/json_gz.h"

#include "formats/core/codecs/inflate.h"

namespace plainfs::takane {
namespace {

constexpr uint64_t kMostCompressedBytes = 256 << 20;
constexpr uint64_t kMostInflatedBytes = 1 << 30;

}  // namespace

Bytes read_json_gz(const std::string& path, Context& context) {
  const Bytes compressed = context.files.read_whole(path, kMostCompressedBytes);
  // Deflate cannot expand more than 1032-fold, so the size of the file bounds the text as well.
  const uint64_t most = std::min<uint64_t>(kMostInflatedBytes, compressed.size() * uint64_t{1032});
  return inflate_gzip(compressed, DecodedSize::at_most(most));
}

Member json_gz_member(const std::string& path, const std::string& name, Context& context) {
  PlainFile file{path, [path, &context] { return read_json_gz(path, context); }};
  return {name.substr(0, name.size() - std::string_view(".gz").size()), Node{.content = std::move(file)}};
}

}  // namespace plainfs::takane
