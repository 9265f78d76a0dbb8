// libFuzzer: any bytes as an .rds or .RData file. Lists everything that a schema makes of it, and reads the
// small arrays. An Error is a valid outcome. A crash, a hang or a leak is not. Build with clang++
// -fsanitize=fuzzer,address,undefined.
#include <cstdint>

#include "formats/containers/rds/container.h"
#include "formats/containers/rds/reader.h"
#include "formats/schemas/robject/schema.h"
#include "tests/support/bytes_file.h"
#include "tests/support/test_context.h"

namespace {

using namespace plainfs;
using namespace plainfs::rds;

constexpr uint64_t kMostRead = 1 << 12;

template <class Read>
void attempt(Read&& read) {
  try {
    read();
  } catch (const Error&) {
  }
}

void read_some(const ArrayPtr& array) {
  if (!array) return;
  attempt([&] {
    array->check();
    Box box = whole(array->shape());
    for (uint64_t& extent : box.extent) extent = std::min<uint64_t>(extent, 16);
    if (element_count(box.extent) <= kMostRead) array->read(box);
    if (array->shape().size() == 1 && array->count() > 0) array->read(range(array->count() - 1, 1));
  });
}

void read_content(const Content& content) {
  if (const auto* array = std::get_if<LabelledArray>(&content)) {
    for (const ArrayPtr& part : {array->values, array->labels, array->row_names, array->column_names})
      read_some(part);
  } else if (const auto* table = std::get_if<Table>(&content)) {
    read_some(table->row_names);
    for (const Column& column : table->columns) read_some(column.values);
  } else if (const auto* matrix = std::get_if<SparseMatrix>(&content)) {
    attempt([&] {
      const SparseMatrix known = evaluated(*matrix);
      for (const ArrayPtr& part : {known.value, known.index, known.pointer}) read_some(part);
    });
  } else if (const auto* entries = std::get_if<CoordinateMatrix>(&content)) {
    for (const ArrayPtr& part : {entries->row, entries->column, entries->value}) read_some(part);
  } else if (const auto* ranges = std::get_if<GenomicRanges>(&content)) {
    for (const ArrayPtr& part : {ranges->sequence, ranges->start, ranges->strand}) read_some(part);
  }
}

void walk(const Node& node) {
  read_content(node.content);
  attempt([&] { attributes_of(node); });
  if (!node.parts) return;
  attempt([&] {
    for (const Member& member : node.parts->members()) walk(member.node);
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string input(reinterpret_cast<const char*>(data), size);
  TestContext context(size_t{1} << 20, 0);
  attempt([&] {
    const Compression compression =
        unpacked::compression_of(as_byte_span(std::string_view(input).substr(0, 6)));
    const auto bytes = std::make_shared<UnpackedBytes>(std::make_shared<BytesFile>(input), compression,
                                                       context, "the values");
    const std::unique_ptr<ByteSource> source = bytes->first_pass();
    SerialStream stream(*source, uint64_t{1} << 24);
    stream.read_header();
    Node root;
    LongVectors vectors;
    root.parts = std::make_shared<ValueGroup>(Reader(stream, bytes, vectors).read(), "/nowhere/store.rds");
    stream.finish();
    if (const std::optional<Node> node = robject::refine(root, context)) walk(*node);
  });
  return 0;
}
