// libhdf5 in a separate process: it answers like the library in this process, and its end is one error.
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include <atomic>
#include <boost/filesystem.hpp>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <fstream>
#include <future>
#include <numeric>
#include <thread>

#include "cache/request.h"
#include "formats/containers/hdf5/library/inside_file.h"
#include "formats/containers/hdf5/process/known_file.h"
#include "tests/support/faulty_pool.h"
#include "tests/support/mentions.h"
#include "tests/support/no_memory.h"
#include "tests/support/temporary_directory.h"
#include "tests/unit/hdf5/rich_file.h"

namespace plainfs::hdf5 {
namespace {

ProcessSettings settings(const char* program = PLAINFS_LIBRARY_PROGRAM) {
  ProcessSettings generated;
  generated.command = {program};
  generated.longest_tree = std::chrono::minutes(1);  // so that a busy machine reads as much ahead as another
  return generated;
}

struct Fixture {
  Fixture() { write_rich_file(directory.path(), "a.h5"); }

  TemporaryDirectory directory;
  TestContext context;
  // While it lives, tests of this program without a process of their own use it.
  LibraryProcesses process{settings()};
  std::string path() const { return directory.path("a.h5"); }

  pid_t number() { return process.idle_numbers().at(0); }
  // Returns a field of the system's status of the process.
  std::string status(const std::string& field) {
    std::ifstream in("/proc/" + std::to_string(number()) + "/status");
    for (std::string line; std::getline(in, line);)
      if (line.starts_with(field + ":")) return line.substr(line.find_last_of("\t ") + 1);
    return {};
  }
};

// Returns every answer of `file`, as one sequence of bytes.
Bytes everything(const LibraryFile& file) {
  Writer out;
  std::vector<uint64_t> objects;
  out(file.root_address(), file.superblock_version());
  for (const uint64_t group : {file.root_address(), file.find_link(file.root_address(), "group")->address}) {
    for (const StoredLink& link : file.links(group)) {
      out(link, file.find_link(group, link.name).value());
      if (link.kind == StoredLink::Kind::hard) objects.push_back(link.address);
    }
  }
  out(file.find_link(file.root_address(), "nothing").has_value());
  for (const FoundObject& found : file.objects(objects)) out(found.facts);
  objects.push_back(file.root_address());
  for (const uint64_t object : objects) {
    out(file.object(object));
    for (const StoredAttribute& attribute : file.attributes(object))
      out(attribute, file.attribute(object, attribute.name).value());
    out(file.attribute(object, "nothing").has_value());
  }
  return out.take();
}

std::vector<int32_t> integers(const LibraryFile& file, const std::string& group, const std::string& name,
                              const Box& box, const Shape& block, const Shape& target) {
  uint64_t address = file.root_address();
  if (!group.empty()) address = file.find_link(address, group)->address;
  address = file.find_link(address, name)->address;
  std::vector<int32_t> out(element_count(block), -1);
  file.read(address, 4, box, block, target, reinterpret_cast<std::byte*>(out.data()));
  return out;
}

// A request that can be cancelled.
struct Waiter : Request {
  bool cancelled() const override { return is_cancelled; }
  // Returns whether it was answered before that.
  bool ask(const LibraryFile& file) {
    const Request::Scope scope(this);
    try {
      return !file.links(file.root_address()).empty();
    } catch (const Cancelled&) {
      return false;
    }
  }
  std::atomic<bool> is_cancelled{false};
};

using Numbers = std::vector<int32_t>;

BOOST_FIXTURE_TEST_SUITE(hdf5_process, Fixture)

BOOST_AUTO_TEST_CASE(process_answers_like_the_library_in_process) {
  const InsideFile inside(path(), context);
  const ProcessFile outside(path(), context, process);
  BOOST_TEST((everything(outside) == everything(inside)));
  const uint64_t chunks = inside.find_link(inside.root_address(), "new_chunks")->address;
  for (const Shape& origin : {Shape{0, 0}, Shape{2, 2}}) {
    const auto by_library = inside.read_chunk(chunks, origin),
               by_process = outside.read_chunk(chunks, origin);
    BOOST_TEST((by_library->bytes == by_process->bytes));
    BOOST_TEST(by_library->filter_mask == by_process->filter_mask);
  }
}

BOOST_AUTO_TEST_CASE(objects_read_ahead_answer_like_the_library) {
  const KnownFile file(path(), context, process);
  const Bytes wanted = everything(InsideFile(path(), context));
  BOOST_TEST((everything(file) == wanted));
  BOOST_TEST((everything(file) == wanted));
  BOOST_TEST(integers(file, "group", "compact", {{1}, {2}}, {4}, {1}) == (Numbers{-1, 8, 9, -1}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(objects_read_ahead_need_no_further_message) {
  const KnownFile file(path(), context, process);
  const uint64_t root = file.root_address();
  const std::vector<StoredLink> links = file.links(root);
  ::kill(number(), SIGSTOP);  // it answers nothing more
  const uint64_t group = file.find_link(root, "group").value().address;
  BOOST_TEST((file.object(group).kind == ObjectKind::group));
  BOOST_TEST(!file.find_link(group, "nothing").has_value());
  for (const StoredLink& link : file.links(group))
    BOOST_TEST((file.objects({link.address}).at(0).facts.kind == ObjectKind::dataset));
  ::kill(number(), SIGCONT);
}

BOOST_AUTO_TEST_CASE(large_groups_are_not_read_ahead) {
  {
    Hdf5Writer writer(directory.path("wide.h5"));
    writer.group("wide");
    for (int i = 0; i < 300; ++i) writer.group("wide/" + std::to_string(i));
    writer.group("small");
    writer.group("small/member");
  }
  const ProcessFile file(directory.path("wide.h5"), context, process);
  const uint64_t root = file.root_address();
  const uint64_t wide = file.find_link(root, "wide")->address, small = file.find_link(root, "small")->address;
  const KnownObjects known = file.tree(root, 100).value();
  BOOST_TEST(known.links(root)->size() == 2U);
  BOOST_TEST(known.links(small)->size() == 1U);
  BOOST_TEST(known.object(wide).has_value());
  BOOST_TEST(!file.tree(root, 2).value().object(wide).has_value());
  BOOST_TEST(!known.links(wide).has_value());
  BOOST_TEST(!known.find_link(wide, "7").has_value());
  const KnownFile whole(directory.path("wide.h5"), context, process);
  BOOST_TEST(whole.links(wide).size() == 300U);
  BOOST_TEST(whole.find_link(wide, "299").has_value());
}

BOOST_AUTO_TEST_CASE(changed_file_is_not_answered_from_memory) {
  const KnownFile file(path(), context, process);
  BOOST_TEST(!file.links(file.root_address()).empty());
  boost::filesystem::last_write_time(path(), 1'000'000'000);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // longer than one check holds
  BOOST_CHECK_EXCEPTION(file.links(file.root_address()), Error, mentions("has changed"));
}

BOOST_AUTO_TEST_CASE(elements_go_to_their_place_in_the_block) {
  const ProcessFile file(path(), context, process);
  BOOST_TEST(integers(file, "group", "compact", {{1}, {2}}, {4}, {1}) == (Numbers{-1, 8, 9, -1}),
             boost::test_tools::per_element());
  BOOST_TEST(integers(file, "", "new_chunks", {{1, 1}, {2, 1}}, {2, 2}, {0, 1}) == (Numbers{-1, 5, -1, 8}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(unwritten_data_without_fill_value_are_zero) {
  {
    Hdf5Writer writer(directory.path("bare.h5"));
    const hsize_t three = 3;
    const SpaceHandle space(written(H5Screate_simple(1, &three, nullptr)));
    const PropertyHandle chunks = Hdf5Writer::chunked({1});
    written(H5Pset_fill_value(chunks.id(), H5T_NATIVE_INT, nullptr));
    const DatasetHandle last_alone = writer.integers("chunks", {4}, {}, chunks.id());
    const hsize_t last = 3, one = 1;
    const int value = 7;
    const SpaceHandle element(written(H5Screate_simple(1, &one, nullptr))),
        place(written(H5Dget_space(last_alone.id())));
    written(H5Sselect_hyperslab(place.id(), H5S_SELECT_SET, &last, nullptr, &one, nullptr));
    written(H5Dwrite(last_alone.id(), H5T_NATIVE_INT, element.id(), place.id(), H5P_DEFAULT, &value));
    for (const char* name : {"undefined", "never"}) {
      const PropertyHandle creation(written(H5Pcreate(H5P_DATASET_CREATE)));
      if (name == std::string("undefined"))
        written(H5Pset_fill_value(creation.id(), H5T_NATIVE_INT, nullptr));
      else
        written(H5Pset_fill_time(creation.id(), H5D_FILL_TIME_NEVER));
      written(H5Pset_virtual(creation.id(), space.id(), "absent.h5", "x", space.id()));
      writer.integers(name, {3}, {}, creation.id());
    }
  }
  const InsideFile inside(directory.path("bare.h5"), context);
  const ProcessFile outside(directory.path("bare.h5"), context, process);
  for (const LibraryFile* file :
       {static_cast<const LibraryFile*>(&inside), static_cast<const LibraryFile*>(&outside)})
    for (const char* name : {"chunks", "undefined", "never"})
      BOOST_TEST(integers(*file, "", name, {{0}, {3}}, {5}, {1}) == (Numbers{-1, 0, 0, 0, -1}),
                 boost::test_tools::per_element());
}

// Small answers use the shared memory, which the next question overwrites, and large ones use the socket.
BOOST_AUTO_TEST_CASE(elements_few_and_many_are_right_while_others_are_read) {
  Numbers values(1'000'000);
  std::iota(values.begin(), values.end(), 0);
  { Hdf5Writer(directory.path("long.h5")).integers("long", {values.size()}, values); }
  const ProcessFile file(directory.path("long.h5"), context, process);
  const auto all_right = [&](uint64_t count) {
    for (uint64_t first = 0; first + count <= values.size(); first += count) {
      const Numbers found = integers(file, "", "long", {{first}, {count}}, {count}, {0});
      if (!std::equal(found.begin(), found.end(), values.begin() + static_cast<ptrdiff_t>(first)))
        return false;
    }
    return true;
  };
  auto beside = std::async(std::launch::async, all_right, 10'000),
       many = std::async(std::launch::async, all_right, 500'000);
  BOOST_TEST(all_right(9'001));
  BOOST_TEST(beside.get());
  BOOST_TEST(many.get());
}

BOOST_AUTO_TEST_CASE(virtual_data_are_found_beside_the_target_of_a_link) {
  const TemporaryDirectory other;
  boost::filesystem::create_symlink(path(), other.path("link.h5"));
  const ProcessFile file(other.path("link.h5"), context, process);
  BOOST_TEST(integers(file, "", "virtual", {{0}, {4}}, {4}, {0}) == (Numbers{5, 6, 7, 8}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(bytes_of_files_without_a_descriptor_are_requested) {
  FaultyContext faulty;
  const ProcessFile file(path(), faulty.context, process);
  faulty.files.faults.all = true;
  BOOST_CHECK_EXCEPTION(file.attributes(file.root_address()), Error, mentions("the disk fails"));
  faulty.files.faults.all = false;
  BOOST_TEST((everything(file) == everything(InsideFile(path(), context))));
}

BOOST_AUTO_TEST_CASE(errors_of_the_library_keep_their_text) {
  std::ofstream(directory.path("none.h5")) << "no HDF5 at all, and long enough to be looked at for a while";
  BOOST_CHECK_EXCEPTION(ProcessFile(directory.path("none.h5"), context, process), Error,
                        mentions("not readable as HDF5"));
  BOOST_CHECK_EXCEPTION(ProcessFile(directory.path("absent.h5"), context, process), Error,
                        mentions("absent.h5"));
  const ProcessFile file(path(), context, process);
  BOOST_CHECK_EXCEPTION(file.object(3), Error, mentions("object cannot be opened"));
}

BOOST_AUTO_TEST_CASE(question_without_memory_does_not_disturb_the_next) {
  const ProcessFile file(path(), context, process);
  const InsideFile inside(path(), context);
  const uint64_t root = inside.root_address(), chunks = inside.find_link(root, "new_chunks")->address;
  Writer wanted;
  wanted(inside.object(chunks));
  with_each_allocation_failing([&] { file.links(root); },
                               [&] {
                                 Writer found;
                                 found(file.object(chunks));
                                 BOOST_TEST((found.bytes() == wanted.bytes()));
                               });
}

BOOST_AUTO_TEST_CASE(changed_file_is_an_error) {
  const ProcessFile file(path(), context, process);
  boost::filesystem::last_write_time(path(), 1'000'000'000);
  BOOST_CHECK_EXCEPTION(file.links(file.root_address()), Error, mentions("has changed"));
}

BOOST_AUTO_TEST_CASE(process_killed_over_a_question_costs_one_error) {
  const ProcessFile file(path(), context, process), other(directory.path("source.h5"), context, process);
  const Bytes before = everything(file);
  const pid_t first = number();
  ::kill(first, SIGSTOP);
  auto asked = std::async(std::launch::async, [&] { return file.links(file.root_address()); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // if it is too short, the next line holds too
  ::kill(first, SIGKILL);
  try {
    asked.get();
  } catch (const LibraryEnded& error) {
    BOOST_TEST(error.what() == "libhdf5 ended while reading this file: signal 9");
  }
  BOOST_TEST((everything(file) == before));
  BOOST_TEST(other.links(other.root_address()).size() == 1U);
  BOOST_TEST(number() != first);
}

BOOST_AUTO_TEST_CASE(killing_an_idle_process_is_no_error) {
  const ProcessFile file(path(), context, process);
  const Bytes before = everything(file);
  for (int i = 0; i < 3; ++i) {
    ::kill(number(), SIGKILL);
    while (!process.idle_numbers().empty()) std::this_thread::yield();
    BOOST_TEST((everything(file) == before));
  }
}

// The socket exists until the process is gone: it accepts the question and no process reads it.
BOOST_AUTO_TEST_CASE(question_not_taken_by_a_dying_process_is_repeated) {
  const ProcessFile file(path(), context, process);
  const uint64_t root = file.root_address();
  const size_t links = file.links(root).size();
  for (int i = 0; i < 10; ++i) {
    const pid_t last = number();
    ::kill(last, SIGSTOP);
    std::thread killer([last, i] {
      std::this_thread::sleep_for(std::chrono::milliseconds(i % 5));
      ::kill(last, SIGKILL);
    });
    BOOST_CHECK_NO_THROW(BOOST_TEST(file.links(root).size() == links));
    killer.join();
  }
}

BOOST_AUTO_TEST_CASE(other_file_of_a_silent_process_is_read_in_another) {
  const ProcessFile stuck(path(), context, process), healthy(path(), context, process);
  const uint64_t root = healthy.root_address();
  const pid_t stopped = number();
  ::kill(stopped, SIGSTOP);
  Waiter waiter;
  auto asked = std::async(std::launch::async, [&] { return waiter.ask(stuck); });
  while (process.idle_numbers() == std::vector{stopped}) std::this_thread::yield();
  BOOST_TEST(!healthy.links(root).empty());
  BOOST_TEST((everything(healthy) == everything(InsideFile(path(), context))));
  { const ProcessFile opened_now(path(), context, process); }
  BOOST_TEST((asked.wait_for(std::chrono::seconds(0)) == std::future_status::timeout));
  ::kill(stopped, SIGCONT);
  BOOST_TEST(asked.get());
}

BOOST_AUTO_TEST_CASE(cancelled_caller_stops_waiting) {
  const ProcessFile file(path(), context, process);
  const pid_t stopped = number();
  ::kill(stopped, SIGSTOP);
  Waiter first, second;  // one asks, the other waits for its turn
  auto a = std::async(std::launch::async, [&] { return first.ask(file); });
  auto b = std::async(std::launch::async, [&] { return second.ask(file); });
  while (!process.idle_numbers().empty()) std::this_thread::yield();
  first.is_cancelled = second.is_cancelled = true;
  BOOST_TEST(!a.get());
  BOOST_TEST(!b.get());
  BOOST_TEST(!file.links(file.root_address()).empty());
}

#if !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)  // their allocators do not report their memory
BOOST_AUTO_TEST_CASE(too_large_process_is_restarted) {
  ProcessSettings small = settings();
  small.max_bytes = 1;
  LibraryProcesses processes(small);
  const ProcessFile file(path(), context, processes);
  BOOST_TEST((everything(file) == everything(InsideFile(path(), context))));
  BOOST_TEST(processes.idle_numbers().empty());
  BOOST_TEST(processes.statistics().processes == 0U);
}

BOOST_AUTO_TEST_CASE(process_reports_its_memory) {
  const ProcessFile file(path(), context, process);
  const LibraryProcesses::Statistics all = process.statistics();
  BOOST_TEST(all.processes == 1U);
  BOOST_TEST(all.own_bytes > 100'000U);
  BOOST_TEST(all.own_bytes < ProcessSettings().max_bytes);
}
#endif

BOOST_AUTO_TEST_CASE(unused_processes_are_ended) {
  ProcessSettings impatient = settings();
  impatient.max_idle = std::chrono::milliseconds(0);
  LibraryProcesses processes(impatient);
  const ProcessFile stuck(path(), context, processes), healthy(path(), context, processes);
  const pid_t stopped = processes.idle_numbers().at(0);
  ::kill(stopped, SIGSTOP);
  Waiter waiter;
  auto asked = std::async(std::launch::async, [&] { return waiter.ask(stuck); });
  while (!processes.idle_numbers().empty()) std::this_thread::yield();
  BOOST_TEST(!healthy.links(healthy.root_address()).empty());
  BOOST_TEST(processes.statistics().processes == 2U);
  ::kill(stopped, SIGCONT);
  BOOST_TEST(asked.get());
  BOOST_TEST(processes.statistics().processes == 1U);
  BOOST_TEST(!healthy.links(healthy.root_address()).empty());
}

BOOST_AUTO_TEST_CASE(file_is_closed_without_waiting_for_its_process) {
  auto file = std::make_unique<ProcessFile>(path(), context, process);
  const ProcessFile other(path(), context, process);
  const pid_t stopped = number();
  ::kill(stopped, SIGSTOP);
  file.reset();
  BOOST_TEST(process.idle_numbers() == std::vector{stopped}, boost::test_tools::per_element());
  ::kill(stopped, SIGCONT);
  BOOST_TEST(!other.links(other.root_address()).empty());
  BOOST_TEST(number() == stopped);
}

BOOST_AUTO_TEST_CASE(silent_process_is_ended_if_others_need_one) {
  ProcessSettings impatient = settings();
  impatient.max_silence_when_wanted = std::chrono::milliseconds(500);
  LibraryProcesses own(impatient);
  std::vector<std::unique_ptr<ProcessFile>> files;
  for (size_t i = 0; i < LibraryProcesses::kMaxProcesses; ++i)
    files.push_back(std::make_unique<ProcessFile>(path(), context, own));
  const ProcessFile healthy(directory.path("source.h5"), context, own);
  std::vector<std::future<bool>> asked;
  std::vector<Waiter> waiters(LibraryProcesses::kMaxProcesses);
  for (size_t i = 0; i < waiters.size(); ++i) {
    files[i]->links(files[i]->root_address());
    const std::vector<pid_t> idle = own.idle_numbers();
    BOOST_TEST(idle.size() == 1U);
    ::kill(idle.at(0), SIGSTOP);
    asked.push_back(std::async(std::launch::async, [&, i] { return waiters[i].ask(*files[i]); }));
    while (!own.idle_numbers().empty()) std::this_thread::yield();
  }
  BOOST_TEST(!healthy.links(healthy.root_address()).empty());
  for (Waiter& waiter : waiters) waiter.is_cancelled = true;
  size_t given_up = 0;
  for (auto& each : asked) {
    try {
      each.get();
    } catch (const LibraryEnded& error) {
      BOOST_TEST(mentions("libhdf5 did not reply for ")(error));
      ++given_up;
    }
  }
  BOOST_TEST(given_up == 1U);
  // The storage may have been the cause: the file is read as before.
  BOOST_TEST(!files[0]->links(files[0]->root_address()).empty());
  BOOST_TEST(!healthy.links(healthy.root_address()).empty());
}

// On an overloaded machine a process gets a processor only now and then: it is silent for long over a short
// computation, and does not hang.
BOOST_AUTO_TEST_CASE(process_waiting_for_a_processor_is_not_a_hang) {
  ProcessSettings impatient = settings();
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  impatient.max_silence = std::chrono::milliseconds(3000);  // much of it is computed during the start
#else
  impatient.max_silence = std::chrono::milliseconds(150);
#endif
  LibraryProcesses starved(impatient);
  const ProcessFile file(path(), context, starved);
  const sched_param none{};
  BOOST_TEST(::sched_setscheduler(starved.idle_numbers().at(0), SCHED_IDLE, &none) == 0);
  std::atomic<bool> is_enough{false};
  std::vector<std::future<void>> burners;
  for (unsigned i = 0; i < 4 * std::thread::hardware_concurrency(); ++i)
    burners.push_back(std::async(std::launch::async, [&] {
      while (!is_enough) {
      }
    }));
  for (int i = 0; i < 4; ++i) BOOST_CHECK_NO_THROW(BOOST_TEST(!file.links(file.root_address()).empty()));
  is_enough = true;
}

BOOST_AUTO_TEST_CASE(process_has_only_so_many_files_open) {
  ProcessSettings few = settings();
  few.max_files = 2;
  LibraryProcesses own(few);
  std::vector<std::unique_ptr<ProcessFile>> files;
  const auto descriptors = [&] {
    const std::string folder = "/proc/" + std::to_string(own.idle_numbers().at(0)) + "/fd";
    return std::distance(boost::filesystem::directory_iterator(folder),
                         boost::filesystem::directory_iterator());
  };
  files.push_back(std::make_unique<ProcessFile>(path(), context, own));
  const auto with_one = descriptors();
  for (int i = 0; i < 10; ++i) files.push_back(std::make_unique<ProcessFile>(path(), context, own));
  BOOST_TEST(descriptors() <= with_one + 2);
  for (const auto& file : files) BOOST_TEST(!file->links(file->root_address()).empty());
  BOOST_TEST(descriptors() <= with_one + 2);
}

BOOST_AUTO_TEST_CASE(process_has_no_privileges_and_a_filter_of_calls) {
  const ProcessFile file(path(), context, process);
  BOOST_TEST(status("NoNewPrivs") == "1");
  BOOST_TEST(status("Seccomp") == "2");
  BOOST_TEST(context.warnings().empty());
}

BOOST_AUTO_TEST_CASE(process_ends_with_its_client) {
  pid_t last = 0;
  {
    LibraryProcesses own(settings());
    const ProcessFile file(path(), context, own);
    last = own.idle_numbers().at(0);
  }
  BOOST_TEST(::kill(last, 0) == -1);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(hdf5_process_in_bad_hands)

BOOST_AUTO_TEST_CASE(silence_is_an_error_within_its_limit) {
  TemporaryDirectory directory;
  TestContext context;
  { Hdf5Writer(directory.path("a.h5")).integers("x", {1}, {1}); }
  ProcessSettings quick = settings();
  quick.max_silence = std::chrono::milliseconds(300);
  LibraryProcesses process(quick);
  const ProcessFile file(directory.path("a.h5"), context, process);
  ::kill(process.idle_numbers().at(0), SIGSTOP);
  BOOST_CHECK_EXCEPTION(file.links(file.root_address()), Error, mentions("libhdf5 did not reply for 0.3 s"));
  BOOST_TEST(file.links(file.root_address()).size() == 1U);
}

BOOST_AUTO_TEST_CASE(silence_while_reading_ahead_is_no_error) {
  TemporaryDirectory directory;
  TestContext context;
  { Hdf5Writer(directory.path("a.h5")).integers("x", {1}, {1}); }
  ProcessSettings quick = settings();
  quick.max_silence = std::chrono::milliseconds(300);
  LibraryProcesses process(quick);
  const KnownFile file(directory.path("a.h5"), context, process);
  ::kill(process.idle_numbers().at(0), SIGSTOP);
  BOOST_TEST(file.links(file.root_address()).size() == 1U);
}

// Files that make the library compute for ever, in every process: if another file needs one, one of them is
// given up and not read again for a while.
BOOST_AUTO_TEST_CASE(endless_file_is_given_up_if_others_need_a_process) {
  TemporaryDirectory directory;
  TestContext context;
  ::setenv("HDF5_TEST_HOSTILE", "computes", 1);
  ProcessSettings impatient = settings(PLAINFS_HOSTILE_PROGRAM);
  impatient.max_computing_when_wanted = std::chrono::milliseconds(100);
  impatient.max_silence = impatient.max_silence_when_wanted =
      std::chrono::minutes(2);  // for processes that are starting
  LibraryProcesses processes(impatient);
  Waiter waiter;
  std::atomic<size_t> given_up{0};
  const auto open = [&](const std::string& path) {
    const Request::Scope scope(&waiter);
    try {
      const ProcessFile file(path, context, processes);
    } catch (const LibraryEnded& error) {
      BOOST_TEST((error.why() == LibraryEnded::Why::busy_while_others_wait));
      BOOST_CHECK_EXCEPTION(ProcessFile(path, context, processes), LibraryEnded,
                            mentions("it will be tried again later"));
      ++given_up;
      waiter.is_cancelled = true;
    } catch (const Error& error) {
      BOOST_ERROR(error.what());
      waiter.is_cancelled = true;  // otherwise the others would compute for ever
    } catch (const Cancelled&) {
    }
  };
  std::vector<std::future<void>> opened;
  for (size_t i = 0; i <= LibraryProcesses::kMaxProcesses; ++i) {
    const std::string path = directory.path(std::to_string(i) + ".h5");
    { Hdf5Writer(path).integers("x", {1}, {1}); }
    opened.push_back(std::async(std::launch::async, open, path));
  }
  for (std::future<void>& each : opened) each.get();
  BOOST_TEST(given_up == 1U);
}

BOOST_AUTO_TEST_CASE(unstartable_process_is_a_temporary_error) {
  TemporaryDirectory directory;
  TestContext context;
  { Hdf5Writer(directory.path("a.h5")).integers("x", {1}, {1}); }
  LibraryProcesses process(settings("/nowhere/plainfs"));
  try {
    const ProcessFile file(directory.path("a.h5"), context, process);
    BOOST_ERROR("it was read");
  } catch (const Error& error) {
    BOOST_TEST(is_transient(error));
    BOOST_TEST(mentions("libhdf5's process")(error));
  }
}

BOOST_AUTO_TEST_CASE(answer_of_a_hostile_process_is_an_error) {
  TemporaryDirectory directory;
  TestContext context;
  { Hdf5Writer(directory.path("a.h5")).integers("x", {1}, {1}); }
  for (const char* how : {"ends", "empty", "noise", "unknown", "questions", "huge"}) {
    BOOST_TEST_CONTEXT(how) {
      ::setenv("HDF5_TEST_HOSTILE", how, 1);
      LibraryProcesses process(settings(PLAINFS_HOSTILE_PROGRAM));
      for (int i = 0; i < 4; ++i)
        BOOST_CHECK_EXCEPTION(ProcessFile(directory.path("a.h5"), context, process), Error, mentions(""));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::hdf5
