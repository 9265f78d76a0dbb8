#include "fs/mount/fuse_callbacks.h"

#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <exception>
#include <functional>
#include <string_view>

#include "fs/index/housekeeping.h"
#include "fs/mount/fuse.h"
#include "fs/mount/fuse_connection.h"

namespace plainfs {
// The callbacks. Each replies to its request exactly once.
struct FuseCallbacks {
  static FuseMount& uncounted_mount_of(fuse_req_t request) {
    return *static_cast<FuseMount*>(fuse_req_userdata(request));
  }
  // Returns the mount and counts the request as a use of it, unless the inode is the mount's own: programs
  // that monitor a mount, as plainfs ps does, do not keep it from being idle.
  static FuseMount& mount_of(fuse_req_t request, Inode inode) {
    FuseMount& mount = uncounted_mount_of(request);
    if (!mount.filesystem_.is_own(inode)) count(mount);
    return mount;
  }
  static void count(FuseMount& mount) { mount.requests_.fetch_add(1, std::memory_order_relaxed); }

  // Runs answer(filesystem) and replies with the errno of an exception.
  template <class Answer>
  static void guarded(FuseMount& mount, fuse_req_t request, Inode inode, Answer&& answer) {
    try {
      const FuseRequest asked(request, mount);
      const Request::Scope scope(&asked);
      const Filesystem::Visit visit = mount.filesystem_.visit();
      return answer(mount.filesystem_);
    } catch (...) {
      fuse_reply_err(request, error_number(mount, inode, std::current_exception()));
    }
  }

  // Returns an errno even if there is no memory for the message: nothing may be thrown through libfuse.
  static int error_number(FuseMount& mount, Inode inode, const std::exception_ptr& thrown) noexcept {
    try {
      return reported(mount, inode, thrown);
    } catch (...) {
      return EIO;
    }
  }

  static int reported(FuseMount& mount, Inode inode, const std::exception_ptr& thrown) {
    const auto report = [&](const Error& error) {
      keep_house(
          "not remembered", [](const std::string&) {}, [&] { mount.faults_.remember(inode, error); });
      return mount.filesystem_.report(inode, error);
    };
    try {
      std::rethrow_exception(thrown);
    } catch (const Cancelled&) {
      return mount.is_over() ? ENOTCONN : EINTR;
    } catch (const Error& error) {
      if (error.code() != Errc::changed) return report(error);
      mount.has_changed_.store(true, std::memory_order_relaxed);
      return report(Error(Errc::changed, error.what() + mount.how_to_reopen()));
    } catch (const std::bad_alloc&) {
      return report(out_of_memory());
    } catch (const std::exception& error) {
      return report(Error(Errc::damaged, error.what()));
    }
  }

  static void init(void* userdata, fuse_conn_info* connection) {
    const FuseMount& mount = *static_cast<FuseMount*>(userdata);
    set_connection(*connection);
    if (mount.settings_.answers) mount.settings_.answers();
  }

  // Looks up a name, see Filesystem::lookup. If the store has changed and may be reopened, reopens it here:
  // the kernel holds the directory until it gets the reply, and is made to forget the rest afterwards.
  static Inode lookup_again(FuseMount& mount, Filesystem& filesystem, Inode parent, const char* name) {
    const uint64_t before = filesystem.times_reopened();
    try {
      return filesystem.lookup(parent, name);
    } catch (const Error& error) {
      if (error.code() != Errc::changed || !mount.settings_.reopens_on_change) throw;
    }
    if (filesystem.times_reopened() == before) filesystem.reopen();
    mount.forget_();
    return filesystem.lookup(parent, name);
  }

  static bool is_parent(std::string_view name) { return name == ".."; }

  static void lookup(fuse_req_t request, fuse_ino_t parent_node, const char* name) {
    FuseMount& mount = uncounted_mount_of(request);
    const Inode parent = inode_of(parent_node);
    if (!mount.filesystem_.is_own(parent, name)) count(mount);
    if (name == std::string_view(".")) return lookup_node(mount, request, parent_node);
    Inode inode = parent;
    guarded(mount, request, inode, [&](Filesystem& filesystem) {
      try {
        inode = is_parent(name) ? filesystem.parent(parent) : lookup_again(mount, filesystem, parent, name);
      } catch (const Error& error) {
        if (error.code() != Errc::not_found || mount.settings_.negative_timeout == 0) throw;
        fuse_entry_param none{};  // inode 0: the kernel caches that the name is absent
        none.entry_timeout = mount.settings_.negative_timeout;
        fuse_reply_entry(request, &none);
        return;
      }
      return entry_reply(mount, request, inode, filesystem);
    });
  }

  // Returns the reply to a lookup. Does not compute the size, since the kernel sends no other request about
  // the directory until it gets the reply.
  static fuse_entry_param entry_of(FuseMount& mount, Filesystem& filesystem, Inode inode,
                                   const Status& status) {
    const bool changes = filesystem.changes(inode);
    const bool is_lasting = !S_ISREG(status.stat.st_mode) || changes;
    fuse_entry_param entry{};
    entry.ino = is_lasting ? inode : mount.nodes_.of(inode, status.opening, status.is_whole);
    entry.attr = status.stat;
    entry.entry_timeout = mount.settings_.entry_timeout;
    entry.attr_timeout = status.is_whole && !changes ? mount.settings_.attr_timeout : 0;
    return entry;
  }

  // The kernel holds the inode of each name that it was given, until it forgets it. It may forget it before
  // the reply function returns.
  static void entry_reply(FuseMount& mount, fuse_req_t request, Inode inode, Filesystem& filesystem) {
    guarded(mount, request, inode, [&](Filesystem&) {
      const fuse_entry_param entry = entry_of(mount, filesystem, inode, filesystem.status_so_far(inode));
      filesystem.hold(inode);
      if (fuse_reply_entry(request, &entry) != 0) filesystem.release(inode);  // the request was interrupted
    });
  }

  // No process requests this, so it does not keep a mount from being idle.
  static void forget(fuse_req_t request, fuse_ino_t node, uint64_t lookups) {
    uncounted_mount_of(request).filesystem_.release(inode_of(node), lookups);
    fuse_reply_none(request);
  }

  static void forget_multi(fuse_req_t request, size_t count, fuse_forget_data* forgotten) {
    Filesystem& filesystem = uncounted_mount_of(request).filesystem_;
    for (size_t i = 0; i < count; ++i) filesystem.release(inode_of(forgotten[i].ino), forgotten[i].nlookup);
    fuse_reply_none(request);
  }

  // Returns whether node is a part that an earlier opening of the store listed. The kernel must look up its
  // name again.
  static bool is_past_part(FuseMount& mount, fuse_ino_t node) {
    return mount.filesystem_.is_listed_part(inode_of(node)) &&
           !Nodes::is_of(node, mount.filesystem_.times_reopened());
  }

  using Reply = std::function<void(Filesystem&)>;
  using OtherReply = std::function<bool(Filesystem&)>;

  // A request that is answered once the size of its file is known.
  struct Waiting : Sizings::Asker {
    Waiting(FuseMount& of, fuse_req_t asked, Inode file, Reply reply, OtherReply other)
        : mount(of), request(asked), inode(file), then(std::move(reply)), otherwise(std::move(other)) {}
    bool has_left() noexcept override { return is_abandoned(request); }
    void answer(std::exception_ptr error) noexcept override {
      const int number = error ? error_number(mount, inode, error) : 0;
      guarded(mount, request, inode, [&](Filesystem& filesystem) {
        if (!error) return then(filesystem);
        if (!otherwise || !otherwise(filesystem)) fuse_reply_err(request, number);
      });
    }

    FuseMount& mount;
    const fuse_req_t request;
    const Inode inode;
    const Reply then;
    const OtherReply otherwise;
  };

  // otherwise: replies if the size is unavailable. If it returns false, it has not replied, and the error is
  // the reply.
  template <class Then, class Otherwise = OtherReply>
  static void when_sized(FuseMount& mount, fuse_req_t request, Inode inode, const Then& then,
                         const Otherwise& otherwise = {}) {
    try {
      mount.sizings_.ask(inode, std::make_shared<Waiting>(mount, request, inode, then, otherwise));
    } catch (...) {
      fuse_reply_err(request, error_number(mount, inode, std::current_exception()));
    }
  }

  // is_open: the request is for an open file, for which no name is looked up again.
  static void attr_reply(FuseMount& mount, fuse_req_t request, fuse_ino_t node, bool is_open,
                         const Status& status, Filesystem& filesystem, bool is_readable = true) {
    const bool changes = filesystem.changes(inode_of(node));
    const ReaderLock lock(mount.replying_);
    const bool is_past = !Nodes::is_of(node, status.opening) || status.opening != filesystem.times_reopened();
    if (S_ISREG(status.stat.st_mode) && !changes && is_past)
      fuse_reply_err(request, is_open ? EIO : ESTALE);
    else
      fuse_reply_attr(request, &status.stat, changes || !is_readable ? 0 : mount.settings_.attr_timeout);
  }

  // Replies to a request for the attributes of a file without a size. Returns false if the error must be the
  // reply. A reader that has the file open asks for its end, which only the error answers.
  static bool unreadable_attr_reply(FuseMount& mount, fuse_req_t request, fuse_ino_t node, bool is_open,
                                    Filesystem& filesystem) {
    if (is_open) return false;
    const std::optional<Status> status = filesystem.status_of_unreadable(inode_of(node));
    if (status) attr_reply(mount, request, node, is_open, *status, filesystem, false);
    return status.has_value();
  }

  // Looks up a node of which the kernel has a handle but no inode any more (NFS servers, open_by_handle_at).
  // It keeps its number, so the reply waits for the size.
  static void lookup_node(FuseMount& mount, fuse_req_t request, fuse_ino_t node) {
    const Inode inode = inode_of(node);
    bool is_whole = true;
    guarded(mount, request, inode, [&](Filesystem& filesystem) {
      const Status status = filesystem.status_so_far(inode);
      is_whole = status.is_whole;
      if (is_whole) node_reply(mount, request, node, status, filesystem);
    });
    if (is_whole) return;
    when_sized(mount, request, inode, [&mount, request, node](Filesystem& filesystem) {
      node_reply(mount, request, node, filesystem.status_with_size(inode_of(node)), filesystem);
    });
  }

  static void node_reply(FuseMount& mount, fuse_req_t request, fuse_ino_t node, const Status& status,
                         Filesystem& filesystem) {
    const Inode inode = inode_of(node);
    fuse_entry_param entry = entry_of(mount, filesystem, inode, status);
    const bool is_past = entry.ino != inode && (!Nodes::is_of(node, status.opening) ||
                                                status.opening != filesystem.times_reopened());
    if (is_past || is_past_part(mount, node)) {
      fuse_reply_err(request, ESTALE);
      return;
    }
    entry.ino = node;
    filesystem.hold(inode);
    if (fuse_reply_entry(request, &entry) != 0) filesystem.release(inode);  // the request was interrupted
  }

  static void getattr(fuse_req_t request, fuse_ino_t node, fuse_file_info* info) {
    const Inode inode = inode_of(node);
    FuseMount& mount = mount_of(request, inode);
    bool is_whole = true;
    guarded(mount, request, inode, [&](Filesystem& filesystem) {
      if (is_past_part(mount, node)) {
        fuse_reply_err(request, info ? EIO : ESTALE);
        return;
      }
      const Status status = filesystem.status_so_far(inode);
      is_whole = status.is_whole;
      if (is_whole) attr_reply(mount, request, node, info != nullptr, status, filesystem);
    });
    if (is_whole) return;
    const bool is_open = info != nullptr;
    when_sized(
        mount, request, inode,
        [&mount, request, node, is_open](Filesystem& filesystem) {
          attr_reply(mount, request, node, is_open, filesystem.status_with_size(inode_of(node)), filesystem);
        },
        [&mount, request, node, is_open](Filesystem& filesystem) {
          return unreadable_attr_reply(mount, request, node, is_open, filesystem);
        });
  }

  static void readlink(fuse_req_t request, fuse_ino_t node) {
    const Inode inode = inode_of(node);
    guarded(mount_of(request, inode), request, inode, [&](Filesystem& filesystem) {
      fuse_reply_readlink(request, filesystem.read_link(inode).c_str());
    });
  }

  // Runs answer(filesystem, info) like guarded(). If the store has changed and may be reopened, reopens it
  // first and replies with ESTALE, so that the kernel looks up the path again and repeats the request. Use it
  // only for requests during which the kernel holds no directory: invalidation needs the directories.
  template <class Answer>
  static void guarded_again(FuseMount& mount, fuse_req_t request, Inode inode, const fuse_file_info& given,
                            Answer answer) {
    bool has_changed =
        mount.settings_.reopens_on_change && mount.has_changed_.exchange(false, std::memory_order_relaxed);
    const auto now = [&mount, request, inode, given, answer](bool* changed) {
      guarded(mount, request, inode, [&](Filesystem& filesystem) {
        fuse_file_info info = given;
        try {
          answer(filesystem, info);
        } catch (const Error& error) {
          if (!changed || error.code() != Errc::changed) throw;
          *changed = true;
        }
      });
    };
    if (!has_changed) now(mount.settings_.reopens_on_change ? &has_changed : nullptr);
    if (!has_changed) return;
    const auto then = [&mount, request, now, before = mount.filesystem_.times_reopened()] {
      if (mount.filesystem_.times_reopened() != before)
        fuse_reply_err(request, ESTALE);
      else
        now(nullptr);
    };
    guarded(mount, request, inode, [&](Filesystem&) { mount.reopen_(then); });
  }

  // If computing the size takes a long pass, the first lines are available without it. The kernel needs the
  // size before it reads into its page cache, so such an opening bypasses the cache.
  static bool begins_unsized(const FuseMount& mount, ViewFile& view) {
    return mount.settings_.begins_unsized && view.can_read_before_sized() && !view.known_size();
  }

  static void open(fuse_req_t request, fuse_ino_t node, fuse_file_info* given) {
    const Inode inode = inode_of(node);
    FuseMount& mount = mount_of(request, inode);
    if ((given->flags & O_ACCMODE) != O_RDONLY) {
      fuse_reply_err(request, EROFS);
      return;
    }
    guarded_again(mount, request, inode, *given,
                  [&mount, request, inode, node](Filesystem& filesystem, fuse_file_info& info) {
                    if (is_past_part(mount, node)) {
                      fuse_reply_err(request, ESTALE);
                      return;
                    }
                    auto file = std::unique_ptr<OpenedFile>(new OpenedFile{filesystem.open(inode)});
                    if (!file->file.changes && !Nodes::is_of(node, file->file.opening->number())) {
                      fuse_reply_err(request, ESTALE);
                      return;
                    }
                    info.direct_io = file->file.changes || begins_unsized(mount, *file->file.view);
                    info.keep_cache = !file->file.changes;
                    mount.nodes_.opened(node);
                    info.fh = to_handle(std::move(file));
                    add_open(mount, inode, 1);
                    if (fuse_reply_open(request, &info) != 0)
                      close_file(mount, node, &info);  // the opener was interrupted
                  });
  }

  static void add_open(FuseMount& mount, Inode inode, int64_t count) {
    if (!mount.filesystem_.is_own(inode)) mount.open_files_.fetch_add(count, std::memory_order_relaxed);
  }

  template <class T>
  static void close(FuseMount& mount, fuse_ino_t node, const fuse_file_info* info) {
    delete from_handle<T>(info);
    add_open(mount, inode_of(node), -1);
  }

  static void close_file(FuseMount& mount, fuse_ino_t node, const fuse_file_info* info) {
    mount.nodes_.closed(node);
    close<OpenedFile>(mount, node, info);
  }

  static void release(fuse_req_t request, fuse_ino_t node, fuse_file_info* info) {
    close_file(mount_of(request, inode_of(node)), node, info);
    fuse_reply_err(request, 0);
  }

  static void read(fuse_req_t request, fuse_ino_t node, size_t size, off_t offset, fuse_file_info* info) {
    const Inode inode = inode_of(node);
    FuseMount& mount = mount_of(request, inode);
    OpenedFile& opened = *from_handle<OpenedFile>(info);
    const auto reply = [request, size, offset, &opened](Filesystem& filesystem) {
      opened.is_sized.store(true, std::memory_order_relaxed);
      reply_slices(request, filesystem.read(opened.file, static_cast<uint64_t>(offset), size));
    };
    bool is_replied = true;
    guarded(mount, request, inode, [&](Filesystem& filesystem) {
      if (opened.is_sized.load(std::memory_order_relaxed) || opened.file.view->known_size())
        return reply(filesystem);
      std::optional<Slices> beginning;
      if (mount.settings_.begins_unsized)
        beginning = filesystem.read_beginning(opened.file, static_cast<uint64_t>(offset), size);
      if (beginning)
        reply_slices(request, *std::move(beginning));
      else
        is_replied = false;
    });
    if (!is_replied) when_sized(mount, request, inode, reply);
  }

  static void opendir(fuse_req_t request, fuse_ino_t node, fuse_file_info* given) {
    const Inode inode = inode_of(node);
    FuseMount& mount = mount_of(request, inode);
    guarded_again(mount, request, inode, *given,
                  [&mount, request, inode, node](Filesystem& filesystem, fuse_file_info& info) {
                    const ListingPtr listing = filesystem.list(inode);
                    info.fh = to_handle(std::make_unique<OpenDirectory>(OpenDirectory{listing}));
                    info.keep_cache = 1;
                    // The kernel would look up cached names one by one for their sizes.
                    info.cache_readdir = !listing->is_of_parts() && !filesystem.is_followed(inode);
                    add_open(mount, inode, 1);
                    if (fuse_reply_open(request, &info) != 0) close<OpenDirectory>(mount, node, &info);
                  });
  }

  static void releasedir(fuse_req_t request, fuse_ino_t node, fuse_file_info* info) {
    close<OpenDirectory>(mount_of(request, inode_of(node)), node, info);
    fuse_reply_err(request, 0);
  }

  static void readdir(fuse_req_t request, fuse_ino_t node, size_t size, off_t offset, fuse_file_info* info) {
    const Inode inode = inode_of(node);
    guarded(mount_of(request, inode), request, inode, [&](Filesystem& filesystem) {
      const Listing& listing = *from_handle<OpenDirectory>(info)->listing;
      reply_listing(request, listing, {inode, filesystem.parent(inode)}, offset, size);
    });
  }

  // Describes a part, which is known once any part of the directory is: a lookup for each would dominate the
  // time of listing tens of thousands. Other listings contain only names, so that they need no further data
  // of the store.
  static std::optional<fuse_entry_param> described_part(FuseMount& mount, Filesystem& filesystem,
                                                        const Status& directory, const Listing::Entry& part) {
    try {
      const Status status = filesystem.status_in_listing(part, directory);
      if (!status.is_whole) return std::nullopt;
      return entry_of(mount, filesystem, part.inode, status);
    } catch (const Error&) {
      return std::nullopt;  // looking it up reports the error
    }
  }

  static void readdirplus(fuse_req_t request, fuse_ino_t node, size_t size, off_t offset,
                          fuse_file_info* info) {
    const Inode inode = inode_of(node);
    FuseMount& mount = mount_of(request, inode);
    guarded(mount, request, inode, [&](Filesystem& filesystem) {
      const Listing& listing = *from_handle<OpenDirectory>(info)->listing;
      const Status directory = filesystem.status_so_far(inode);
      std::vector<Inode> held;  // entries that the kernel holds through this reply
      const auto describe = [&](const Listing::Entry& entry) {
        if (!listing.is_of_parts()) return std::optional<fuse_entry_param>();
        std::optional<fuse_entry_param> described = described_part(mount, filesystem, directory, entry);
        if (!described) return described;
        held.push_back(entry.inode);
        filesystem.hold(entry.inode);
        return described;
      };
      const auto release_entries = [&] {
        for (const Inode part : held) filesystem.release(part);
      };
      try {
        const ListedDirectory here{inode, filesystem.parent(inode)};
        if (!reply_described(request, listing, here, offset, size, describe)) release_entries();
      } catch (...) {
        release_entries();
        throw;
      }
    });
  }

  // Programs that monitor all file systems request this, so it is no use of the mount.
  static void statfs(fuse_req_t request, fuse_ino_t) { reply_statfs(request); }

  static void getxattr(fuse_req_t request, fuse_ino_t node, const char* name, size_t room) {
#ifdef __linux__
    // ls -l requests the label and the access list of every file, until it learns that they are not supported
    // here.
    if (!std::string_view(name).starts_with("user.")) {
      fuse_reply_err(request, ENOTSUP);
      return;
    }
#endif
#ifdef ENOATTR
    constexpr int kNoSuchAttribute = ENOATTR;  // on macOS, ENODATA is different
#else
    constexpr int kNoSuchAttribute = ENODATA;
#endif
    const auto reply = [request, room](const std::optional<std::string>& value) {
      if (value)
        reply_attribute(request, *value, room);
      else
        fuse_reply_err(request, kNoSuchAttribute);
    };
    const Inode inode = inode_of(node);
    FuseMount& mount = mount_of(request, inode);
    bool is_known = true;
    const auto reply_reason = [&mount, inode, reply](Filesystem& filesystem) {
      reply(mount.faults_.reason(filesystem, inode));
      return true;
    };
    guarded(mount, request, inode, [&](Filesystem& filesystem) {
      if (is_past_part(mount, node)) {
        fuse_reply_err(request, ESTALE);
        return;
      }
      if (name != Faults::kAttribute) return reply(filesystem.attribute(inode, name));
      is_known = mount.faults_.reason(filesystem, inode) || filesystem.status_so_far(inode).is_whole;
      if (is_known) reply_reason(filesystem);
    });
    if (!is_known) when_sized(mount, request, inode, reply_reason, reply_reason);
  }

  static void listxattr(fuse_req_t request, fuse_ino_t node, size_t room) {
    const Inode inode = inode_of(node);
    FuseMount& mount = mount_of(request, inode);
    guarded(mount, request, inode, [&](Filesystem& filesystem) {
      if (is_past_part(mount, node)) {
        fuse_reply_err(request, ESTALE);
        return;
      }
      std::string list;
      for (const std::string& name : filesystem.attribute_names(inode)) list.append(name).push_back('\0');
      reply_attribute(request, list, room);
    });
  }

  static fuse_lowlevel_ops operations() {
    fuse_lowlevel_ops ops{};
    ops.init = init;
    ops.lookup = lookup;
    ops.forget = forget;
    ops.forget_multi = forget_multi;
    ops.getattr = getattr;
    ops.readlink = readlink;
    ops.open = open;
    ops.read = read;
    ops.release = release;
    ops.opendir = opendir;
    ops.readdir = readdir;
    ops.readdirplus = readdirplus;
    ops.releasedir = releasedir;
    ops.statfs = statfs;
    ops.getxattr = getxattr;
    ops.listxattr = listxattr;
    refuse_writes(ops);
    return ops;
  }
};

fuse_lowlevel_ops fuse_operations() {
  return FuseCallbacks::operations();
}

}  // namespace plainfs
