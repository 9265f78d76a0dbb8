#include "formats/containers/parquet/footer.h"

#include <algorithm>
#include <tuple>

#include "formats/containers/parquet/thrift_reader.h"
#include "formats/core/base/checked.h"

namespace plainfs::parquet {
namespace {

constexpr uint64_t kMaxFooterBytes = uint64_t{256} << 20;
constexpr int kMaxDepth = 60;  // of the schema: a level fits into a byte

// An element of the schema as it is stored.
struct SchemaElement {
  int64_t type = -1, length = 0, repetition = 0, children = 0, converted = converted::kNone, scale = 0;
  bool has_name = false;
  std::string name;
  Meaning stated;  // the logical type
};

void read_unit(ThriftReader& in, ThriftType type, int64_t& unit) {
  in.record(type, [&](int64_t id, ThriftType) {
    unit = id;
    return false;
  });
}

// Reads the struct of a kind of LogicalType.
void read_parameters(ThriftReader& in, ThriftType type, Meaning& meaning) {
  in.record(type, [&](int64_t id, ThriftType field) {
    switch (meaning.kind) {
      case logical::kDecimal:
        return id == 1 && in.get(field, meaning.scale);
      case logical::kTime:
      case logical::kTimestamp:
        if (id == 1) return in.get(field, meaning.is_utc);
        if (id == 2 && field == ThriftType::record) {
          read_unit(in, field, meaning.unit);
          return true;
        }
        return false;
      case logical::kInteger:
        return id == 1 ? in.get(field, meaning.bits) : id == 2 && in.get(field, meaning.is_signed);
      default:
        return false;
    }
  });
}

bool is_known_kind(int64_t id) {
  constexpr int64_t kReserved = 9, kVariant = 16;
  return id >= logical::kString && id <= logical::kGeography && id != kReserved && id != kVariant;
}

// Reads LogicalType: a struct with one field.
Meaning read_logical(ThriftReader& in) {
  Meaning meaning;
  in.record([&](int64_t id, ThriftType type) {
    if (type != ThriftType::record || meaning.kind != logical::kNone) return false;
    if (!is_known_kind(id)) return false;
    meaning.kind = static_cast<int>(id);
    if (id == logical::kInteger || id == logical::kTime || id == logical::kTimestamp)
      meaning.is_signed = false;
    read_parameters(in, type, meaning);
    return true;
  });
  return meaning;
}

SchemaElement read_element(ThriftReader& in) {
  SchemaElement element;
  in.record([&](int64_t id, ThriftType type) {
    std::string_view name;
    switch (id) {
      case 1:
        return in.get(type, element.type);
      case 2:
        return in.get(type, element.length);
      case 3:
        return in.get(type, element.repetition);
      case 4:
        element.has_name = in.get(type, name);
        element.name = name;
        return element.has_name;
      case 5:
        return in.get(type, element.children);
      case 6:
        return in.get(type, element.converted);
      case 7:
        return in.get(type, element.scale);
      case 10:
        if (type != ThriftType::record) return false;
        element.stated = read_logical(in);
        return true;
      default:
        return false;
    }
  });
  return element;
}

// Returns what a converted type means. A time without a logical type is one in UTC.
Meaning meaning_of_converted(int64_t type, int64_t scale) {
  Meaning meaning;
  const auto kind = [&](int id) { meaning.kind = id; };
  if (type == converted::kUtf8 || type == converted::kEnum) kind(logical::kString);
  if (type == converted::kJson) kind(logical::kJson);
  if (type == converted::kBson) kind(logical::kBson);
  if (type == converted::kMap || type == converted::kMapKeyValue) kind(logical::kMap);
  if (type == converted::kList) kind(logical::kList);
  if (type == converted::kDate) kind(logical::kDate);
  meaning.is_interval = type == converted::kInterval;
  if (type == converted::kDecimal) {
    kind(logical::kDecimal);
    meaning.scale = scale;
  } else if (type >= converted::kTimeMillis && type <= converted::kTimestampMicros) {
    kind(type >= converted::kTimestampMillis ? logical::kTimestamp : logical::kTime);
    meaning.unit = type == converted::kTimeMillis || type == converted::kTimestampMillis ? kMillis : kMicros;
    meaning.is_utc = true;
  } else if (type >= converted::kUint8 && type <= converted::kInt64) {
    kind(logical::kInteger);
    meaning.is_signed = type >= converted::kInt8;
    meaning.bits = int64_t{8} << (type - (meaning.is_signed ? converted::kInt8 : converted::kUint8));
  }
  return meaning;
}

// Makes the tree of columns from the elements, which are in depth-first order.
class Tree {
 public:
  explicit Tree(std::vector<SchemaElement> elements) : elements_(std::move(elements)) {}

  Column root() {
    if (elements_.empty()) throw damaged("the footer has no schema");
    elements_.front().repetition = 0;
    Column root = column(0, nullptr);
    if (root.is_leaf) throw damaged("the root of the schema is a column");
    if (next_ != elements_.size())
      throw damaged("the schema has {} elements, expected {}", elements_.size(), next_);
    return root;
  }

 private:
  Column column(int depth, const Column* parent) {
    if (depth > kMaxDepth) throw damaged("the schema is nested more than {} deep", kMaxDepth);
    if (next_ == elements_.size()) throw damaged("the schema ends within a group");
    SchemaElement& element = elements_[next_++];
    if (!element.has_name && parent) throw damaged("element {} of the schema has no name", next_ - 1);
    Column column;
    column.name = std::move(element.name);
    if (element.repetition < 0 || element.repetition > 2)
      throw damaged("column {} has the repetition {}", column.name, element.repetition);
    column.repetition = static_cast<Repetition>(element.repetition);
    column.definition = static_cast<uint8_t>((parent ? parent->definition : 0) + (element.repetition != 0));
    column.repetitions = static_cast<uint8_t>((parent ? parent->repetitions : 0) + (element.repetition == 2));
    column.meaning = element.stated.kind != logical::kNone
                         ? element.stated
                         : meaning_of_converted(element.converted, element.scale);
    if (element.children < 0 || static_cast<uint64_t>(element.children) > elements_.size() - next_)
      throw damaged("group {} has {} children in a schema of {} elements", column.name, element.children,
                    elements_.size());
    if (element.type < 0 || element.children > 0) {
      for (int64_t i = 0; i < element.children; ++i) {
        column.children.push_back(this->column(depth + 1, &column));
        column.leaf_count += column.children.back().leaf_count;
      }
    } else {
      set_leaf(column, element);
    }
    return column;
  }

  void set_leaf(Column& column, const SchemaElement& element) {
    if (element.type > static_cast<int>(Physical::fixed))
      throw damaged("column {} has the type {}", column.name, element.type);
    column.is_leaf = true;
    column.physical = static_cast<Physical>(element.type);
    column.leaf = leaves_++;
    column.leaf_count = 1;
    if (column.physical != Physical::fixed) return;
    if (element.length <= 0 || element.length > INT32_MAX)
      throw damaged("column {} has values of {} bytes", column.name, element.length);
    column.length = static_cast<uint32_t>(element.length);
  }

  std::vector<SchemaElement> elements_;
  size_t next_ = 0, leaves_ = 0;
};

void add_leaves(const Column& column, std::vector<const Column*>& leaves) {
  if (column.is_leaf) leaves.push_back(&column);
  for (const Column& child : column.children) add_leaves(child, leaves);
}

// The metadata of a chunk as it is stored.
struct StoredChunk {
  bool has_metadata = false, is_encrypted = false, is_in_other_file = false;
  int64_t type = -1, codec = 0, values = 0, plain_size = 0, size = 0, data_page = -1, dictionary_page = -1;
  int64_t offset_index = 0, offset_index_size = 0;
  std::vector<std::string_view> path;
};

void read_metadata(ThriftReader& in, StoredChunk& chunk) {
  chunk.has_metadata = true;
  in.record([&](int64_t id, ThriftType type) {
    switch (id) {
      case 1:
        return in.get(type, chunk.type);
      case 3:
        return in.list(
            type, ThriftType::binary, [&](uint64_t) {}, [&] { chunk.path.push_back(in.binary_element()); });
      case 4:
        return in.get(type, chunk.codec);
      case 5:
        return in.get(type, chunk.values);
      case 6:
        return in.get(type, chunk.plain_size);
      case 7:
        return in.get(type, chunk.size);
      case 9:
        return in.get(type, chunk.data_page);
      case 11:
        return in.get(type, chunk.dictionary_page);
      default:
        return false;
    }
  });
}

StoredChunk read_chunk(ThriftReader& in) {
  StoredChunk chunk;
  in.record([&](int64_t id, ThriftType type) {
    std::string_view path;
    switch (id) {
      case 1:
        if (!in.get(type, path)) return false;
        chunk.is_in_other_file = !path.empty();
        return true;
      case 3:
        if (type != ThriftType::record) return false;
        read_metadata(in, chunk);
        return true;
      case 4:
        return in.get(type, chunk.offset_index);
      case 5:
        return in.get(type, chunk.offset_index_size);
      case 8:
        chunk.is_encrypted = true;
        return false;
      default:
        return false;
    }
  });
  return chunk;
}

// Reads FileMetaData.
class FooterReader {
 public:
  FooterReader(ByteSpan bytes, uint64_t data_end) : in_(bytes), size_(bytes.size()) {
    footer_.data_end = data_end;
  }

  Footer read() {
    in_.record([&](int64_t id, ThriftType type) { return field(id, type); });
    if (!elements_ || !has_groups_)
      throw damaged("it ends before its {}", elements_ ? "row groups" : "schema");
    // A signature follows in a file with encrypted columns.
    if (in_.position() != size_ && !is_signed_)
      throw damaged("it ends after {} of {} bytes", in_.position(), size_);
    footer_.root = Tree(*std::move(elements_)).root();
    add_leaves(footer_.root, footer_.leaves);
    set_paths(footer_.root, {});
    for (const auto& [rows, chunks] : groups_) add_group(rows, chunks);
    footer_.stated_rows = static_cast<uint64_t>(std::max<int64_t>(rows_, 0));
    return std::move(footer_);
  }

 private:
  using StoredGroup = std::pair<int64_t, std::vector<StoredChunk>>;

  bool field(int64_t id, ThriftType type) {
    std::string_view text;
    switch (id) {
      case 2:
        elements_.emplace();
        return in_.list(
            type, ThriftType::record, [](uint64_t) {}, [&] { elements_->push_back(read_element(in_)); });
      case 3:
        return in_.get(type, rows_);
      case 4:
        has_groups_ = true;
        return in_.list(
            type, ThriftType::record, [](uint64_t) {}, [&] { read_group(); });
      case 5:
        return in_.list(
            type, ThriftType::record, [](uint64_t) {}, [&] { read_key(); });
      case 6:
        if (!in_.get(type, text)) return false;
        footer_.created_by = text;
        return true;
      case 8:
        is_signed_ = true;
        return false;
      default:
        return false;
    }
  }

  void read_group() {
    StoredGroup& group = groups_.emplace_back();
    in_.record([&](int64_t id, ThriftType type) {
      if (id == 3) return in_.get(type, group.first);
      return id == 1 &&
             in_.list(
                 type, ThriftType::record, [](uint64_t) {}, [&] { group.second.push_back(read_chunk(in_)); });
    });
  }

  void read_key() {
    std::string_view key, value;
    in_.record([&](int64_t id, ThriftType type) {
      return id == 1 ? in_.get(type, key) : id == 2 && in_.get(type, value);
    });
    footer_.keys.emplace_back(key, value);
  }

  void set_paths(const Column& column, const std::vector<std::string_view>& path) {
    if (column.is_leaf) paths_.push_back(path);
    for (const Column& child : column.children) {
      std::vector<std::string_view> below = path;
      below.push_back(child.name);
      set_paths(child, below);
    }
  }

  void add_group(int64_t rows, const std::vector<StoredChunk>& stored) {
    const size_t number = footer_.groups.size();
    if (rows < 0) throw damaged("row group {} has {} rows", number, rows);
    const bool is_miscounted = stored.size() != footer_.leaves.size();
    if (is_miscounted && footer_.leaves.empty())
      throw damaged("row group {} has {} columns, and the schema none", number, stored.size());
    RowGroup& group = footer_.groups.emplace_back();
    group.rows = static_cast<uint64_t>(rows);
    footer_.rows = checked_add(footer_.rows, group.rows);
    if (is_miscounted) {
      group.chunks.resize(footer_.leaves.size());
      for (Chunk& chunk : group.chunks) chunk.fault = Chunk::Fault::miscounted;
      return;
    }
    group.chunks.reserve(stored.size());
    for (size_t leaf = 0; leaf < stored.size(); ++leaf) group.chunks.push_back(chunk_of(stored[leaf], leaf));
  }

  // Returns a chunk with its range in the file. A wrong range is the fault of the column that is read.
  Chunk chunk_of(const StoredChunk& stored, size_t leaf) const {
    Chunk chunk;
    const auto faulty = [&](Chunk::Fault fault) {
      chunk.fault = fault;
      return chunk;
    };
    if (stored.is_encrypted) return faulty(Chunk::Fault::encrypted);
    if (stored.is_in_other_file) return faulty(Chunk::Fault::in_other_file);
    if (!stored.has_metadata || stored.values < 0) return faulty(Chunk::Fault::without_metadata);
    if (stored.type != static_cast<int>(footer_.leaves[leaf]->physical))
      return faulty(Chunk::Fault::of_other_type);
    if (stored.path != paths_[leaf]) return faulty(Chunk::Fault::of_other_column);
    const auto number = [](int64_t value) { return static_cast<uint64_t>(std::max<int64_t>(value, 0)); };
    chunk.codec = static_cast<int>(std::clamp<int64_t>(stored.codec, -1, INT16_MAX));
    chunk.values = number(stored.values);
    const bool has_dictionary = stored.dictionary_page >= static_cast<int64_t>(kMagicBytes) &&
                                stored.dictionary_page < stored.data_page;
    chunk.begin = number(has_dictionary ? stored.dictionary_page : stored.data_page);
    chunk.size = number(stored.size);
    chunk.plain_size = number(stored.plain_size);
    chunk.offset_index = number(stored.offset_index);
    chunk.offset_index_size = number(stored.offset_index_size);
    if (sizes_leave_out_dictionary()) {
      // Writers that leave the header of the dictionary page out of the size. Source: Apache Arrow.
      constexpr uint64_t kMaxHeader = 100;
      chunk.size = checked_add(chunk.size, kMaxHeader);
      if (chunk.begin < footer_.data_end) chunk.size = std::min(chunk.size, footer_.data_end - chunk.begin);
    }
    return chunk;
  }

  // Returns whether the file is by parquet-mr of before 1.2.9, or of no version.
  bool sizes_leave_out_dictionary() const {
    constexpr std::string_view kName = "parquet-mr", kVersion = " version ";
    std::string_view generated(footer_.created_by);
    if (!generated.starts_with(kName)) return false;
    generated.remove_prefix(kName.size());
    if (!generated.starts_with(kVersion)) return true;
    generated.remove_prefix(kVersion.size());
    uint64_t parts[3] = {};
    for (uint64_t& part : parts) {
      const size_t digits = std::min(generated.find_first_not_of("0123456789"), generated.size());
      constexpr size_t kMaxDigits = 9;
      if (digits == 0 || digits > kMaxDigits) return true;
      part = std::stoull(std::string(generated.substr(0, digits)));
      generated.remove_prefix(std::min(digits + 1, generated.size()));
    }
    return std::tuple(parts[0], parts[1], parts[2]) < std::tuple(1, 2, 9);
  }

  ThriftReader in_;
  const size_t size_;
  bool has_groups_ = false, is_signed_ = false;
  Footer footer_;
  std::optional<std::vector<SchemaElement>> elements_;
  std::vector<StoredGroup> groups_;
  std::vector<std::vector<std::string_view>> paths_;  // of each leaf
  int64_t rows_ = 0;
};

}  // namespace

const std::string* Footer::key(std::string_view name) const {
  const auto found =
      std::find_if(keys.begin(), keys.end(), [&](const auto& key) { return key.first == name; });
  return found == keys.end() ? nullptr : &found->second;
}

Footer read_footer(const Value& file) {
  constexpr uint64_t kTail = kMagicBytes + sizeof(uint32_t);
  if (file.size() < kMagicBytes + kTail)
    throw damaged("{} bytes are too short for a Parquet file", file.size());
  const Bytes front = file.read(0, kMagicBytes), tail = file.read(file.size() - kTail, kTail);
  const std::string_view first = as_text(front), last = as_text(tail).substr(sizeof(uint32_t));
  if (first == kEncryptedMagic || last == kEncryptedMagic)
    throw unsupported("an encrypted Parquet file, which a program with its key can read");
  if (first != kMagic) throw damaged("the file does not begin with {}", kMagic);
  if (last != kMagic)
    throw damaged("the file does not end with {}: it is truncated; copy or download it again", kMagic);
  const uint64_t size = load_little<uint32_t>(tail.data());
  if (size > file.size() - kMagicBytes - kTail)
    throw damaged("the footer has {} bytes in a file of {}", size, file.size());
  if (size > kMaxFooterBytes)
    throw unsupported("the footer has {} bytes, the limit is {}", size, kMaxFooterBytes);
  const uint64_t begin = file.size() - kTail - size;
  try {
    const Bytes bytes = file.read(begin, size);
    return FooterReader(bytes, begin).read();
  } catch (const Error& error) {
    throw error.at("footer");
  }
}

}  // namespace plainfs::parquet
