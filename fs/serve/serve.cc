#include "fs/serve/serve.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>

#include "formats/core/base/bytes.h"
#include "formats/core/base/location.h"
#include "formats/core/base/modified_time.h"
#include "formats/core/model/contents/cell_table.h"
#include "formats/core/text/path_names.h"
#include "fs/command_line/exit_code.h"
#include "fs/commands/commands.h"
#include "fs/daemon/daemon.h"
#include "fs/daemon/daemon_sandbox.h"
#include "fs/daemon/index_ahead.h"
#include "fs/daemon/signal_pipe.h"
#include "fs/info.h"
#include "fs/serve/answering.h"
#include "fs/serve/http/entity_tag.h"
#include "fs/serve/http/field_text.h"
#include "fs/serve/http/listening.h"
#include "fs/serve/http/server.h"
#include "fs/serve/http/token.h"
#include "fs/session.h"

namespace plainfs::serve {
namespace {

// The sites of the viewers to which the pages of a store link.
constexpr std::string_view kViewers =
    "https://vitessce.io,https://myhdf5.hdfgroup.org,https://igv.org,https://hms-dbmi.github.io,"
    "https://avivator.gehlenborglab.org";
constexpr int kBetweenTrims = 5'000;  // milliseconds
constexpr size_t kTokenBytes = 16;

struct ServeOptions {
  std::vector<Options> stores;
  ListenAddress listen;
  std::vector<std::string> hosts, origins;
  std::string token;  // as given
  std::string base;
  bool opens_browser = false;
  std::string appearance;  // the settings besides the stores that determine the files' bytes
  const Options& shared() const { return stores.front(); }
};

std::string random_text() {
  std::byte bytes[kTokenBytes];
  if (::getentropy(bytes, sizeof bytes) != 0)
    throw unreadable("cannot get random bytes from the system: {}", std::strerror(errno));
  std::string text;
  append_hex(bytes, text);
  return text;
}

std::vector<std::string> texts_of(std::string_view list) {
  std::vector<std::string> texts;
  for (const std::string_view item : list_items(list)) texts.emplace_back(item);
  return texts;
}

std::vector<std::string> origins_of(const std::string& given) {
  std::vector<std::string> origins = texts_of(given.empty() ? kViewers : std::string_view(given));
  if (given == "none") return {};
  for (const std::string& origin : origins)
    if (!is_origin(origin))
      throw Failure(kUsage, fmt::format("--cors {}: expected https://HOST, `*` or `none`", origin));
  return origins;
}

std::string base_of(std::string given) {
  while (given.ends_with('/')) given.pop_back();
  if (!given.empty() && !is_base_path(given))
    throw Failure(kUsage, fmt::format("--base {}: expected a path such as /lab", given));
  return given;
}

std::vector<Options> options_of(const Arguments& arguments) {
  std::vector<Options> all = options_of_stores(arguments);
  if (all.empty()) throw Failure(kUsage, "serve: expected a store");
  const std::vector<std::string>& passed = all[0].mount_options;
  if (!passed.empty()) throw Failure(kUsage, fmt::format("option {}: only for a mount", passed[0]));
  for (Options& options : all) options.cache_bytes /= all.size();
  return all;
}

ServeOptions parse(Arguments arguments) {
  ServeOptions options;
  const std::string listen = take_value(arguments, "--listen");
  const std::string cors = take_value(arguments, "--cors");
  options.hosts = texts_of(take_value(arguments, "--host"));
  options.token = take_value(arguments, "--token");
  options.base = base_of(take_value(arguments, "--base"));
  if (!take_value(arguments, "--port").empty())
    throw Failure(kUsage, "--port: unknown option; write --listen PORT");
  options.opens_browser = take_flag(arguments, "--open");
  for (const std::string& argument : arguments) options.appearance += argument + "\n";
  options.stores = options_of(arguments);
  if (!listen.empty()) options.listen = parse_listen_address(listen);
  options.origins = origins_of(cors);
  return options;
}

// A process that waits, outside of the sandbox, for the address to open in a browser.
class Browser {
 public:
  explicit Browser(bool is_wanted) {
    int ends[2];
    if (!is_wanted || ::pipe(ends) != 0) return;
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(ends[1]);
      ::setsid();
      show(ends[0]);
    }
    ::close(ends[0]);
    ::fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    writing_ = Descriptor(ends[1]);
  }

  void open(const std::string& address) {
    if (writing_.number() < 0) return;
    const ssize_t written = ::write(writing_.number(), address.data(), address.size());
    static_cast<void>(written);
    writing_ = Descriptor();
  }

 private:
  [[noreturn]] static void show(int reading) {
    char address[1024];
    size_t size = 0;
    for (ssize_t got = 0;
         size + 1 < sizeof address && (got = ::read(reading, address + size, sizeof address - 1 - size)) > 0;)
      size += static_cast<size_t>(got);
    address[size] = '\0';
#ifdef __APPLE__
    constexpr const char* kProgram = "open";
#else
    constexpr const char* kProgram = "xdg-open";
#endif
    if (size > 0) ::execlp(kProgram, kProgram, address, nullptr);
    if (size > 0) std::fprintf(stderr, "plainfs: --open: %s: %s\n", kProgram, std::strerror(errno));
    ::_exit(0);
  }

  Descriptor writing_;
};

// Returns the name under which other machines know this one; empty if it has none.
std::string machine_name() {
  char name[256] = "";
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

std::string address_text(const ListenAddress& listen, const std::string& base, const std::string& token) {
  const bool is_any = listen.address == "0.0.0.0" || listen.address == "::";
  const std::string name = machine_name();
  std::string host = is_any && !name.empty() ? name : listen.address;
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  return fmt::format("http://{}:{}{}/{}", host, listen.port, base, token.empty() ? "" : token + "/");
}

std::string confine(const ServeOptions& options) {
  const Sandbox wanted = options.shared().sandbox;
  if (wanted == Sandbox::kNone || (wanted != Sandbox::kRequired && !kKnowsSandbox)) return {};
  std::string missing = enter_serving_sandbox(options.stores);
  if (wanted == Sandbox::kRequired && !missing.empty()) throw Failure(kUnsupported, "sandbox: " + missing);
  return missing;
}

std::string name_of(const std::string& store) {
  std::string path = store;
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const std::string name(last_name(path));
  return name.empty() ? "store" : name;
}

void start_log(Log& log, const Options& options) {
  const auto level = spdlog::level::from_str(options.log_level);
  log.to_standard_error(level);
  if (!options.log_file.empty()) log.to_file(options.log_file, level);
}

// Returns the identity of a store, or of all joined ones; nullopt if one has none.
std::optional<std::string> identity_of(const Options& store) {
  if (store.read.follow_outside || store.read.hdf5_plugins) return std::nullopt;
  if (!store.read.join) return store_identity(store.store);
  std::string all;
  for (const JoinOptions::Member& member : store.read.join->stores) {
    const std::optional<std::string> identity = store_identity(member.location);
    if (!identity) return std::nullopt;
    all += *identity + member.label + "\n";
  }
  return all;
}

// Returns the identity of each store, for tags that outlive this run; empty if it has none.
std::vector<std::string> identities_of(const ServeOptions& options) {
  std::vector<std::string> identities;
  for (const Options& store : options.stores) {
    const std::optional<std::string> identity = identity_of(store);
    const std::string cells = store.read.cells ? store.read.cells->digest : std::string();
    identities.push_back(
        identity ? fmt::format("{}\n{}\n{}\n{}", version_text(), options.appearance, cells, *identity)
                 : std::string());
  }
  wait_for_file_time();  // later changes then have a later time
  return identities;
}

// Serves until a signal arrives, or until no request came for the idle time.
class Serving {
 public:
  Serving(const SignalPipe& signals, std::vector<std::unique_ptr<Session>>& sessions, const Server& server,
          uint64_t idle_seconds)
      : signals_(signals), sessions_(sessions), server_(server), idle_seconds_(idle_seconds) {}

  void run() {
    for (;;) {
      pollfd waiting{signals_.reading(), POLLIN, 0};
      if (::poll(&waiting, 1, idle_seconds_ != 0 ? 1'000 : kBetweenTrims) > 0) {
        unsigned char number = 0;
        if (::read(signals_.reading(), &number, 1) != 1) continue;
        if (number != SIGUSR1) return;
        reopen();
      }
      if (is_idle()) return;
      give_back();
    }
  }

 private:
  void reopen() {
    for (const auto& session : sessions_) {
      Filesystem& filesystem = session->filesystem();
      try {
        filesystem.reopen();
        wait_for_file_time();  // later changes then have a later time
        filesystem.requests().reopened.fetch_add(1, std::memory_order_relaxed);
        session->log().info("the store was reopened");
      } catch (const std::exception& error) {
        filesystem.requests().not_reopened.fetch_add(1, std::memory_order_relaxed);
        session->log().error(error.what());
      }
    }
  }

  bool is_idle() {
    if (server_.answered() != answered_seen_ || server_.connections() > 0) {
      answered_seen_ = server_.answered();
      idle_since_ = milliseconds_now();
    }
    return idle_seconds_ != 0 &&
           milliseconds_now() - idle_since_ >= static_cast<int64_t>(idle_seconds_) * 1000;
  }

  // Returns to the system the memory that requests used briefly and that libc keeps.
  void give_back() {
    const int64_t now = milliseconds_now();
    if (server_.answered() == answered_trimmed_ || now - trimmed_ < kBetweenTrims) return;
    answered_trimmed_ = server_.answered();
    trimmed_ = now;
    give_memory_back();
  }

  const SignalPipe& signals_;
  std::vector<std::unique_ptr<Session>>& sessions_;
  const Server& server_;
  const uint64_t idle_seconds_;
  uint64_t answered_seen_ = 0, answered_trimmed_ = 0;
  int64_t idle_since_ = milliseconds_now(), trimmed_ = milliseconds_now();
};

AnswerSettings settings_of(const ServeOptions& options, const ListenAddress& listen,
                           const std::string& token) {
  AnswerSettings settings;
  settings.token = token;
  settings.base = options.base;
  std::vector<std::string> hosts = options.hosts;
  if (!listen.is_loopback()) hosts.push_back(machine_name());
  settings.hosts = HostNames(std::move(hosts));
  settings.origins = Origins(options.origins);
  settings.reopens_on_change = options.shared().reopens_on_change;
  settings.started = std::time(nullptr);
  settings.random = random_text;
  if (options.shared().debug)
    settings.log_request = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
  return settings;
}

}  // namespace

int serve_command(Arguments arguments) {
  ServeOptions options = parse(std::move(arguments));
  std::vector<Descriptor> listening = inherited_sockets();
  ListenAddress listen = options.listen;
  if (listening.empty())
    listening.push_back(listen_at(listen));
  else
    listen = address_of(listening.front());
  const std::string token = token_of(options.token, random_text);
  Browser browser(options.opens_browser);
  const std::vector<std::string> identities = identities_of(options);
  const std::string not_confined = confine(options);
  std::vector<std::unique_ptr<Session>> sessions;
  std::vector<ServedStore> stores;
  for (const Options& store : options.stores) {
    sessions.push_back(std::make_unique<Session>(store));
    start_log(sessions.back()->log(), store);
    // Filesystem itself detects a wrong index and reopens the store.
    sessions.back()->filesystem().set_when_corrected([] {});
    stores.push_back({name_of(store.store), &sessions.back()->filesystem()});
  }
  if (!not_confined.empty()) sessions[0]->log().info("not completely confined: " + not_confined);
  const Site site(std::move(stores));
  wait_for_file_time();  // changes after the first reply then have a later time
  AnswerSettings settings = settings_of(options, listen, token);
  settings.identities = identities;
  const Answering answering(site, std::move(settings));
  const SignalPipe signals;
  const Server server(std::move(listening), answering.handler());
  std::vector<std::unique_ptr<IndexAhead>> ahead;
  for (size_t i = 0; i < sessions.size(); ++i)
    if (options.stores[i].indexes_ahead && !options.stores[i].index.empty())
      ahead.push_back(std::make_unique<IndexAhead>(
          sessions[i]->filesystem(),
          [log = &sessions[i]->log()](const std::string& line) { log->warn(line); }));
  if (!listen.is_loopback())
    std::fputs("plainfs: every client with the address can read it, and the connection is not encrypted\n",
               stderr);
  if (token.empty())
    std::fputs("plainfs: --token none: every client that reaches the port can read it\n", stderr);
  const std::string address = address_text(listen, options.base, token);
  std::printf("%s\n", address.c_str());
  std::fflush(stdout);
  if (::isatty(STDOUT_FILENO) != 0) std::fputs("plainfs: open it in a browser; Ctrl-C stops it\n", stderr);
  browser.open(address);
  Serving(signals, sessions, server, options.shared().idle_seconds).run();
  return kSuccess;
}

}  // namespace plainfs::serve
