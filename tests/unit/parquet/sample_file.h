// A small Parquet file, with the numbers of its headers as a test states them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "formats/containers/parquet/format.h"
#include "formats/containers/parquet/thrift_writer.h"
#include "formats/core/base/encode.h"

namespace plainfs::parquet {

// An element of the schema. type: -1 for a group.
struct SampleElement {
  std::string name;
  int type = 1;
  int repetition = 0;
  int children = 0;
  int converted = -1;
  int length = 0;
};

// A page with its header and its body as stored.
struct SamplePage {
  std::string body;
  int32_t values = 0;
  int encoding = 0;
  bool is_dictionary = false;
  int32_t stated_size = -1;  // without compression; -1: that of the body
  int32_t stated_packed = -1;
  bool is_v2 = false;
  int32_t levels = 0;   // is_v2: bytes of definition levels
  int32_t missing = 0;  // is_v2
};

inline std::string page_bytes(const SamplePage& page) {
  ThriftWriter out;
  const auto size = static_cast<int32_t>(page.body.size());
  out.int32(1, page.is_dictionary ? 2 : page.is_v2 ? 3 : 0);
  out.int32(2, page.stated_size < 0 ? size : page.stated_size);
  out.int32(3, page.stated_packed < 0 ? size : page.stated_packed);
  out.begin(page.is_dictionary ? 7 : page.is_v2 ? 8 : 5);
  out.int32(1, page.values);
  if (page.is_v2) {
    out.int32(2, page.missing);
    out.int32(3, page.values);
    out.int32(4, page.encoding);
    out.int32(5, page.levels);
    out.int32(6, 0);
  } else {
    out.int32(2, page.encoding);
    out.int32(3, 3);
    out.int32(4, 3);
  }
  out.end();
  out.end();
  return out.take() + page.body;
}

// A place in an offset index.
struct SamplePlace {
  int64_t offset, size, row;
};

// The chunk of a leaf: its pages, and the numbers that its metadata state.
struct SampleChunk {
  std::vector<SamplePage> pages;
  std::vector<std::string> path;
  int type = 1;
  int codec = 0;
  int64_t values = 0;
  int64_t offset = -1;  // -1: the right one
  int64_t size = -1;    // -1: the right one
  bool has_dictionary = false;
  // Changes the right offset index before it is written. Null: the chunk has none.
  std::function<void(std::vector<SamplePlace>& places)> index = nullptr;
};

struct SampleFile {
  std::vector<SampleElement> schema;  // without the root
  int root_children = 1;
  std::vector<SampleChunk> chunks;  // of the only row group
  int64_t rows = 0;
  int64_t stated_rows = -1;
  std::vector<std::pair<std::string, std::string>> keys{};
  std::string created_by = "test";

  std::string write() const {
    std::string file = kMagic;
    std::vector<std::pair<int64_t, int64_t>> ranges;
    std::vector<int64_t> data_pages;
    std::vector<std::vector<SamplePlace>> places(chunks.size());
    for (size_t i = 0; i < chunks.size(); ++i) {
      const size_t begin = file.size();
      int64_t data_page = static_cast<int64_t>(begin), row = 0;
      for (const SamplePage& page : chunks[i].pages) {
        const std::string stored = page_bytes(page);
        if (!page.is_dictionary) {
          places[i].push_back({static_cast<int64_t>(file.size()), static_cast<int64_t>(stored.size()), row});
          row += page.values;
        }
        file += stored;
        if (page.is_dictionary) data_page = static_cast<int64_t>(file.size());
      }
      ranges.emplace_back(begin, file.size() - begin);
      data_pages.push_back(data_page);
    }
    std::vector<std::pair<int64_t, int64_t>> indices(chunks.size());
    for (size_t i = 0; i < chunks.size(); ++i) {
      if (!chunks[i].index) continue;
      chunks[i].index(places[i]);
      const std::string index = index_bytes(places[i]);
      indices[i] = {file.size(), index.size()};
      file += index;
    }
    ThriftWriter out;
    out.int32(1, 1);
    out.struct_list(2, schema.size() + 1);
    out.begin_element();
    out.binary(4, "schema");
    out.int32(5, root_children);
    out.end();
    for (const SampleElement& element : schema) put(element, out);
    out.int64(3, stated_rows < 0 ? rows : stated_rows);
    out.struct_list(4, chunks.empty() ? 0 : 1);
    if (!chunks.empty()) {
      out.begin_element();
      out.struct_list(1, chunks.size());
      for (size_t i = 0; i < chunks.size(); ++i) put(chunks[i], ranges[i], data_pages[i], indices[i], out);
      out.int64(2, 0);
      out.int64(3, rows);
      out.end();
    }
    if (!keys.empty()) {
      out.struct_list(5, keys.size());
      for (const auto& [key, value] : keys) {
        out.begin_element();
        out.binary(1, key);
        out.binary(2, value);
        out.end();
      }
    }
    out.binary(6, created_by);
    out.end();
    const std::string footer = out.take();
    file += footer;
    append_little(file, footer.size(), sizeof(uint32_t));
    return file + kMagic;
  }

 private:
  static void put(const SampleElement& element, ThriftWriter& out) {
    out.begin_element();
    if (element.type >= 0) out.int32(1, element.type);
    if (element.length > 0) out.int32(2, element.length);
    out.int32(3, element.repetition);
    out.binary(4, element.name);
    if (element.type < 0) out.int32(5, element.children);
    if (element.converted >= 0) out.int32(6, element.converted);
    out.end();
  }
  static std::string index_bytes(const std::vector<SamplePlace>& places) {
    ThriftWriter out;
    out.struct_list(1, places.size());
    for (const SamplePlace& place : places) {
      out.begin_element();
      out.int64(1, place.offset);
      out.int32(2, static_cast<int32_t>(place.size));
      out.int64(3, place.row);
      out.end();
    }
    out.end();
    return out.take();
  }
  static void put(const SampleChunk& chunk, const std::pair<int64_t, int64_t>& range, int64_t data_page,
                  const std::pair<int64_t, int64_t>& index, ThriftWriter& out) {
    out.begin_element();
    out.int64(2, 0);
    out.begin(3);
    out.int32(1, chunk.type);
    out.int32_list(2, {0});
    out.binary_list(3, chunk.path);
    out.int32(4, chunk.codec);
    out.int64(5, chunk.values);
    out.int64(6, 0);
    out.int64(7, chunk.size < 0 ? range.second : chunk.size);
    out.int64(9, chunk.offset < 0 ? data_page : chunk.offset);
    if (chunk.has_dictionary) out.int64(11, range.first);
    out.end();
    if (index.second > 0) {
      out.int64(4, index.first);
      out.int32(5, static_cast<int32_t>(index.second));
    }
    out.end();
  }
};

// Returns a file of one required column `a` of 32-bit integers, stored as they are.
inline SampleFile integers_file(const std::vector<int32_t>& values) {
  std::string body;
  for (const int32_t value : values) append_little(body, static_cast<uint32_t>(value), sizeof value);
  SampleFile file;
  file.schema = {{"a"}};
  file.rows = static_cast<int64_t>(values.size());
  file.chunks = {{{{body, static_cast<int32_t>(values.size())}}, {"a"}}};
  file.chunks[0].values = file.rows;
  return file;
}

}  // namespace plainfs::parquet
