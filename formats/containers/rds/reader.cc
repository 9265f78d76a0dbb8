#include "formats/containers/rds/reader.h"

#include <algorithm>
#include <utility>

#include "formats/containers/rds/altrep.h"
#include "formats/core/base/checked.h"
#include "formats/core/text/utf8.h"

namespace plainfs::rds {
namespace {

// A stream of 4-byte nothings must not become a tree that fills the memory, nor a deep one the stack.
constexpr uint64_t kMostValues = 1 << 20;
constexpr unsigned kMostDepth = 200;

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
  kCharacters = 9,
  kLogical = 10,
  kInteger = 13,
  kReal = 14,
  kComplex = 15,
  kStrings = 16,
  kDots = 17,
  kList = 19,
  kExpression = 20,
  kExternalPointer = 22,
  kWeakReference = 23,
  kRaw = 24,
  kS4 = 25,
  kAltrep = 238,
  kBaseEnvironment = 241,
  kEmptyEnvironment = 242,
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

// "General purpose" bits of a CHARSXP.
constexpr uint32_t kLatin1 = 1 << 2;
constexpr uint32_t kUtf8 = 1 << 3;
uint32_t levels_of(uint32_t flags) {
  return flags >> 12;
}

bool is_latin1(uint32_t flags, const std::string& native_encoding) {
  if (levels_of(flags) & kLatin1) return true;
  return !(levels_of(flags) & kUtf8) && (native_encoding == "latin1" || native_encoding == "ISO-8859-1");
}

std::string utf8_of_latin1(std::string_view text) {
  std::string utf8;
  for (const char c : text) append_utf8(static_cast<unsigned char>(c), utf8);
  return utf8;
}

RValue of_type(RType type) {
  RValue value;
  value.type = type;
  return value;
}

}  // namespace

RValue Reader::item(unsigned depth) {
  if (depth > kMostDepth) throw unsupported("R values nested deeper than {}", kMostDepth);
  if (++values_ > kMostValues) throw unsupported("more than {} R values", kMostValues);
  return item_of_type(static_cast<uint32_t>(stream_.integer()), depth);
}

RValue Reader::item_of_type(uint32_t flags, unsigned depth) {
  RValue value;
  switch (code_of(flags)) {
    case kNil:
    case kNilValue:
      return value;
    case kSymbol:
      return symbol(depth);
    case kReference:
      return reference(flags);
    case kPairs:
      return pairs(flags, depth);
    case kAltrep:
      return altrep(depth);
    case kLogical:
      value = numbers(RType::logical, 4);
      break;
    case kInteger:
      value = numbers(RType::integer, 4);
      break;
    case kReal:
      value = numbers(RType::real, 8);
      break;
    case kStrings:
      value = strings(depth);
      break;
    case kList:
    case kExpression:
      value = list(depth);
      break;
    case kS4:
      value = of_type(RType::s4);
      break;
    default:
      return other(flags, depth);
  }
  if (has_attributes(flags)) read_attributes(value, depth);
  return value;
}

// What is only read over.
RValue Reader::other(uint32_t flags, unsigned depth) {
  RValue value = of_type(RType::other);
  switch (code_of(flags)) {
    case kBaseEnvironment:
    case kEmptyEnvironment:
    case kBaseNamespace:
    case kMissingArgument:
    case kUnboundValue:
    case kGlobalEnvironment:
      return value;
    case kClosure:
    case kPromise:
    case kLanguage:
    case kDots:
      pairs(flags, depth);
      return value;
    case kEnvironment:
      return environment(depth);
    case kPersistent:
    case kPackage:
    case kNamespace:
      return name_of_namespace(depth);
    case kExternalPointer:
      add_reference({});
      item(depth + 1);
      item(depth + 1);
      break;
    case kWeakReference:
      add_reference({});
      break;
    case kSpecial:
    case kBuiltin:
      stream_.skip(stream_.length());
      break;
    case kRaw:
      stream_.skip(stream_.length());
      break;
    case kComplex:
      stream_.skip(checked_multiply(stream_.length(), 16));
      break;
    case kCharacters:
      characters(flags, depth);
      return value;
    default:
      throw unsupported("R values of type {} are not supported", code_of(flags));
  }
  if (has_attributes(flags)) read_attributes(value, depth);
  return value;
}

RValue Reader::numbers(RType type, size_t size) {
  RValue value = of_type(type);
  value.elements.count = stream_.length();
  value.elements.bytes = stream_.numbers(value.elements.count, size);
  return value;
}

RValue Reader::strings(unsigned depth) {
  const uint64_t count = stream_.length();
  TextBuilder builder(std::min<uint64_t>(count, 1 << 16));
  for (uint64_t i = 0; i < count; ++i) {
    const auto flags = static_cast<uint32_t>(stream_.integer());
    if (code_of(flags) != kCharacters) throw damaged("a string vector holds type {}", code_of(flags));
    const std::optional<std::string> text = characters(flags, depth);
    if (text)
      builder.add(*text);
    else
      builder.add_missing();
  }
  RValue value = of_type(RType::text);
  value.elements = builder.finish();
  return value;
}

std::optional<std::string> Reader::characters(uint32_t flags, unsigned depth) {
  const int32_t size = stream_.integer();
  if (size < -1) throw damaged("a string has length {}", size);
  std::optional<std::string> text;
  if (size >= 0) {
    const Bytes bytes = stream_.bytes(static_cast<uint64_t>(size));
    text = is_latin1(flags, stream_.native_encoding()) ? utf8_of_latin1(as_text(bytes))
                                                       : std::string(as_text(bytes));
  }
  if (has_attributes(flags)) item(depth + 1);
  return text;
}

RValue Reader::list(unsigned depth) {
  const uint64_t count = stream_.length();
  RValue value = of_type(RType::list);
  for (uint64_t i = 0; i < count; ++i) value.items.push_back(item(depth + 1));
  return value;
}

// A chain of cells: attributes, tag, value each, and then the rest, which need be no cell.
RValue Reader::pairs(uint32_t flags, unsigned depth) {
  RValue value = of_type(RType::pairs);
  for (;;) {
    if (has_attributes(flags)) item(depth + 1);
    value.tags.push_back(has_tag(flags) ? item(depth + 1).name : std::string());
    value.items.push_back(item(depth + 1));
    flags = static_cast<uint32_t>(stream_.integer());
    if (code_of(flags) == kNilValue) return value;
    if (code_of(flags) != kPairs) break;
    if (++values_ > kMostValues) throw unsupported("more than {} R values", kMostValues);
  }
  value.tags.emplace_back();
  value.items.push_back(item_of_type(flags, depth + 1));
  return value;
}

void Reader::read_attributes(RValue& value, unsigned depth) {
  RValue attributes = item(depth + 1);
  if (attributes.type == RType::null) return;
  if (attributes.type != RType::pairs) throw damaged("the attributes of an R value are no pairlist");
  for (size_t i = 0; i < attributes.items.size(); ++i) {
    value.attributes.push_back({std::move(attributes.tags[i]), std::move(attributes.items[i])});
  }
}

RValue Reader::symbol(unsigned depth) {
  const auto flags = static_cast<uint32_t>(stream_.integer());
  if (code_of(flags) != kCharacters) throw damaged("the name of a symbol is of type {}", code_of(flags));
  RValue value = of_type(RType::symbol);
  value.name = characters(flags, depth).value_or("NA");
  add_reference(value.name);
  return value;
}

RValue Reader::reference(uint32_t flags) const {
  const uint32_t packed = flags >> 8;
  const auto index = packed != 0 ? packed : static_cast<uint32_t>(stream_.integer());
  if (index == 0 || index > references_.size()) {
    throw damaged("a reference to R value {} of {}", index, references_.size());
  }
  const std::string& name = references_[index - 1];
  RValue value = of_type(name.empty() ? RType::other : RType::symbol);
  value.name = name;
  return value;
}

void Reader::add_reference(std::string symbol) {
  references_.push_back(std::move(symbol));
}

RValue Reader::environment(unsigned depth) {
  stream_.integer();  // locked or not
  add_reference({});
  for (int part = 0; part < 4; ++part) item(depth + 1);  // enclosure, frame, hash table, attributes
  return of_type(RType::other);
}

RValue Reader::name_of_namespace(unsigned depth) {
  if (stream_.integer() != 0) throw damaged("the name of an R package has names");
  const int32_t count = stream_.integer();
  if (count < 0) throw damaged("the name of an R package has {} parts", count);
  for (int32_t i = 0; i < count; ++i) item(depth + 1);
  add_reference({});
  return of_type(RType::other);
}

RValue Reader::altrep(unsigned depth) {
  const RValue info = item(depth + 1);
  RValue state = item(depth + 1);
  if (info.type != RType::pairs) throw damaged("an ALTREP value has no class");
  RValue value = expand_altrep(info.items[0].name, std::move(state), most_expanded_);
  read_attributes(value, depth);
  return value;
}

}  // namespace plainfs::rds
