#include "formats/containers/rds/qs_reader.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "cache/request.h"
#include "formats/containers/rds/made_values.h"
#include "formats/containers/rds/qs_input.h"
#include "formats/containers/rds/reader.h"
#include "formats/containers/rds/vectors.h"
#include "formats/core/base/error.h"
#include "formats/core/base/inside.h"

namespace plainfs::rds {
namespace {

constexpr uint64_t kMaxValues = uint64_t{1} << 20;
constexpr uint64_t kMaxNameBytes = 32 << 20;
constexpr unsigned kMaxDepth = 800;

// The bytes that begin an object. The five low bits of the short forms are the length.
constexpr unsigned kShortAttributes = 0xe0, kShortForm = 0xe0, kShortLength = 0x1f;
constexpr unsigned kAttributes8 = 0x1e, kAttributes32 = 0x1f, kOther = 0x1c, kQsSymbol = 0x1d,
                   kSerialised32 = 0x19, kSerialised64 = 0x1a;
// The byte after kOther.
enum QsForms : unsigned {
  kQsS4 = 1,
  kQsS4Bit = 2,
  kQsPairs = 3,
  kQsLanguage = 4,
  kQsClosure = 5,
  kQsPromise = 6,
  kQsDots = 7,
  kQsOpenEnvironment = 8,
  kQsLockedEnvironment = 9,
  kQsReference = 0x10,
  kFlaggedPairs = 0x11,
  kFlaggedLanguage = 0x12,
  kFlaggedClosure = 0x13,
  kFlaggedPromise = 0x14,
  kFlaggedDots = 0x15,
};

// A vector or list.
struct VectorHead {
  RType type;
  uint64_t count;
};

// Reads the length of a vector that begins with `first`. Returns nullopt if none does.
std::optional<VectorHead> vector_head(unsigned first, QsInput& input) {
  static constexpr RType kShort[] = {RType::null,    RType::list,    RType::real,
                                     RType::integer, RType::logical, RType::text};
  static constexpr RType kLong[] = {RType::list, RType::real, RType::integer, RType::logical, RType::text};
  const unsigned kind = first >> 5;
  if (kind >= 1 && kind < std::size(kShort)) return VectorHead{kShort[kind], first & kShortLength};
  const auto length = [&](unsigned width) -> uint64_t {
    switch (width) {
      case 0:
        return input.byte();
      case 1:
        return input.number<uint16_t>();
      case 2:
        return input.number<uint32_t>();
      default:
        return input.number<uint64_t>();
    }
  };
  constexpr unsigned kFirstOfComplex = 0x15, kFirstOfRaw = 0x17, kEnd = 0x19;
  if (first >= 1 && first < kFirstOfComplex)
    return VectorHead{kLong[(first - 1) / 4], length((first - 1) % 4)};
  if (first >= kFirstOfComplex && first < kEnd)
    return VectorHead{first < kFirstOfRaw ? RType::complex : RType::raw, length(2 + (first - 1) % 2)};
  return std::nullopt;
}

// Reads the number of attributes if `first` begins a list of them.
std::optional<uint64_t> attribute_count(unsigned first, QsInput& input) {
  if ((first & kShortForm) == kShortAttributes) return first & kShortLength;
  if (first == kAttributes8) return input.byte();
  if (first == kAttributes32) return input.number<uint32_t>();
  return std::nullopt;
}

// Counts what a reader keeps.
class Bounds {
 public:
  void count_value() {
    if (++values_ > kMaxValues) throw unsupported("more than {} R values", kMaxValues);
  }
  void count_values(uint64_t more) {
    values_ += more;
    if (values_ > kMaxValues) throw unsupported("more than {} R values", kMaxValues);
  }
  void count_name(std::string_view name) {
    name_bytes_ += name.size();
    if (name_bytes_ > kMaxNameBytes)
      throw unsupported("more than {} bytes of names of R values", kMaxNameBytes);
  }
  uint64_t values() const { return values_; }

 private:
  uint64_t values_ = 0, name_bytes_ = 0;
};

void check_depth(unsigned depth) {
  if (depth > kMaxDepth) throw unsupported("R values nested deeper than {}", kMaxDepth);
}

// A part of the decoded bytes, which holds R's own serialisation of a value.
class SerialisedPart final : public InnerFile {
 public:
  SerialisedPart(const FilePtr& file, uint64_t begin, uint64_t size)
      : InnerFile(file, file->path(), size, begin + 1), begin_(begin) {}

 private:
  void read(uint64_t offset, std::span<std::byte> out) const override {
    outer().read_at(begin_ + offset, out);
  }

  const uint64_t begin_;
};

// Returns the number of values in a tree.
uint64_t count_of(const Value& value) {
  uint64_t count = 1;
  for (const ValuePtr& item : value.items) count += count_of(*item);
  for (const NamedValue& attribute : value.attributes) count += count_of(*attribute.value);
  return count;
}

class QsReader {
 public:
  // wanted: the environments that are kept wherever they occur, by number. no_environments: none are kept.
  QsReader(const FilePtr& content, unsigned shuffled, const std::set<uint32_t>& wanted, bool no_environments,
           Context& context)
      : input_(content),
        shuffled_(shuffled),
        wanted_(wanted),
        no_environments_(no_environments),
        context_(context) {}

  ValuePtr read() { return item(0, true); }
  uint64_t position() const { return input_.position(); }
  // Returns the environments that are referenced as data but were skipped.
  const std::set<uint32_t>& missed() const { return missed_; }

 private:
  // With keep false, these skip the value: they return one of RType::other, and nothing of it stays in
  // memory.
  unsigned code();
  ValuePtr item(unsigned depth, bool keep);
  ValuePtr vector(const VectorHead& head, uint64_t attributes, unsigned depth, bool keep);
  ValuePtr of_form(unsigned form, uint64_t attributes, unsigned depth, bool keep);
  ValuePtr pairs(bool has_flags, uint64_t attributes, unsigned depth, bool keep);
  ValuePtr without_data(unsigned form, uint64_t attributes, unsigned depth, bool keep);
  ValuePtr environment(uint64_t attributes, unsigned depth, bool keep);
  ValuePtr environment_at(uint32_t number, bool keep);
  ValuePtr serialised(uint64_t size, bool keep);
  void read_attributes(Value* value, uint64_t count, unsigned depth);
  size_t shuffled_by(RType type) const;

  struct Environment {
    ValuePtr value;  // null while it is read
    uint64_t values = 0;
  };

  QsInput input_;
  const unsigned shuffled_;
  const std::set<uint32_t>& wanted_;
  const bool no_environments_;
  Context& context_;
  Bounds bounds_;
  HeldBytes held_;
  std::map<uint32_t, Environment> kept_;
  std::set<uint32_t> missed_;
};

size_t QsReader::shuffled_by(RType type) const {
  constexpr unsigned kLogical = 1, kInteger = 2, kReal = 4, kComplex = 8;
  switch (type) {
    case RType::logical:
      return shuffled_ & kLogical ? 4 : 0;
    case RType::integer:
      return shuffled_ & kInteger ? 4 : 0;
    case RType::real:
      return shuffled_ & kReal ? 8 : 0;
    case RType::complex:
      return shuffled_ & kComplex ? 8 : 0;
    default:
      return 0;
  }
}

// Reads the bytes that begin an object: one, or kOther and a second one, which is returned with kQsForm set.
constexpr unsigned kQsForm = 0x100;
unsigned QsReader::code() {
  const unsigned first = input_.byte();
  return first == kOther ? kQsForm | input_.byte() : first;
}

ValuePtr QsReader::item(unsigned depth, bool keep) {
  check_depth(depth);
  unsigned first = code();
  if (first == (kQsForm | kQsS4Bit)) first = code();
  uint64_t attributes = 0;
  if (const auto count = attribute_count(first, input_)) {
    attributes = *count;
    first = code();
  }
  if (keep) bounds_.count_value();
  if (first & kQsForm) return of_form(first & ~kQsForm, attributes, depth, keep);
  if (const auto head = vector_head(first, input_)) return vector(*head, attributes, depth, keep);
  if (first == 0) {
    read_attributes(nullptr, attributes, depth);
    return nothing();
  }
  if (first == kQsSymbol) {
    auto value = value_of(RType::symbol);
    value->name = qs_string(input_, QsForm::qs).value_or("NA");
    bounds_.count_name(value->name);
    read_attributes(nullptr, attributes, depth);
    return value;
  }
  if (first == kSerialised32) return serialised(input_.number<uint32_t>(), keep);
  if (first == kSerialised64) return serialised(input_.number<uint64_t>(), keep);
  throw damaged("an R value begins with the byte {:#04x}", first);
}

ValuePtr QsReader::vector(const VectorHead& head, uint64_t attributes, unsigned depth, bool keep) {
  const auto value = value_of(head.type);
  if (head.type == RType::list) {
    for (uint64_t i = 0; i < head.count; ++i) {
      ValuePtr part = item(depth + 1, keep);
      if (!keep) continue;
      bounds_.count_value();  // a kept item takes room even if it is NULL
      value->items.push_back(std::move(part));
    }
  } else if (head.type == RType::text) {
    value->vector = qs_texts(input_, QsForm::qs, head.count, keep, held_, context_);
  } else {
    value->vector = qs_numbers(input_, head.type, head.count, shuffled_by(head.type), keep, held_);
  }
  read_attributes(keep ? value.get() : nullptr, attributes, depth);
  if (!keep) return no_data();
  return value;
}

ValuePtr QsReader::of_form(unsigned form, uint64_t attributes, unsigned depth, bool keep) {
  switch (form) {
    case kQsS4: {
      const auto value = value_of(RType::s4);
      read_attributes(keep ? value.get() : nullptr, attributes, depth);
      if (!keep) return no_data();
      return value;
    }
    case kQsPairs:
    case kFlaggedPairs:
      return pairs(form == kFlaggedPairs, attributes, depth, keep);
    case kQsOpenEnvironment:
    case kQsLockedEnvironment:
      return environment(attributes, depth, keep);
    case kQsReference:
      return environment_at(input_.number<uint32_t>(), keep);
    default:
      return without_data(form, attributes, depth, keep);
  }
}

ValuePtr QsReader::pairs(bool has_flags, uint64_t attributes, unsigned depth, bool keep) {
  const auto count = input_.number<uint32_t>();
  const auto value = value_of(RType::list);
  TextBuilder names;
  bool has_names = false;
  for (uint32_t i = 0; i < count; ++i) {
    if (has_flags) input_.number<uint32_t>();
    const std::string tag = qs_string(input_, QsForm::qs).value_or("");
    ValuePtr part = item(depth + 1, keep);
    if (!keep) continue;
    bounds_.count_value();
    bounds_.count_name(tag);
    has_names |= !tag.empty();
    names.add(tag);
    value->items.push_back(std::move(part));
  }
  read_attributes(keep ? value.get() : nullptr, attributes, depth);
  if (!keep) return no_data();
  if (has_names) add_names(*value, names);
  return value;
}

// Skips a call, a function or an argument list, and returns its kind. Returns the value of a promise that was
// evaluated.
ValuePtr QsReader::without_data(unsigned form, uint64_t attributes, unsigned depth, bool keep) {
  const bool has_flags = form >= kFlaggedLanguage && form <= kFlaggedDots;
  if (!has_flags && (form < kQsLanguage || form > kQsDots))
    throw damaged("an R value begins with the bytes 0x1c {:#04x}", form);
  if (has_flags) {
    input_.number<uint32_t>();
    form = form - kFlaggedLanguage + kQsLanguage;
  }
  item(depth + 1, false);
  const ValuePtr value = item(depth + 1, keep && form == kQsPromise);
  item(depth + 1, false);
  read_attributes(nullptr, attributes, depth);
  if (form == kQsClosure) return no_data(Alien::function);
  const bool is_evaluated = form == kQsPromise && value != no_data();
  return is_evaluated ? value : no_data(Alien::language);
}

// Reads an environment: its number, its enclosure, its variables.
ValuePtr QsReader::environment(uint64_t attributes, unsigned depth, bool keep) {
  const auto number = input_.number<uint32_t>();
  if (no_environments_ || !(keep || wanted_.contains(number))) {
    for (int part = 0; part < 3; ++part) item(depth + 1, false);
    read_attributes(nullptr, attributes, depth);
    return no_data(Alien::environment);
  }
  const uint64_t before = bounds_.values();
  bounds_.count_value();
  kept_.insert_or_assign(number, Environment{});
  item(depth + 1, false);
  const ValuePtr frame = item(depth + 1, true), table = item(depth + 1, true);
  const std::shared_ptr<Value> value = list_of_variables(frame, table);
  read_attributes(value.get(), attributes, depth);
  kept_[number] = {value, bounds_.values() - before};
  return keep ? value : no_data(Alien::environment);
}

// Returns an environment that was defined earlier. Each reference to it counts as all of its values.
ValuePtr QsReader::environment_at(uint32_t number, bool keep) {
  if (!keep) return no_data(Alien::environment);
  const auto known = kept_.find(number);
  if (known == kept_.end()) {
    if (!no_environments_) missed_.insert(number);
    return no_data(Alien::environment);
  }
  if (!known->second.value) return nothing();  // it contains itself
  if (known->second.values > kMaxValues - std::min(kMaxValues, bounds_.values()))
    return no_data(Alien::environment);
  bounds_.count_values(known->second.values);
  return known->second.value;
}

// Reads a value in R's own serialisation.
ValuePtr QsReader::serialised(uint64_t size, bool keep) {
  const uint64_t begin = input_.position();
  input_.skip(size);
  if (!keep) return no_data();
  const auto bytes = std::make_shared<UnpackedBytes>(
      std::make_shared<SerialisedPart>(input_.file(), begin, size), Compression::none, context_, "");
  const std::unique_ptr<ByteSource> source = bytes->first_pass();
  SerialStream stream(*source, size);
  stream.read_header();
  LongVectors vectors;
  ValuePtr value = Reader(stream, bytes, vectors).read();
  bounds_.count_values(count_of(*value));
  return value;
}

// Adds the attributes to value, or skips them if it is null.
void QsReader::read_attributes(Value* value, uint64_t count, unsigned depth) {
  for (uint64_t i = 0; i < count; ++i) {
    std::string name = qs_string(input_, QsForm::qs).value_or("NA");
    ValuePtr attribute = item(depth + 1, value != nullptr);
    if (!value) continue;
    bounds_.count_value();
    bounds_.count_name(name);
    value->attributes.push_back({std::move(name), std::move(attribute)});
  }
}

// Reads .qdata: first the structure with all attributes, then the elements of all vectors, type by type.
class QdataReader {
 public:
  QdataReader(const FilePtr& content, Context& context) : input_(content), context_(context) {}

  ValuePtr read() {
    ValuePtr value = item(0);
    for (const RType type : {RType::text, RType::complex, RType::real, RType::integer, RType::raw})
      for (const auto& [vector, count] : vectors_[type]) {
        vector->vector = type == RType::text ? qs_texts(input_, QsForm::qdata, count, true, held_, context_)
                                             : qs_numbers(input_, vector->type, count, 0, true, held_);
      }
    return value;
  }
  uint64_t position() const { return input_.position(); }

 private:
  struct Vector {
    std::shared_ptr<Value> value;
    uint64_t count;
  };

  ValuePtr item(unsigned depth) {
    check_depth(depth);
    unsigned first = input_.byte();
    uint64_t attributes = 0;
    if (const auto count = attribute_count(first, input_)) {
      attributes = *count;
      first = input_.byte();
    }
    bounds_.count_value();
    const auto head = vector_head(first, input_);
    if (!head && first != 0) throw damaged("an R value begins with the byte {:#04x}", first);
    if (!head) return nothing();
    const auto value = value_of(head->type);
    for (uint64_t i = 0; i < attributes; ++i) {
      std::string name = qs_string(input_, QsForm::qdata).value_or("NA");
      bounds_.count_value();
      bounds_.count_name(name);
      value->attributes.push_back({std::move(name), item(depth + 1)});
    }
    if (head->type != RType::list) {
      vectors_[head->type == RType::logical ? RType::integer : head->type].push_back({value, head->count});
      return value;
    }
    for (uint64_t i = 0; i < head->count; ++i) {
      bounds_.count_value();
      value->items.push_back(item(depth + 1));
    }
    return value;
  }

  QsInput input_;
  Context& context_;
  Bounds bounds_;
  HeldBytes held_;
  std::map<RType, std::vector<Vector>> vectors_;  // logical ones among the integers
};

}  // namespace

QsValue read_qs(const FilePtr& content, unsigned shuffled, Context& context) {
  constexpr int kMaxRounds = 8;
  std::set<uint32_t> wanted;
  bool no_environments = false;
  for (int round = 1;; ++round) {
    QsReader reader(content, shuffled, wanted, no_environments, context);
    try {
      ValuePtr value = reader.read();
      const bool is_last = reader.missed().empty() || round >= kMaxRounds;
      if (is_last) return {std::move(value), content->size() - reader.position()};
    } catch (const Error& error) {
      if (!is_unsupported(error) || no_environments) throw;
      no_environments = true;
      continue;
    }
    wanted.insert(reader.missed().begin(), reader.missed().end());
  }
}

QsValue read_qdata(const FilePtr& content, Context& context) {
  QdataReader reader(content, context);
  ValuePtr value = reader.read();
  return {std::move(value), content->size() - reader.position()};
}

}  // namespace plainfs::rds
