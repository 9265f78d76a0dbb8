#!/usr/bin/env python3
"""Compiles what a compile_commands.json of this system names for macOS: ROOT PROCESSOR FILE [PART]..., all or those whose paths have
one of the parts in them. For scripts/elsewhere."""
import concurrent.futures
import json
import os
import shlex
import subprocess
import sys

root, processor, commands, *only = sys.argv[1:]
library = f"{root}/lib"
libcxx = ["ABI_VERSION=1", "ABI_NAMESPACE=__1", "HAS_THREADS=1", "HAS_MONOTONIC_CLOCK", "HAS_TERMINAL", "HAS_MUSL_LIBC=0",
          "HAS_VENDOR_AVAILABILITY_ANNOTATIONS=0", "HAS_FILESYSTEM=1", "HAS_RANDOM_DEVICE", "HAS_LOCALIZATION", "HAS_UNICODE",
          "HAS_WIDE_CHARACTERS", "HARDENING_MODE=_LIBCPP_HARDENING_MODE_NONE"]
clang = [f"{root}/linux-x64/bin/zig", "clang", "--driver-mode=g++", f"--target={processor}-apple-macosx13.0.0",
         "-nostdinc++", "-nostdlibinc", "-nobuiltininc", "-resource-dir", root,
         "-isystem", f"{library}/libcxx/include", "-isystem", f"{library}/libcxxabi/include",
         *(f"-D_LIBCPP_{one}" for one in libcxx),
         "-isystem", f"{library}/include", "-isystem", f"{library}/libc/include/any-darwin-any", "-isystem", f"{root}/include",
         "-Wno-nullability-completeness",
         "-D_LIBCPP_ENABLE_CXX17_REMOVED_UNARY_BINARY_FUNCTION",  # of Debian's Boost
         "-fsyntax-only", "-ferror-limit=0"]


def compiled(command):
    words = shlex.split(command["command"])[1:]
    at = words.index("-o")
    del words[at:at + 2]
    words = [word for word in words if word not in ("-c", "-Wno-subobject-linkage")]
    return subprocess.run(clang + words, cwd=command["directory"], capture_output=True, text=True), command["file"]


with open(commands, encoding="utf-8") as file:
    every = [one for one in json.load(file) if not only or any(part in one["file"] for part in only)]
failed = 0
with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count()))) as threads:
    for result, name in threads.map(compiled, every):
        if result.returncode:
            failed += 1
            sys.stderr.write(f"{name}:\n{result.stderr}")
print(f"macos {processor}: {len(every)} compiled, {failed} failed")
sys.exit(failed != 0)
