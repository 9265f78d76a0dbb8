#include <algorithm>
#include <atomic>
#include <boost/filesystem.hpp>
#include <charconv>
#include <cstdio>
#include <mutex>
#include <optional>

#include "fs/commands/commands.h"
#include "fs/commands/copy_file.h"
#include "fs/commands/progress.h"
#include "fs/commands/walk.h"
#include "fs/exit_code.h"
#include "fs/session.h"

namespace plainfs {
namespace {

namespace disk = boost::filesystem;

// One of several jobs that share the work: number 1 to count.
struct Part {
  size_t number = 1;
  size_t count = 1;
};

Part parse_part(const std::string& text) {
  Part part;
  const char* const end = text.data() + text.size();
  const auto [slash, wrong] = std::from_chars(text.data(), end, part.number);
  if (wrong == std::errc() && slash != end && *slash == '/') {
    const auto [rest, wrong_too] = std::from_chars(slash + 1, end, part.count);
    if (wrong_too == std::errc() && rest == end && part.number >= 1 && part.number <= part.count) return part;
  }
  throw Failure(kUsage, fmt::format("--part {}: not I/N with I from 1 to N", text));
}

class Export {
 public:
  Export(Session& session, disk::path folder)
      : filesystem_(session.filesystem()), workers_(session.context().workers), folder_(std::move(folder)) {}

  // Makes the directories and links below path and notes its files.
  void plan(const std::string& path) {
    std::vector<WalkFailure> failures;
    for (const Walked& walked : walk(filesystem_, path, failures)) {
      const disk::path target = walked.path.empty() ? folder_ : folder_ / walked.path;
      if (walked.kind == FileKind::directory)
        disk::create_directories(target);
      else
        disk::create_directories(target.parent_path());
      if (walked.kind == FileKind::link) make_link(walked, target);
      if (walked.kind == FileKind::file) files_.push_back({walked.inode, target.string(), 0});
    }
    for (const WalkFailure& failure : failures) failed(failure.path, failure.error);
  }

  // Copies those files of the plan that are this part's.
  ExitCode run(Part part) {
    measure();
    take(part);
    uint64_t total = 0;
    for (const Copy& copy : files_) total += copy.size;
    Progress progress(total);
    progress_ = &progress;
    std::atomic<size_t> count{0};
    workers_.parallel_for(files_.size(), [&](size_t i) { count += copy(files_[i]); });
    progress.finish(fmt::format("{} files written, {} there already", count.load(), skipped_.load()));
    return exit_code_;
  }

 private:
  void make_link(const Walked& walked, const disk::path& target) {
    const std::string text = filesystem_.read_link(walked.inode);
    boost::system::error_code error, unread;
    disk::create_symlink(text, target, error);
    if (!error) return;
    if (disk::read_symlink(target, unread) == text && !unread)
      return;  // an earlier run's, or another part's just now
    throw disk::filesystem_error("symlink", target, error);
  }

  void measure() {
    std::vector<char> is_whole(files_.size());
    workers_.parallel_for(files_.size(), [&](size_t i) {
      try {
        files_[i].size = static_cast<uint64_t>(filesystem_.status(files_[i].inode).st_size);
        is_whole[i] = 1;
      } catch (const Error& error) {
        failed(filesystem_.path(files_[i].inode), error);
      }
    });
    std::vector<Copy> whole;
    for (size_t i = 0; i < files_.size(); ++i) {
      if (is_whole[i]) whole.push_back(std::move(files_[i]));
    }
    files_ = std::move(whole);
  }

  // The largest files first, each to the part that has the fewest bytes so far: every job comes to the same
  // answer.
  void take(Part part) {
    std::sort(files_.begin(), files_.end(), [](const Copy& a, const Copy& b) {
      return std::tie(b.size, a.target) < std::tie(a.size, b.target);
    });
    std::vector<uint64_t> bytes(part.count, 0);
    std::vector<Copy> own;
    for (Copy& copy : files_) {
      const auto least = std::min_element(bytes.begin(), bytes.end());
      *least += copy.size + 1;  // empty files are shared too
      if (static_cast<size_t>(least - bytes.begin()) + 1 == part.number) own.push_back(std::move(copy));
    }
    files_ = std::move(own);
  }

  // Whether the file was written now.
  bool copy(const Copy& copy) {
    try {
      if (is_copied(filesystem_, copy)) {
        ++skipped_;
        progress_->skip(copy.size);
        return false;
      }
      copy_file(filesystem_, workers_, copy, [&](uint64_t bytes) { progress_->add(bytes); });
      return true;
    } catch (const Error& error) {
      failed(filesystem_.path(copy.inode), error);
      return false;
    }
  }

  void failed(const std::string& path, const Error& error) {
    const std::lock_guard lock(failed_);
    const std::string line = fmt::format("plainfs: {}: {}", path, error.what());
    if (progress_)
      progress_->say(line);
    else
      std::fprintf(stderr, "%s\n", line.c_str());
    exit_code_ = exit_code_of(error.code());
  }

  Filesystem& filesystem_;
  Workers& workers_;
  const disk::path folder_;
  std::vector<Copy> files_;
  std::atomic<size_t> skipped_{0};
  Progress* progress_ = nullptr;
  std::mutex failed_;  // guards exit_code_
  ExitCode exit_code_ = kSuccess;
};

}  // namespace

int export_command(Arguments arguments) {
  const std::string part_text = take_value(arguments, "--part");
  const Part part = part_text.empty() ? Part() : parse_part(part_text);
  const Options options = parse_options(arguments, kManyNames);
  if (options.names.size() < 2) throw Failure(kUsage, "export: a store and a directory are wanted");
  Session session(options);
  const disk::path folder = disk::absolute(options.names.back());
  try {
    disk::create_directories(folder);
    Export work(session, folder);
    if (options.names.size() == 2) work.plan("");
    for (size_t i = 1; i + 1 < options.names.size(); ++i) work.plan(options.names[i]);
    return work.run(part);
  } catch (const disk::filesystem_error& error) {
    throw Failure(kUsage, fmt::format("{}: {}", error.path1().string(), error.code().message()));
  }
}

}  // namespace plainfs
