// Python's pickle machine (pickletools.py documents its opcodes), restricted to data. It knows a fixed list
// of opcodes and globals (PickleFunction), calls nothing, and refuses everything else.
#include "formats/core/pickle/pickle.h"

#include "formats/core/base/cursor.h"
#include "formats/core/model/elements/object_text.h"
#include "formats/core/pickle/pickle_opcodes.h"
#include "formats/core/text/parsed_number.h"

namespace plainfs {
namespace {

constexpr unsigned kLastProtocol = 5;

class PickleMachine {
 public:
  PickleMachine(ByteSpan pickle, PickleHeap& heap) : cursor_(pickle), heap_(heap) {}

  PickleValue run() {
    while (step(cursor_.byte())) {
    }
    if (!cursor_.at_end()) throw damaged("{} bytes after the end of the pickle", cursor_.remaining());
    return pop();
  }

 private:
  // Executes one opcode. Returns false for STOP.
  bool step(unsigned opcode) {
    switch (opcode) {
      case '.':
        return false;
      case 0x80:
        if (const unsigned protocol = cursor_.byte(); protocol > kLastProtocol)
          throw damaged("unknown pickle protocol {}", protocol);
        return true;
      case 0x95:
        if (const auto size = cursor_.little<uint64_t>(); size > cursor_.remaining())
          throw damaged("the pickle has a frame of {} bytes, but only {} are left", size,
                        cursor_.remaining());
        return true;
      case '(':
        marks_.push_back(stack_.size());
        return true;
      case '0':
        pop();
        return true;
      case '2':
        push(top());
        return true;
    }
    if (!step_scalar(opcode) && !step_text(opcode) && !step_container(opcode) && !step_memo(opcode) &&
        !step_object(opcode))
      throw damaged("unknown pickle opcode {:#04x} at byte {}", opcode, cursor_.position() - 1);
    return true;
  }

  bool step_scalar(unsigned opcode) {
    switch (opcode) {
      case 'N':
        push(PickleValue{});
        return true;
      case 0x88:
        push_integer(PickleKind::boolean, 1);
        return true;
      case 0x89:
        push_integer(PickleKind::boolean, 0);
        return true;
      case 'J':
        push_integer(PickleKind::integer, cursor_.little<int32_t>());
        return true;
      case 'K':
        push_integer(PickleKind::integer, cursor_.byte());
        return true;
      case 'M':
        push_integer(PickleKind::integer, cursor_.little<uint16_t>());
        return true;
      case 0x8a:
        push_long(cursor_.byte());
        return true;
      case 0x8b:
        push_long(length(cursor_.little<int32_t>()));
        return true;
      case 'I':
        push_int_line(line());
        return true;
      case 'L':
        push_long_line(line());
        return true;
      case 'G':
        push_real(std::bit_cast<double>(cursor_.big<uint64_t>()));
        return true;
      case 'F':
        push_real_line(line());
        return true;
    }
    return false;
  }

  bool step_text(unsigned opcode) {
    switch (opcode) {
      case 'X':
        push_text(PickleKind::text, cursor_.little<uint32_t>());
        return true;
      case 0x8c:
        push_text(PickleKind::text, cursor_.byte());
        return true;
      case 0x8d:
        push_text(PickleKind::text, cursor_.little<uint64_t>());
        return true;
      case 'V':
        push_unicode_line(line());
        return true;
      // Python 2's str, read as text, which may be invalid UTF-8.
      case 'T':
        push_text(PickleKind::text, length(cursor_.little<int32_t>()));
        return true;
      case 'U':
        push_text(PickleKind::text, cursor_.byte());
        return true;
      case 'C':
        push_text(PickleKind::bytes, cursor_.byte());
        return true;
      case 'B':
        push_text(PickleKind::bytes, cursor_.little<uint32_t>());
        return true;
      case 0x8e:
      case 0x96:
        push_text(PickleKind::bytes, cursor_.little<uint64_t>());
        return true;
    }
    return false;
  }

  bool step_container(unsigned opcode) {
    switch (opcode) {
      case ']':
        push_list(PickleKind::list, {});
        return true;
      case '}':
        push_list(PickleKind::dict, {});
        return true;
      case ')':
        push_list(PickleKind::tuple, {});
        return true;
      case 'l':
        push_list(PickleKind::list, pop_mark());
        return true;
      case 't':
        push_list(PickleKind::tuple, pop_mark());
        return true;
      case 'd':
        push_list(PickleKind::dict, pairs(pop_mark()));
        return true;
      case 0x85:
      case 0x86:
      case 0x87:
        push_list(PickleKind::tuple, pop_last(opcode - 0x84));
        return true;
      case 'a':
        extend(PickleKind::list, pop_last(1));
        return true;
      case 'e':
        extend(PickleKind::list, pop_mark());
        return true;
      case 's':
        extend(PickleKind::dict, pop_last(2));
        return true;
      case 'u':
        extend(PickleKind::dict, pairs(pop_mark()));
        return true;
    }
    return false;
  }

  bool step_memo(unsigned opcode) {
    switch (opcode) {
      case 'p':
        remember(index_of(line()));
        return true;
      case 'q':
        remember(cursor_.byte());
        return true;
      case 'r':
        remember(cursor_.little<uint32_t>());
        return true;
      case 0x94:
        remember(remembered_);
        return true;
      case 'g':
        push(recall(index_of(line())));
        return true;
      case 'h':
        push(recall(cursor_.byte()));
        return true;
      case 'j':
        push(recall(cursor_.little<uint32_t>()));
        return true;
    }
    return false;
  }

  bool step_object(unsigned opcode) {
    switch (opcode) {
      case 'c': {
        const std::string_view module = line();
        push_function(find_pickle_function(module, line()));
        return true;
      }
      case 0x93: {
        const PickleValue name = pop(PickleKind::text);
        push_function(find_pickle_function(pop(PickleKind::text).text(), name.text()));
        return true;
      }
      case 'R': {
        const PickleValue arguments = pop(PickleKind::tuple);
        const PickleValue function = pop(PickleKind::function);
        push(call_pickle_function(function.function, heap_.items(arguments), heap_));
        return true;
      }
      case 0x81: {
        const PickleValue arguments = pop(PickleKind::tuple);
        const PickleValue function = pop(PickleKind::function);
        if (function.function != PickleFunction::reference || !heap_.items(arguments).empty())
          throw damaged("the pickle creates an object that is not a reference");
        push_list(PickleKind::dict, {});
        return true;
      }
      case 'b': {
        const PickleValue state = pop(PickleKind::tuple);
        set_pickle_state(top(), heap_.items(state), heap_);
        return true;
      }
    }
    return false;
  }

  void push(PickleValue value) {
    check_value_count("pickle", ++pushed_);
    stack_.push_back(value);
  }
  void push_integer(PickleKind kind, int64_t value) { push(PickleValue::of_integer(kind, value)); }
  void push_real(double value) {
    PickleValue real = PickleValue::of(PickleKind::real);
    real.real = value;
    push(real);
  }
  void push_text(PickleKind kind, uint64_t size) { push(PickleValue::of_text(kind, cursor_.text(size))); }
  void push_own_text(PickleKind kind, std::string text) {
    push(PickleValue::of_text(kind, heap_.texts.emplace_back(std::move(text))));
  }
  void push_list(PickleKind kind, std::vector<PickleValue> items) {
    heap_.lists.push_back(std::move(items));
    push(PickleValue::of_index(kind, heap_.lists.size() - 1));
  }
  void push_function(PickleFunction function) {
    PickleValue value = PickleValue::of(PickleKind::function);
    value.function = function;
    push(value);
  }

  // Values below the last mark cannot be accessed, as in Python.
  size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
  PickleValue& top() {
    if (stack_.size() <= floor()) throw damaged("the pickle pops from an empty stack");
    return stack_.back();
  }
  PickleValue pop() {
    const PickleValue value = top();
    stack_.pop_back();
    return value;
  }
  PickleValue pop(PickleKind kind) {
    const PickleValue value = pop();
    if (value.kind != kind)
      throw damaged("the pickle has a value of the wrong kind at byte {}", cursor_.position());
    return value;
  }
  std::vector<PickleValue> pop_last(size_t count) {
    if (stack_.size() - floor() < count) throw damaged("the pickle pops from an empty stack");
    std::vector<PickleValue> items(stack_.end() - static_cast<ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    return items;
  }
  std::vector<PickleValue> pop_mark() {
    if (marks_.empty()) throw damaged("the pickle has no mark");
    std::vector<PickleValue> items = pop_last(stack_.size() - marks_.back());
    marks_.pop_back();
    return items;
  }
  static std::vector<PickleValue> pairs(std::vector<PickleValue> items) {
    if (items.size() % 2 != 0) throw damaged("the pickle has a key without a value");
    return items;
  }
  void extend(PickleKind kind, const std::vector<PickleValue>& items) {
    const PickleValue& target = top();
    if (target.kind != kind) throw damaged("the pickle adds items to a value that is not a container");
    std::vector<PickleValue>& list = heap_.lists[target.index];
    list.insert(list.end(), items.begin(), items.end());
  }

  // Setting a memo index takes an opcode, so no index can exceed the pickle's size.
  void remember(uint64_t index) {
    if (index > cursor_.position())
      throw damaged("pickle memo entry {} is beyond byte {}", index, cursor_.position());
    if (index >= memo_.size()) memo_.resize(index + 1);
    if (!memo_[index].set) ++remembered_;
    memo_[index] = {true, top()};
  }
  PickleValue recall(uint64_t index) const {
    if (index >= memo_.size() || !memo_[index].set) throw damaged("pickle memo entry {} is not set", index);
    return memo_[index].value;
  }

  std::string_view line() {
    const size_t start = cursor_.position();
    while (cursor_.byte() != '\n') {
    }
    const size_t size = cursor_.position() - start - 1;
    cursor_.seek(start);
    const std::string_view text = cursor_.text(size);
    cursor_.skip(1);
    return text;
  }
  static uint64_t length(int32_t size) {
    if (size < 0) throw damaged("the pickle has the invalid length {}", size);
    return static_cast<uint64_t>(size);
  }
  static uint64_t index_of(std::string_view text) {
    const auto index = parsed_number<uint64_t>(text);
    if (!index) throw damaged("invalid pickle memo entry \"{}\"", text.substr(0, 40));
    return *index;
  }

  void push_int_line(std::string_view text) {
    if (text == "00" || text == "01")
      push_integer(PickleKind::boolean, text == "01");
    else
      push_decimal(text);
  }
  void push_long_line(std::string_view text) {
    if (text.ends_with('L')) text.remove_suffix(1);
    push_decimal(text);
  }
  void push_decimal(std::string_view text) {
    if (const auto value = parsed_number<int64_t>(text)) return push_integer(PickleKind::integer, *value);
    const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
    if (digits.empty() || digits[0] == '0' ||
        digits.find_first_not_of("0123456789") != std::string_view::npos)
      throw damaged("the pickle has the invalid integer \"{}\"", text.substr(0, 40));
    push(PickleValue::of_text(PickleKind::number, text));
  }
  void push_real_line(std::string_view text) {
    const auto value = parsed_number<double>(text);
    if (!value) throw damaged("the pickle has the invalid number \"{}\"", text.substr(0, 40));
    push_real(*value);
  }
  void push_long(uint64_t size);
  void push_unicode_line(std::string_view text) { push_own_text(PickleKind::text, unescaped_unicode(text)); }

  struct MemoEntry {
    bool set = false;
    PickleValue value;
  };

  Cursor cursor_;
  PickleHeap& heap_;
  std::vector<PickleValue> stack_;
  uint64_t pushed_ = 0;        // onto stack_, in all
  std::vector<size_t> marks_;  // the size of the stack at each mark
  std::vector<MemoEntry> memo_;
  uint64_t remembered_ = 0;  // entries of memo_ that are set
};

void PickleMachine::push_long(uint64_t size) {
  constexpr uint64_t kMaxBytes = 1024;
  if (size > kMaxBytes) throw damaged("the pickle has an integer of {} bytes", size);
  const ByteSpan bytes = cursor_.bytes(size);
  if (bytes.empty()) return push_integer(PickleKind::integer, 0);
  if (bytes.size() > 8) {
    std::string digits = decimal_digits(bytes);
    if (const auto value = parsed_number<int64_t>(digits)) return push_integer(PickleKind::integer, *value);
    return push_own_text(PickleKind::number, std::move(digits));
  }
  uint64_t value = (bytes.back() & std::byte{0x80}) != std::byte{0} ? ~uint64_t{0} : 0;
  for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<uint64_t>(bytes[i]);
  push_integer(PickleKind::integer, static_cast<int64_t>(value));
}

}  // namespace

PickleValue run_pickle(ByteSpan pickle, PickleHeap& heap) {
  return PickleMachine(pickle, heap).run();
}

}  // namespace plainfs
