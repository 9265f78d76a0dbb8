// libFuzzer: any bytes as a Zarr store in memory, read as HDMF. The input is a sequence of keys with their
// values: a line "KEY SIZE", then SIZE bytes. Every array is read, large ones only at both ends. An Error is
// a valid outcome. A crash, a hang or a leak is not.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <set>

#include "formats/containers/zarr/group.h"
#include "formats/core/base/cursor.h"
#include "formats/schemas/zarr_references/schema.h"
#include "tests/support/test_context.h"

namespace {

using namespace plainfs;
using namespace plainfs::zarr;

constexpr uint64_t kMaxElements = 1 << 16;
constexpr int kMaxDepth = 8;

class InputValue : public Value {
 public:
  explicit InputValue(std::string_view value) : value_(value) {}
  uint64_t size() const override { return value_.size(); }
  Bytes read(uint64_t offset, uint64_t size) const override {
    Cursor cursor(as_byte_span(value_));
    cursor.seek(offset);
    const ByteSpan part = cursor.bytes(size);
    return Bytes(part.begin(), part.end());
  }
  Bytes read_all() const override { return read(0, value_.size()); }

 private:
  std::string_view value_;
};

class InputStore : public KeyStore {
 public:
  explicit InputStore(std::string_view input) : KeyStore("/nowhere.zarr") {
    while (!input.empty()) {
      const std::string_view line = input.substr(0, input.find('\n'));
      input.remove_prefix(std::min(line.size() + 1, input.size()));
      const size_t space = line.rfind(' ');
      size_t size = 0;
      if (space == line.npos) continue;
      std::from_chars(line.data() + space + 1, line.data() + line.size(), size);
      values_[std::string(line.substr(0, space))] = input.substr(0, size);
      input.remove_prefix(std::min(size, input.size()));
    }
  }
  ValuePtr open(const std::string& key) const override {
    const auto found = values_.find(key);
    return found == values_.end() ? nullptr : std::make_shared<InputValue>(found->second);
  }
  bool has_folder(const std::string& folder) const override {
    const auto next = values_.lower_bound(folder + "/");
    return next != values_.end() && next->first.starts_with(folder + "/");
  }
  std::vector<std::string> folders(const std::string& folder) const override {
    const std::string prefix = folder.empty() ? "" : folder + "/";
    std::set<std::string> names;
    for (const auto& [key, value] : values_) {
      if (!key.starts_with(prefix)) continue;
      const size_t slash = key.find('/', prefix.size());
      if (slash != key.npos && slash > prefix.size())
        names.insert(key.substr(prefix.size(), slash - prefix.size()));
    }
    return {names.begin(), names.end()};
  }
  std::vector<Entry> list(const std::string& folder) const override {
    std::vector<Entry> entries;
    for (std::string& name : folders(folder)) entries.push_back({std::move(name), EntryKind::folder});
    return entries;
  }

 private:
  std::map<std::string, std::string_view> values_;
};

void read_some(const Array& array) {
  const Shape& shape = array.shape();
  Box first = whole(shape);
  Box last = first;
  for (size_t d = 0; d < shape.size(); ++d) {
    const uint64_t most = shape.size() > 4 ? 2 : 8;
    if (array.count() > kMaxElements) first.extent[d] = last.extent[d] = std::min(shape[d], most);
    last.origin[d] = shape[d] - last.extent[d];
  }
  if (element_count(first.extent) > kMaxElements) return;
  for (const Box& box : {first, last}) {
    try {
      array.read(box);
    } catch (const Error&) {
    }
  }
}

void walk(const Node& node, int depth) {
  try {
    attributes_of(node);
  } catch (const Error&) {
  }
  if (const auto* array = std::get_if<LabelledArray>(&node.content)) read_some(*array->values);
  if (!node.parts || depth == kMaxDepth) return;
  try {
    for (const Member& member : node.parts->members()) walk(member.node, depth + 1);
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  TestContext context(size_t{16} << 20, 0);
  const auto store = std::make_shared<const InputStore>(as_text(std::as_bytes(std::span(data, size))));
  const auto hierarchy = std::make_shared<const Hierarchy>(store, context);
  const auto root = hierarchy->find("", nullptr);
  if (!root) return 0;
  const auto refined = zarr_references::refine(*root, context);
  walk(refined ? *refined : *root, 0);
  return 0;
}
