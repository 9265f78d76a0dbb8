#include "fs/text/text_file.h"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <random>
#include <thread>

#include "cache/request.h"
#include "fs/text/side_by_side.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"

namespace plainfs {

namespace {

// The actions of a source, for inspection by a test during the life of the file.
struct Doings {
  std::atomic<int> prepared{0};
  std::atomic<int> formatted{0};
};

// Block i is texts[i].
class Texts : public EmittingSource<Texts> {
 public:
  Texts(std::string head, std::vector<std::string> texts, Doings& doings)
      : head_(std::move(head)), texts_(std::move(texts)), doings_(doings) {}
  void prepare() override { ++doings_.prepared; }
  std::string head() const override { return head_; }
  uint64_t block_count() const override { return texts_.size(); }
  template <class Sink>
  void emit(uint64_t block, Sink& sink) const {
    if constexpr (std::is_same_v<Sink, ByteSink>) ++doings_.formatted;
    sink.put(std::string_view(texts_[block]));
  }

 private:
  const std::string head_;
  const std::vector<std::string> texts_;
  Doings& doings_;
};

// Measures one text and formats another.
class Unsteady : public TextSource {
 public:
  explicit Unsteady(size_t formatted) : formatted_(formatted) {}
  uint64_t block_count() const override { return 1; }
  uint64_t measure(uint64_t) const override { return 10; }
  void format(uint64_t, ByteSink& out) const override {
    for (size_t i = 0; i < formatted_; ++i) out.put('x');
  }

 private:
  const size_t formatted_;
};

class Huge : public TextSource {
 public:
  std::string head() const override { return "head\n"; }
  uint64_t block_count() const override { return uint64_t{1} << 60; }
  uint64_t measure(uint64_t) const override { return 1; }
  void format(uint64_t, ByteSink& out) const override { out.put('x'); }
};

// More blocks than a text has offsets. Block i is i % 3 characters.
class Grouped : public EmittingSource<Grouped> {
 public:
  static constexpr uint64_t kBlocks = 4 * kMaxOffsets + 5;
  explicit Grouped(uint64_t longer = UINT64_MAX) : longer_(longer) {}
  std::string version() const override { return "grouped 1"; }
  std::string head() const override { return "head\n"; }
  uint64_t block_count() const override { return kBlocks; }
  template <class Sink>
  void emit(uint64_t block, Sink& sink) const {
    for (uint64_t i = 0; i < block % 3 + (block == longer_); ++i) sink.put(letter(block));
  }
  static char letter(uint64_t block) { return static_cast<char>('a' + block % 26); }

 private:
  const uint64_t longer_;  // a block with one character more
};

// Cannot be prepared, or measured, the first time.
class Failing : public TextSource {
 public:
  Failing(bool in_prepare, std::atomic<int>& failures_left)
      : in_prepare_(in_prepare), failures_left_(failures_left) {}
  void prepare() override {
    if (in_prepare_) fail();
  }
  uint64_t block_count() const override { return 3; }
  uint64_t measure(uint64_t) const override {
    if (!in_prepare_) fail();
    return 1;
  }
  void format(uint64_t, ByteSink& out) const override { out.put('x'); }

 private:
  void fail() const {
    if (failures_left_.fetch_sub(1) > 0) throw damaged("as planned");
  }
  const bool in_prepare_;
  std::atomic<int>& failures_left_;
};

// Texts with a length that takes time to compute. The first time, block `failing_first` fails and the others
// differ from their later content.
class Dear : public TextSource {
 public:
  Dear(std::vector<std::string> texts, Doings& doings, uint64_t failing_first = UINT64_MAX)
      : texts_(std::move(texts)), doings_(doings), failing_first_(failing_first) {}
  void prepare() override { ++doings_.prepared; }
  uint64_t block_count() const override { return texts_.size(); }
  uint64_t measure(uint64_t block) const override { return texts_[block].size(); }
  void format(uint64_t block, ByteSink& out) const override {
    ++doings_.formatted;
    const bool is_first = doings_.prepared == 1 && failing_first_ != UINT64_MAX;
    if (is_first && block == failing_first_) throw damaged("as planned");
    out.put(std::string_view(is_first ? "another" : texts_[block]));
  }
  bool should_cache(uint64_t) const override { return true; }

 private:
  const std::vector<std::string> texts_;
  Doings& doings_;
  const uint64_t failing_first_;
};

// 1,000 blocks of one character. The flag is cancelled after a number of measured blocks.
struct Flag : Request {
  std::atomic<bool> is_cancelled{false};
  bool cancelled() const override { return is_cancelled; }
};
class Interrupted : public TextSource {
 public:
  Interrupted(Flag& flag, std::atomic<int>& measured) : flag_(flag), measured_(measured) {}
  std::string version() const override { return "interrupted 1"; }
  uint64_t block_count() const override { return 1000; }
  uint64_t measure(uint64_t) const override {
    if (++measured_ == 300) flag_.is_cancelled = true;
    return 1;
  }
  void format(uint64_t, ByteSink& out) const override { out.put('x'); }

 private:
  Flag& flag_;
  std::atomic<int>& measured_;
};

std::vector<std::string> random_texts(std::mt19937_64& random, size_t count) {
  std::vector<std::string> texts(count);
  for (std::string& text : texts) {
    text.resize(random() % 4 == 0 ? 0 : random() % 100);
    for (char& c : text) c = static_cast<char>('a' + random() % 26);
  }
  return texts;
}

std::string joined(const std::string& head, const std::vector<std::string>& texts) {
  std::string all = head;
  for (const std::string& text : texts) all += text;
  return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(text_file)

BOOST_AUTO_TEST_CASE(beginning_is_readable_before_the_rest_is_measured) {
  TestContext context;
  Doings doings;
  TextFile file(std::make_unique<Texts>("head\n", std::vector<std::string>(1000, "ab\n"), doings), context);
  BOOST_TEST(read_text(file, 0, 10) == "head\nab\nab");
  BOOST_TEST(doings.formatted.load() == 2);
  BOOST_TEST(!file.known_size());
  BOOST_TEST(read_text(file, 3003, 100) == "b\n");  // its end is known once all is measured
  BOOST_TEST(file.known_size().value() == 3005u);
}

BOOST_AUTO_TEST_CASE(read_within_the_beginning_needs_no_size) {
  TestContext context;
  Doings doings;
  const std::vector<std::string> texts(30'000, "ab\n");
  const std::string whole = joined("head\n", texts);
  TextFile file(std::make_unique<Texts>("head\n", texts, doings), context);
  BOOST_TEST(file.can_read_before_sized());
  for (const auto& [offset, size] :
       {std::pair<uint64_t, size_t>{0, 3}, {3, 5}, {7, 400}, {5, 1}, {60'000, 5'536}}) {
    const std::optional<Slices> slices = file.read_beginning(offset, size);
    BOOST_REQUIRE(slices);
    BOOST_TEST(text_of(*slices) == whole.substr(offset, size));
  }
  for (const auto& [offset, size] :
       {std::pair<uint64_t, size_t>{60'001, 5'536}, {65'536, 1}, {UINT64_MAX, 1}, {1, SIZE_MAX}})
    BOOST_TEST(!file.read_beginning(offset, size));
  BOOST_TEST(!file.known_size());
  file.size();
  BOOST_TEST(!file.read_beginning(0, 10));  // read() supports it
}

BOOST_AUTO_TEST_CASE(any_slice_equals_that_part_of_the_whole) {
  std::mt19937_64 random(1);
  for (const char* head : {"", "head,line\n"}) {
    for (const size_t count : {0, 1, 2, 50}) {
      TestContext context;
      Doings doings;
      const std::vector<std::string> texts = random_texts(random, count);
      TextFile file(std::make_unique<Texts>(head, texts, doings), context);
      const std::string whole = joined(head, texts);
      BOOST_TEST(file.size() == whole.size());
      BOOST_TEST(slices_match(file, whole, random, 100));
      BOOST_TEST(whole_text(file) == whole);
      BOOST_TEST(doings.prepared == 1);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_read_formats_only_the_blocks_it_touches) {
  TestContext context;
  Doings doings;
  const std::vector<std::string> texts(100, std::string(10, 'x'));
  TextFile file(std::make_unique<Texts>("", texts, doings), context);
  file.size();
  BOOST_TEST(doings.formatted == 0);
  BOOST_TEST(read_text(file, 505, 10) == std::string(10, 'x'));
  BOOST_TEST(doings.formatted == 2);
}

// The reader rarely needs more of a block, but if it does, the block stays from then on.
BOOST_AUTO_TEST_CASE(block_after_a_jump_is_kept_the_second_time) {
  TestContext context(size_t{8} << 20, 0);
  Doings doings;
  const std::string text(100'000, 'x');
  TextFile file(std::make_unique<Texts>("", std::vector<std::string>(200, text), doings), context);
  const auto read = [&](uint64_t block, uint64_t offset, size_t size) {
    const int before = doings.formatted;
    BOOST_TEST(read_text(file, block * text.size() + offset, size) == std::string(size, 'x'));
    return doings.formatted - before;
  };
  file.size();
  const uint64_t held = context.cache.statistics().held_bytes;
  BOOST_TEST(read(150, 70, 4096) == 1);
  BOOST_TEST(read(20, 99'990, 20) == 2);  // and the next one
  BOOST_TEST(read(90, 0, 10) == 1);
  BOOST_TEST(context.cache.statistics().held_bytes == held);
  BOOST_TEST(read(150, 50'000, 10) == 1);
  BOOST_TEST(read(50, 0, 10) == 1);
  BOOST_TEST(read(150, 60'000, 10) == 0);
  BOOST_TEST(read(100, 500, 65'536) == 1);  // a large part of it
  BOOST_TEST(read(30, 0, 10) == 1);
  BOOST_TEST(read(100, 99'000, 10) == 0);
}

BOOST_AUTO_TEST_CASE(offsets_of_blocks_count_in_the_budget) {
  TestContext context;
  Doings doings;
  const uint64_t before = context.cache.statistics().held_bytes;
  const auto held = [&] { return context.cache.statistics().held_bytes - before; };
  const std::vector<std::string> texts(10'000, "x");
  MeasuredPtr measured;
  {
    TextFile file(std::make_unique<Texts>("", texts, doings), context);
    BOOST_TEST(held() == 0);
    file.size();
    BOOST_TEST(held() == 10'000 * sizeof(uint64_t));
    measured = file.measured();
  }
  BOOST_TEST(held() == 0);
  TextFile again(std::make_unique<Texts>("", texts, doings), context);
  again.adopt(measured);
  BOOST_TEST(held() >= 10'000 * sizeof(uint64_t));
}

BOOST_AUTO_TEST_CASE(a_sequential_reader_gets_every_block_formatted_once) {
  std::mt19937_64 random(2);
  const std::vector<std::string> texts = random_texts(random, 500);
  const std::string whole = joined("h", texts);
  for (const unsigned threads : {0, 2}) {
    TestContext context(size_t{64} << 20, threads);
    Doings doings;
    TextFile file(std::make_unique<Texts>("h", texts, doings), context);
    std::string read;
    while (read.size() < whole.size()) read += read_text(file, read.size(), 70);
    BOOST_TEST(read == whole);
    // Workers may reach a block after the reader has passed it.
    if (threads == 0) BOOST_TEST(doings.formatted <= 500);
  }
}

BOOST_AUTO_TEST_CASE(parallel_readers_see_the_same_text) {
  std::mt19937_64 random(3);
  TestContext context(1 << 14);
  Doings doings;
  const std::vector<std::string> texts = random_texts(random, 300);
  const std::string whole = joined("", texts);
  TextFile file(std::make_unique<Texts>("", texts, doings), context);
  std::atomic<int> right{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&, i] {
      std::mt19937_64 own(static_cast<uint64_t>(i));
      right += slices_match(file, whole, own, 200);
    });
  }
  for (std::thread& reader : readers) reader.join();
  BOOST_TEST(right == 4);
  BOOST_TEST(doings.prepared == 1);
}

BOOST_AUTO_TEST_CASE(text_formatted_by_a_pass_is_not_formatted_again) {
  std::mt19937_64 random(4);
  const std::vector<std::string> texts = random_texts(random, 500);
  TestContext context(size_t{64} << 20, 0);
  Doings doings;
  TextFile file(std::make_unique<Dear>(texts, doings), context);
  BOOST_TEST(file.size() == joined("", texts).size());
  BOOST_TEST(doings.formatted == 500);
  std::string read;
  while (read.size() < file.size()) read += read_text(file, read.size(), 70);
  BOOST_TEST(read == joined("", texts));
  BOOST_TEST(doings.formatted == 500);
  BOOST_TEST(context.counters.text_blocks_formatted == 500U);
  BOOST_TEST(context.counters.text_blocks_measured == 500U);
}

BOOST_AUTO_TEST_CASE(pass_keeps_text_for_a_third_of_the_cache) {
  constexpr size_t kBudget = size_t{1} << 20;
  TestContext context(kBudget, 0);
  Doings doings;
  const std::vector<std::string> texts(1000, std::string(10'000, 'x'));
  TextFile file(std::make_unique<Dear>(texts, doings), context);
  BOOST_TEST(file.size() == 10'000'000u);
  const int kept = doings.formatted;
  BOOST_TEST(kept >= 30);
  BOOST_TEST(kept <= 40);
  BOOST_TEST(context.cache.statistics().held_bytes <= kBudget);
  for (uint64_t offset = 0; offset < 300'000; offset += 10'000)
    BOOST_TEST(read_text(file, offset, 10'000) == texts[0]);
  BOOST_TEST(doings.formatted == kept);
}

BOOST_AUTO_TEST_CASE(blocks_too_large_to_keep_are_measured) {
  TestContext context;
  Doings doings;
  const std::vector<std::string> texts{std::string(3 << 20, 'x'), "y"};
  TextFile file(std::make_unique<Dear>(texts, doings), context);
  BOOST_TEST(file.size() == (3u << 20) + 1);
  BOOST_TEST(whole_text(file) == joined("", texts));
}

BOOST_AUTO_TEST_CASE(text_kept_before_an_error_is_not_shown) {
  TestContext context(size_t{1} << 20, 0);
  Doings doings;
  const std::vector<std::string> texts{"a", "bb", "ccc"};
  TextFile file(std::make_unique<Dear>(texts, doings, 2), context);
  BOOST_TEST(message_of([&] { file.size(); }) == "as planned");
  BOOST_TEST(whole_text(file) == "abbccc");
}

BOOST_AUTO_TEST_CASE(block_of_another_length_than_measured_is_an_error) {
  TestContext context;
  for (const size_t formatted : {0, 9, 11, 5000}) {
    TextFile file(std::make_unique<Unsteady>(formatted), context);
    BOOST_TEST(file.size() == 10u);
    BOOST_TEST(message_of([&] { file.read(0, 10); }).find("since it was measured") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(an_error_is_not_remembered) {
  for (const bool in_prepare : {true, false}) {
    TestContext context;
    std::atomic<int> failures_left{in_prepare ? 1 : 3};
    TextFile file(std::make_unique<Failing>(in_prepare, failures_left), context);
    BOOST_TEST(message_of([&] { file.size(); }) == "as planned");
    while (failures_left > 0) message_of([&] { file.size(); });
    BOOST_TEST(file.size() == 3u);
    BOOST_TEST(whole_text(file) == "xxx");
  }
}

BOOST_AUTO_TEST_CASE(cancelled_pass_resumes) {
  TestContext context;
  Flag flag;
  std::atomic<int> measured{0};
  TextFile file(std::make_unique<Interrupted>(flag, measured), context);
  {
    const Request::Scope scope(&flag);
    BOOST_CHECK_THROW(file.size(), Cancelled);
  }
  BOOST_TEST(measured < 310);
  BOOST_TEST(!file.known_size());
  BOOST_TEST(file.size() == 1000u);
  BOOST_TEST(measured == 1000);
  BOOST_TEST(file.known_size().value() == 1000u);
}

BOOST_AUTO_TEST_CASE(cancelled_pass_resumes_in_another_session) {
  TestContext context;
  std::atomic<int> measured{0};
  MeasuredPtr part;
  {
    Flag flag;
    TextFile file(std::make_unique<Interrupted>(flag, measured), context);
    BOOST_TEST(!file.measured());
    const Request::Scope scope(&flag);
    BOOST_CHECK_THROW(file.size(), Cancelled);
    part = file.measured();
  }
  BOOST_REQUIRE(part);
  const int before = measured;
  measured = 1000;  // the source has no more reason to cancel
  Flag flag;
  TextFile file(std::make_unique<Interrupted>(flag, measured), context);
  file.adopt(part);
  BOOST_TEST(!file.known_size());
  BOOST_TEST(file.size() == 1000u);
  BOOST_TEST(measured == 1000 + 1000 - before);
  BOOST_TEST(whole_text(file) == std::string(1000, 'x'));
  BOOST_TEST(file.measured()->version == "interrupted 1");
}

BOOST_AUTO_TEST_CASE(wrong_size_of_a_part_is_an_error) {
  TestContext context;
  std::atomic<int> measured{1000};
  Flag flag;
  TextFile file(std::make_unique<Interrupted>(flag, measured), context);
  file.adopt(std::make_shared<const Measured>(Measured{"interrupted 1 in part", {0, 1000, 500, 1, 2}}));
  BOOST_TEST(file.size() == 1001u);
  BOOST_TEST(message_of([&] { file.read(500, 1); }).find("since it was measured") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(parts_are_measured_once) {
  TestContext context(kBlockText);
  Doings doings;
  const std::vector<std::string> texts(100, "twelve bytes");
  TextFile file(std::make_unique<Texts>("head ", texts, doings), context);
  const auto measured = [&] { return context.counters.text_blocks_measured.load(); };
  BOOST_TEST(file.parts_to_measure() == 1600u);  // a part: the sixteenth of the cache
  file.measure_part(1, 5);
  BOOST_TEST(measured() == 20u);
  file.measure_part(1, 5);
  BOOST_TEST(measured() == 20u);
  file.measure_part(4, 5);
  BOOST_TEST(measured() == 40u);
  BOOST_TEST(!file.known_size().has_value());
  BOOST_TEST(file.size() == 5u + 1200u);
  BOOST_TEST(measured() == 100u);
  BOOST_TEST(file.parts_to_measure() == 1u);
  BOOST_TEST(whole_text(file) == joined("head ", texts));
}

BOOST_AUTO_TEST_CASE(concurrently_measured_files_know_their_sizes) {
  TestContext context(kBlockText);
  Doings doings;
  std::atomic<int> failures_left{1 << 20};
  const std::vector<std::string> texts(100, "twelve bytes");
  const auto one = std::make_shared<TextFile>(std::make_unique<Texts>("", texts, doings), context);
  const auto other = std::make_shared<TextFile>(std::make_unique<Texts>("head ", texts, doings), context);
  const auto broken = std::make_shared<TextFile>(std::make_unique<Failing>(false, failures_left), context);
  uint64_t parts_done = 0;
  measure_side_by_side({one, broken, other}, context.workers, [&](uint64_t, uint64_t) { ++parts_done; });
  BOOST_TEST(parts_done == 1600u);
  BOOST_TEST(one->known_size().value_or(0) == 1200u);
  BOOST_TEST(other->known_size().value_or(0) == 5u + 1200u);
  BOOST_TEST(!broken->known_size().has_value());
}

BOOST_AUTO_TEST_CASE(an_error_of_a_part_is_not_remembered) {
  TestContext context;
  std::atomic<int> failures_left{1};
  TextFile file(std::make_unique<Failing>(false, failures_left), context);
  BOOST_CHECK_THROW(file.measure_part(0, 1), Error);
  file.measure_part(0, 1);
  BOOST_TEST(file.size() == 3u);
}

BOOST_AUTO_TEST_CASE(wait_for_another_pass_can_be_cancelled) {
  TestContext context(size_t{1} << 20, 0);
  Flag flag;
  std::atomic<bool> measuring{false}, go_on{false};
  struct Slow : TextSource {
    Slow(std::atomic<bool>& begun, std::atomic<bool>& may_end) : measuring(begun), go_on(may_end) {}
    uint64_t block_count() const override { return 1; }
    uint64_t measure(uint64_t) const override {
      measuring = true;
      while (!go_on) std::this_thread::yield();
      return 1;
    }
    void format(uint64_t, ByteSink& out) const override { out.put('x'); }
    std::atomic<bool>&measuring, &go_on;
  };
  TextFile file(std::make_unique<Slow>(measuring, go_on), context);
  uint64_t size = 0;
  std::thread first([&] { size = file.size(); });
  while (!measuring) std::this_thread::yield();
  flag.is_cancelled = true;
  {
    const Request::Scope scope(&flag);
    BOOST_CHECK_THROW(file.size(), Cancelled);
  }
  go_on = true;
  first.join();
  BOOST_TEST(size == 1u);
}

BOOST_AUTO_TEST_CASE(offsets_of_another_file_save_the_pass) {
  TestContext context;
  Doings doings;
  std::mt19937_64 random(3);
  const std::vector<std::string> texts = random_texts(random, 100);
  MeasuredPtr measured;
  {
    TextFile first(std::make_unique<Texts>("head\n", texts, doings), context);
    BOOST_TEST(!first.measured());
    first.size();
    measured = first.measured();
  }
  const uint64_t blocks = context.counters.text_blocks_measured;
  TextFile second(std::make_unique<Texts>("head\n", texts, doings), context);
  second.adopt(measured);
  BOOST_TEST(second.known_size().value() == joined("head\n", texts).size());
  BOOST_TEST(doings.prepared == 1);
  BOOST_TEST(whole_text(second) == joined("head\n", texts));
  BOOST_TEST(context.counters.text_blocks_measured == blocks);
}

BOOST_AUTO_TEST_CASE(offsets_of_another_text_are_an_error) {
  TestContext context;
  Doings doings;
  for (const std::vector<uint64_t>& wrong :
       {std::vector<uint64_t>{0, 0, 1}, std::vector<uint64_t>{0, 5, 6}, std::vector<uint64_t>{0, 4, 5, 6}}) {
    TextFile file(std::make_unique<Texts>("head", std::vector<std::string>{"x"}, doings), context);
    file.adopt(std::make_shared<const Measured>(Measured{"", wrong}));
    BOOST_TEST(message_of([&] { file.read(0, 10); }).find("since it was measured") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(text_of_more_blocks_than_offsets_is_read_anywhere) {
  TestContext context;
  TextFile file(std::make_unique<Grouped>(), context);
  const uint64_t size = 5 + Grouped::kBlocks;  // 0, 1, 2 characters in turn, and 0 and 1 at the end
  const auto expected = [](uint64_t offset) {
    if (offset < 5) return "head\n"[offset];
    const uint64_t of_three = (offset - 5) / 3;
    return Grouped::letter(3 * of_three + 1 + ((offset - 5) % 3 > 0));
  };
  static_assert(Grouped::kBlocks % 3 == 0);
  BOOST_TEST(file.size() == size);
  BOOST_TEST(file.measured()->numbers.size() <= kMaxOffsets + 2);
  std::mt19937_64 random(5);
  for (int turn = 0; turn < 200; ++turn) {
    const uint64_t offset = turn == 0 ? 0 : turn == 1 ? size - 70 : random() % size;
    const std::string text = read_text(file, offset, 1 + random() % 100);
    for (size_t i = 0; i < text.size(); ++i) BOOST_REQUIRE(text[i] == expected(offset + i));
    BOOST_REQUIRE(!text.empty());
  }
  TextFile again(std::make_unique<Grouped>(), context), changed(std::make_unique<Grouped>(1000), context);
  again.adopt(file.measured());
  BOOST_TEST(read_text(again, size / 2, 1)[0] == expected(size / 2));
  changed.adopt(file.measured());
  BOOST_TEST(read_text(changed, size - 1, 1)[0] == expected(size - 1));
  BOOST_TEST(message_of([&] { changed.read(5 + 999, 1); }).find("since it was measured") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(text_beyond_64_bits_is_refused) {
  TestContext context;
  TextFile file(std::make_unique<Huge>(), context);
  BOOST_TEST(message_of([&] { file.size(); }).find("too large") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(beginning_of_a_text_of_any_length_is_read_at_once) {
  TestContext context;
  TextFile file(std::make_unique<Huge>(), context);
  for (int turn = 0; turn < 2; ++turn) {
    BOOST_TEST(text_of(file.read(0, 8)) == "head\nxxx");
    BOOST_TEST(message_of([&] { file.size(); }).find("too large") != std::string::npos);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
