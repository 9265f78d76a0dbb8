#include "formats/containers/rds/reader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "cache/request.h"
#include "formats/containers/rds/made_values.h"
#include "formats/core/base/checked.h"

namespace plainfs::rds {
namespace {

// Bounds so that a stream of 4-byte NULLs cannot fill the memory, nor a deep one the stack.
constexpr uint64_t kMaxVectorValues = uint64_t{1} << 20;
constexpr uint64_t kMaxReferences = uint64_t{1} << 20;
constexpr uint64_t kMaxSymbolBytes = 32 << 20;
constexpr unsigned kMaxNesting = 800;

// Larger vectors are read on demand. Once the held vectors take kMaxHeldInAll, this applies to all but tiny
// ones.
constexpr uint64_t kMaxHeldVector = 64 << 10;
constexpr uint64_t kMaxHeldInAll = 32 << 20;
constexpr uint64_t kMaxHeldBeyond = 256;

constexpr uint64_t kPartElements = 4096;
constexpr uint64_t kPartBytes = 256 << 10;

// SEXPTYPE numbers and the pseudo-types of serialize.c.
enum Code : uint32_t {
  kNil = 0,
  kSymbol = 1,
  kPairs = 2,
  kClosure = 3,
  kEnvironment = 4,
  kPromise = 5,
  kLanguage = 6,
  kSpecial = 7,
  kBuiltin = 8,
  kCharacterCode = 9,
  kLogical = 10,
  kInteger = 13,
  kReal = 14,
  kComplex = 15,
  kStrings = 16,
  kDots = 17,
  kList = 19,
  kExpression = 20,
  kByteCode = 21,
  kExternalPointer = 22,
  kWeakReference = 23,
  kRaw = 24,
  kS4 = 25,
  kAltrep = 238,
  kAttributedPairs = 239,
  kAttributedLanguage = 240,
  kBaseEnvironment = 241,
  kEmptyEnvironment = 242,
  kCodeReference = 243,
  kCodeDefinition = 244,
  kPersistent = 247,
  kPackage = 248,
  kNamespace = 249,
  kBaseNamespace = 250,
  kMissingArgument = 251,
  kUnboundValue = 252,
  kGlobalEnvironment = 253,
  kNilValue = 254,
  kReference = 255,
};

uint32_t code_of(uint32_t flags) {
  return flags & 0xff;
}
bool has_attributes(uint32_t flags) {
  return flags & 1 << 9;
}
bool has_tag(uint32_t flags) {
  return flags & 1 << 10;
}

std::optional<RType> vector_type(uint32_t code) {
  switch (code) {
    case kLogical:
      return RType::logical;
    case kInteger:
      return RType::integer;
    case kReal:
      return RType::real;
    case kComplex:
      return RType::complex;
    case kRaw:
      return RType::raw;
    case kStrings:
      return RType::text;
    default:
      return std::nullopt;
  }
}

// Returns the sequence of state: the number of elements, the first one and the step, all doubles.
ArrayPtr compact_sequence(RType type, const Value& state) {
  if (state.type != RType::real || state.length() != 3)
    throw damaged("a compact R sequence does not have three numbers");
  const Elements stored = read_all(*state.vector);
  const double count = stored.values<double>()[0], first = stored.values<double>()[1],
               step = stored.values<double>()[2];
  if (!(count >= 0 && count <= 0x1p52) || count != std::trunc(count))
    throw damaged("a compact R sequence has length {}", count);
  if (type == RType::integer && count > 0) {
    for (const double end : {first, first + step * (count - 1)})
      if (!(end > std::numeric_limits<int32_t>::min() && end <= std::numeric_limits<int32_t>::max() &&
            end == std::trunc(end)))
        throw damaged("a compact R sequence of integers ends at {}, beyond 32 bits", end);
  }
  return sequence(type, static_cast<uint64_t>(count), first, step);
}

// Returns the option scipen of the session that converted the numbers to text.
int scipen_of(const Value& state) {
  if (state.items.size() < 2) return 0;
  const auto given = state.items[1]->whole_numbers();
  return given && given->size() == 1 ? static_cast<int>(std::clamp<int64_t>((*given)[0], -1000, 1000)) : 0;
}

// Returns the vector that an ALTREP value of this class stands for (src/main/altclasses.c). Throws if the
// class is unknown. The caller then loses only this value.
std::shared_ptr<Value> expanded(const std::string& class_name, const Value& state) {
  if (class_name == "compact_intseq" || class_name == "compact_realseq") {
    auto value = value_of(class_name == "compact_intseq" ? RType::integer : RType::real);
    value->vector = compact_sequence(value->type, state);
    return value;
  }
  const bool is_deferred = class_name == "deferred_string";
  if (!is_deferred && !class_name.starts_with("wrap_"))
    throw unsupported("compact R vectors of class \"{}\"", class_name);
  if (state.type != RType::list || state.items.empty())
    throw damaged("the state of a compact R vector is not a pair");
  const Value& wrapped = *state.items[0];
  if (!wrapped.is_vector()) throw damaged("a compact R vector does not wrap a vector");
  if (!is_deferred || wrapped.type == RType::text) {
    auto value = value_of(wrapped.type);
    value->vector = wrapped.vector;
    return value;
  }
  if (wrapped.type != RType::integer && wrapped.type != RType::real)
    throw damaged("deferred R strings are not made from numbers");
  auto value = value_of(RType::text);
  value->vector = text_of_numbers(wrapped.type, wrapped.vector, scipen_of(state));
  return value;
}

}  // namespace

Reader::Reader(SerialStream& stream, std::shared_ptr<UnpackedBytes> bytes, LongVectors& vectors,
               KeptEnvironments environments)
    : stream_(stream),
      bytes_(std::move(bytes)),
      vectors_(vectors),
      elements_(stream, stream.native_encoding()),
      environments_(std::move(environments)) {}

// Records the environment that exceeds a bound, so that the next round can leave it out.
Error Reader::over_bound(Error error) {
  if (outermost_ != 0) too_large_ = outermost_;
  return error;
}

void Reader::count_value(bool keep) {
  if (keep && ++kept_values_ > kMaxVectorValues)
    throw over_bound(unsupported("more than {} R values", kMaxVectorValues));
}

// Counts a name at every use, since a long name may be referenced a million times.
void Reader::count_name(std::string_view name) {
  name_bytes_ += name.size();
  if (name_bytes_ > kMaxSymbolBytes)
    throw over_bound(unsupported("more than {} bytes of names of R values", kMaxSymbolBytes));
}

ValuePtr Reader::item(unsigned depth, bool keep) {
  return item_of_type(static_cast<uint32_t>(stream_.integer()), depth, keep);
}

ValuePtr Reader::item_of_type(uint32_t flags, unsigned depth, bool keep) {
  if (depth > kMaxNesting) throw unsupported("R values nested deeper than {}", kMaxNesting);
  const uint32_t code = code_of(flags);
  switch (code) {
    case kNil:
    case kNilValue:
      return nothing();
    case kSymbol:
    case kReference: {
      ValuePtr value = code == kSymbol ? symbol(depth) : reference(flags, keep);
      if (keep) {
        count_value(true);
        count_name(value->name);
      }
      return value;
    }
    case kPairs:
      count_value(keep);
      return pairs(flags, depth, keep);
    case kAltrep:
      count_value(keep);
      return altrep(depth, keep);
    case kEnvironment:
      return environment(depth, keep);
    case kPromise:
      return promise(flags, depth, keep);
    default:
      break;
  }
  const std::optional<RType> type = vector_type(code);
  if (!type && code != kList && code != kS4) return read_over(flags, depth);
  count_value(keep);
  auto value = value_of(type ? *type : code == kList ? RType::list : RType::s4);
  if (type)
    value->vector = vector(*type, keep);
  else if (code == kList)
    value->items = items(depth, keep);
  if (has_attributes(flags)) read_attributes(*value, depth, keep);
  if (!keep) return no_data();
  return value;
}

// Skips a value without data and returns its kind.
ValuePtr Reader::read_over(uint32_t flags, unsigned depth) {
  Alien kind = Alien::unknown;
  switch (code_of(flags)) {
    case kBaseEnvironment:
    case kEmptyEnvironment:
    case kBaseNamespace:
    case kGlobalEnvironment:
      return no_data(Alien::environment);
    case kMissingArgument:
    case kUnboundValue:
      return no_data();
    case kClosure:
    case kLanguage:
    case kDots:
      pairs(flags, depth, false);
      return no_data(code_of(flags) == kClosure ? Alien::function : Alien::language);
    case kPersistent:
    case kPackage:
    case kNamespace:
      names_of_package(depth);
      return no_data(Alien::environment);
    case kExternalPointer:
      kind = Alien::pointer;
      add_reference({});
      item(depth + 1, false);
      item(depth + 1, false);
      break;
    case kWeakReference:
      kind = Alien::pointer;
      add_reference({});
      break;
    case kSpecial:
    case kBuiltin:
      kind = Alien::function;
      stream_.text(stream_.length());
      break;
    case kExpression:
      kind = Alien::language;
      items(depth, false);
      break;
    case kByteCode:
      kind = Alien::language;
      stream_.integer();  // number of shared parts
      byte_code(depth);
      break;
    case kCharacterCode:
      elements_.string(flags);
      break;
    default:
      throw unsupported("unknown R value type {}", code_of(flags));
  }
  if (has_attributes(flags)) item(depth + 1, false);
  return no_data(kind);
}

ArrayPtr Reader::vector(RType type, bool keep) {
  const uint64_t count = stream_.length();
  const uint64_t most = !keep ? 0 : held_bytes_ < kMaxHeldInAll ? kMaxHeldVector : kMaxHeldBeyond;
  const uint64_t begin = stream_.position();
  const DType dtype = stored_type(type);
  const bool is_flat = type != RType::text && stream_.form() != Form::text;
  if (is_flat && checked_multiply(count, dtype.size) > most) {
    stream_.skip(checked_multiply(count, dtype.size));
    stream_.keep_place();
    return keep ? stored_numbers(bytes_, type, stream_.form(), begin, count) : nullptr;
  }
  if (!is_flat && knows(begin, keep)) return known_vector(type, count, begin, keep);
  // Each string takes at least four bytes, and each number two.
  if (!is_flat && (!keep || count > most / 2)) return long_vector(type, count, begin, 0, keep);
  if (type == RType::text) {
    TextBuilder builder(count);
    for (uint64_t i = 0; i < count; ++i) {
      elements_.add_string(builder);
      // Drops the strings read so far. The remaining ones are only located.
      if (stream_.position() - begin > most) return long_vector(type, count, begin, i + 1, keep);
    }
    held_bytes_ += stream_.position() - begin;
    return std::make_shared<MemoryArray>(dtype, Shape{count}, builder.finish());
  }
  Elements elements = elements_.read(type, count);
  held_bytes_ += elements.bytes.size();
  return std::make_shared<MemoryArray>(dtype, Shape{count}, std::move(elements));
}

// Returns a vector of variable-size elements that is too long to hold. Records the position of one element in
// every few. read: the number of elements read so far.
ArrayPtr Reader::long_vector(RType type, uint64_t count, uint64_t begin, uint64_t read, bool keep) {
  LongVector vector;
  vector.count = count;
  if (read > 0) vector.parts.push_back({0, begin});
  uint64_t part_offset = begin;
  for (uint64_t i = read; i < count; ++i) {
    const uint64_t at = stream_.position();
    if (keep && (vector.parts.empty() || i - vector.parts.back().first >= kPartElements ||
                 at - part_offset > kPartBytes)) {
      vector.parts.push_back({i, at});
      part_offset = at;
    }
    if (type == RType::text) {
      TextBuilder unused;
      elements_.add_string(unused);
    } else {
      elements_.read(type, 1);
    }
  }
  vector.end = stream_.position();
  if (vector.end - begin > kMaxHeldVector) {
    stream_.keep_place();
    vectors_.insert_or_assign(begin, vector);
  }
  if (!keep) return nullptr;
  return stored_parts(bytes_, type, stream_.form(), stream_.native_encoding(), std::move(vector));
}

// Returns whether an earlier pass found the end of the vector at begin and, if it is kept, its parts.
bool Reader::knows(uint64_t begin, bool keep) const {
  if (!bytes_->is_adopted()) return false;
  const auto found = vectors_.find(begin);
  return found != vectors_.end() && !(keep && found->second.parts.empty());
}

ArrayPtr Reader::known_vector(RType type, uint64_t count, uint64_t begin, bool keep) {
  const LongVector& vector = vectors_.at(begin);
  if (vector.count != count) throw damaged("a vector has {} elements, expected {}", count, vector.count);
  stream_.skip(vector.end - begin);
  if (!keep) return nullptr;
  return stored_parts(bytes_, type, stream_.form(), stream_.native_encoding(), vector);
}

std::vector<ValuePtr> Reader::items(unsigned depth, bool keep) {
  const uint64_t count = stream_.length();
  std::vector<ValuePtr> all;
  for (uint64_t i = 0; i < count; ++i) {
    ValuePtr value = item(depth + 1, keep);
    if (!keep) continue;
    count_value(true);  // a kept item takes room even if it is NULL
    all.push_back(std::move(value));
  }
  return all;
}

// Reads a chain of cells. Each has attributes, a tag and a value. The last tail may be any value.
ValuePtr Reader::pairs(uint32_t flags, unsigned depth, bool keep) {
  auto value = value_of(RType::list);
  TextBuilder names;
  bool has_names = false;
  const bool is_list = keep && code_of(flags) == kPairs;
  for (bool is_first = true;; is_first = false) {
    if (has_attributes(flags)) {
      if (is_first && is_list)
        read_attributes(*value, depth, true);
      else
        item(depth + 1, false);
    }
    std::string tag;
    if (has_tag(flags)) tag = item(depth + 1, false)->name;
    ValuePtr member = item(depth + 1, is_list);
    if (is_list) {
      count_value(true);
      has_names |= !tag.empty();
      count_name(tag);
      names.add(tag);
      value->items.push_back(std::move(member));
    }
    flags = static_cast<uint32_t>(stream_.integer());
    const uint32_t code = code_of(flags);
    if (code == kNilValue) break;
    if (code != kPairs && code != kLanguage && code != kDots) {
      item_of_type(flags, depth + 1, false);
      break;
    }
  }
  if (!is_list) return no_data();
  if (has_names) add_names(*value, names);
  return value;
}

void Reader::read_attributes(Value& value, unsigned depth, bool keep) {
  const ValuePtr attributes = item(depth + 1, keep);
  if (!keep || attributes->type == RType::null) return;
  if (attributes->type != RType::list) throw damaged("the attributes of an R value are not a pairlist");
  const std::optional<std::vector<std::string>> names = attributes->item_names();
  if (!names) throw damaged("an R value does not have one name for each attribute");
  for (size_t i = 0; i < attributes->items.size(); ++i)
    value.attributes.push_back({(*names)[i], attributes->items[i]});
}

ValuePtr Reader::symbol(unsigned) {
  const auto flags = static_cast<uint32_t>(stream_.integer());
  if (code_of(flags) != kCharacterCode) throw damaged("the name of a symbol has type {}", code_of(flags));
  auto value = value_of(RType::symbol);
  value->name = elements_.string(flags).value_or("NA");
  add_reference(value->name);
  return value;
}

ValuePtr Reader::reference(uint32_t flags, bool keep) {
  const uint32_t packed = flags >> 8;
  const auto index = packed != 0 ? packed : static_cast<uint32_t>(stream_.integer());
  if (index == 0 || index > references_.size())
    throw damaged("a reference to R value {}, but there are {}", index, references_.size());
  const Reference& known = references_[index - 1];
  if (known.is_environment) return environment_at(index, keep);
  if (known.symbol.empty()) return no_data(Alien::environment);
  auto value = value_of(RType::symbol);
  value->name = known.symbol;
  return value;
}

// Returns an environment that was defined earlier. Each reference to it counts as all of its values. This
// bounds the work of walking the tree.
ValuePtr Reader::environment_at(size_t number, bool keep) {
  if (!keep) return no_data(Alien::environment);
  const auto known = kept_.find(number);
  if (known == kept_.end()) {
    const bool can_be_had = !environments_.none && !environments_.refused.contains(number);
    if (can_be_had) missed_.insert(number);
    return no_data(Alien::environment);
  }
  if (!known->second.value) return nothing();  // it contains itself
  if (known->second.values > kMaxVectorValues - std::min(kMaxVectorValues, kept_values_))
    return no_data(Alien::environment);
  kept_values_ += known->second.values;
  return known->second.value;
}

void Reader::add_reference(std::string symbol, bool is_environment) {
  if (references_.size() == kMaxReferences)
    throw unsupported("more than {} R symbols and environments", kMaxReferences);
  count_name(symbol);
  references_.push_back({std::move(symbol), is_environment});
}

// Reads an environment: whether it is locked, its enclosure, its variables, its attributes.
ValuePtr Reader::environment(unsigned depth, bool keep) {
  stream_.integer();
  add_reference({}, true);
  const size_t number = references_.size();
  const bool is_kept = !environments_.none && !environments_.refused.contains(number) &&
                       (keep || environments_.wanted.contains(number));
  if (!is_kept) {
    for (int part = 0; part < 4; ++part) item(depth + 1, false);
    return no_data(Alien::environment);
  }
  const uint64_t before = kept_values_;
  const bool is_outermost = outermost_ == 0;
  if (is_outermost) outermost_ = number;
  count_value(true);
  kept_.emplace(number, Environment{});
  item(depth + 1, false);
  const std::shared_ptr<Value> value = variables(depth);
  read_attributes(*value, depth, true);
  if (is_outermost) outermost_ = 0;
  kept_[number] = {value, kept_values_ - before};
  return keep ? value : no_data(Alien::environment);
}

// Reads the variables of an environment: a pairlist, and a table of pairlists by the hash of their names.
std::shared_ptr<Value> Reader::variables(unsigned depth) {
  const ValuePtr frame = item(depth + 1, true), table = item(depth + 1, true);
  return list_of_variables(frame, table);
}

// Reads a promise, a variable that is evaluated on first use: the value if it was evaluated, else an
// expression.
ValuePtr Reader::promise(uint32_t flags, unsigned depth, bool keep) {
  if (has_attributes(flags)) item(depth + 1, false);
  if (has_tag(flags)) item(depth + 1, false);
  const auto value_flags = static_cast<uint32_t>(stream_.integer());
  ValuePtr value = item_of_type(value_flags, depth + 1, keep);
  item(depth + 1, false);
  return code_of(value_flags) == kUnboundValue ? no_data(Alien::language) : value;
}

void Reader::names_of_package(unsigned depth) {
  if (stream_.integer() != 0) throw damaged("the name of an R package is a named vector");
  const int32_t count = stream_.integer();
  if (count < 0) throw damaged("the name of an R package has {} parts", count);
  for (int32_t i = 0; i < count; ++i) item(depth + 1, false);
  add_reference({});
}

// ReadBC1 in serialize.c: the code, then the constants.
void Reader::byte_code(unsigned depth) {
  if (depth > kMaxNesting) throw unsupported("R values nested deeper than {}", kMaxNesting);
  item(depth + 1, false);
  const int32_t count = stream_.integer();
  if (count < 0) throw damaged("R byte code has {} constants", count);
  for (int32_t i = 0; i < count; ++i) {
    const auto type = static_cast<uint32_t>(stream_.integer());
    if (type == kByteCode)
      byte_code(depth + 1);
    else
      byte_code_language(type, depth + 1);
  }
}

// ReadBCLang: a tree in which a type precedes each part.
void Reader::byte_code_language(uint32_t type, unsigned depth) {
  if (depth > kMaxNesting) throw unsupported("R values nested deeper than {}", kMaxNesting);
  for (;;) {
    if (type == kCodeReference) {
      stream_.integer();
      return;
    }
    if (type == kCodeDefinition) {
      stream_.integer();
      type = static_cast<uint32_t>(stream_.integer());
    }
    const bool has_own_attributes = type == kAttributedPairs || type == kAttributedLanguage;
    if (!has_own_attributes && type != kPairs && type != kLanguage) {
      item(depth + 1, false);
      return;
    }
    if (has_own_attributes) item(depth + 1, false);
    item(depth + 1, false);  // the tag
    byte_code_language(static_cast<uint32_t>(stream_.integer()), depth + 1);
    type = static_cast<uint32_t>(stream_.integer());
  }
}

ValuePtr Reader::altrep(unsigned depth, bool keep) {
  const ValuePtr info = item(depth + 1, true);
  const ValuePtr state = item(depth + 1, keep);
  std::shared_ptr<Value> value;
  if (info->type != RType::list || info->items.empty() || info->items[0]->type != RType::symbol)
    throw damaged("an ALTREP value has no class");
  if (keep) {
    try {
      value = expanded(info->items[0]->name, *state);
    } catch (const Error& error) {
      value = value_of(RType::text);
      value->vector = std::make_shared<BrokenArray>(text_type(), error);
    }
  }
  Value unused;
  read_attributes(value ? *value : unused, depth, keep);
  if (!keep) return no_data();
  return value;
}

}  // namespace plainfs::rds
