#!/usr/bin/env python3
"""Compiles the sources in a build's compile_commands.json for macOS and links them: ROOT PROCESSOR BUILD.

Used by scripts/other-system. The libraries of a Mac are replaced by stubs. They export the C names of this system's
libraries, and the C++ names of Boost, fmt and spdlog that the objects use (these contain the name of the standard
library, which differs on macOS). Any other missing name is an error.
"""
import concurrent.futures
import json
import os
import re
import shlex
import struct
import subprocess
import sys

root, processor, build = sys.argv[1:]
target = {"arm64": "aarch64", "x86_64": "x86_64"}[processor]
folder = os.path.join(build, processor)
environment = {
    **os.environ,
    "ZIG_LIB_DIR": f"{root}/lib",
    "ZIG_GLOBAL_CACHE_DIR": f"{root}/cache",
    "ZIG_LOCAL_CACHE_DIR": f"{root}/cache",
}
clang = [
    f"{root}/linux-x64/bin/zig",
    "c++",
    "-target",
    f"{target}-macos.13.0",
    "-isystem",
    f"{root}/include",
    "-Wno-nullability-completeness",
    "-fno-sanitize=all",
    "-D_LIBCPP_ENABLE_CXX17_REMOVED_UNARY_BINARY_FUNCTION",
    "-DBOOST_ASIO_HAS_STD_INVOKE_RESULT",
]  # of Debian's Boost
OF_APPLES_COMPILER = {"___cpu_model"}  # from Apple's run-time library; zig's does not have it
OF_THIS_SYSTEM = ("-c", "-O3", "-Wno-subobject-linkage")


def run(words, **how):
    return subprocess.run(words, capture_output=True, text=True, env=environment, **how)


def compiled(command):
    words = shlex.split(command["command"])[1:]
    at = words.index("-o")
    name = os.path.join(
        folder, os.path.relpath(os.path.join(command["directory"], words[at + 1]), build).replace("/", "-")
    )
    del words[at : at + 2]
    words = [word for word in words if word not in OF_THIS_SYSTEM]
    return run([*clang, *words, "-O0", "-c", "-o", name], cwd=command["directory"]), command["file"], name


def symbols_of(name):
    """Returns the external symbols that a Mach-O object uses without defining them, and those that it defines.

    Format: mach-o/loader.h and mach-o/nlist.h.
    """
    with open(name, "rb") as file:
        data = file.read()
    used, given = set(), set()
    magic, _, _, _, commands, _, _, _ = struct.unpack_from("<8I", data)
    assert magic == 0xFEEDFACF, name
    at = 32
    for _ in range(commands):
        kind, size = struct.unpack_from("<2I", data, at)
        if kind == 2:  # LC_SYMTAB
            table, count, texts = struct.unpack_from("<3I", data, at + 8)
            for i in range(count):
                text, flags, _, _, value = struct.unpack_from("<IBBHQ", data, table + 16 * i)
                if flags & 0xE0 or not flags & 1:  # for a debugger, or not external
                    continue
                start = texts + text
                symbol = data[start : data.index(b"\0", start)].decode()
                (used if flags & 0x0E == 0 and value == 0 else given).add(symbol)
        at += size
    return used, given


def names_of_libraries():
    """Returns the symbols that the libraries of the program export on this system."""
    with open(f"{build}/fs/CMakeFiles/plainfs.dir/link.txt", encoding="utf-8") as file:
        words = shlex.split(file.read())
    libraries = "/usr/lib/" + run(["gcc", "-print-multiarch"]).stdout.strip()
    found = [word for word in words if re.search(r"\.so(\.\d+)*$", word)] + [
        f"{libraries}/lib{word[2:]}.so" for word in words if word.startswith("-l")
    ]
    exported = set()
    for library in filter(os.path.exists, found):
        for line in run(["nm", "-D", "--defined-only", library]).stdout.splitlines():
            exported.add("_" + line.split()[-1].split("@")[0])
    return exported


def linked(objects):
    used, given = map(lambda sets: set().union(*sets), zip(*map(symbols_of, objects)))
    exported = names_of_libraries()
    stubs = {
        name
        for name in used - given
        if name in exported or name in OF_APPLES_COMPILER or re.match(r"__Z(T[ISV])?N?K?(5boost|3fmt|6spdlog)", name)
    }
    stub = os.path.join(folder, "stubs.tbd")
    with open(stub, "w", encoding="utf-8") as file:
        targets = f"targets: [ {processor}-macos ]"
        file.write(
            f"--- !tapi-tbd\ntbd-version: 4\n{targets}\ninstall-name: '/opt/stubs.dylib'\n"
            f"exports:\n  - {targets}\n    symbols: [ {', '.join(sorted(stubs))} ]\n...\n"
        )
    result = run([*clang, *objects, stub, "-o", os.path.join(folder, "plainfs")])
    return result, len(stubs)


os.makedirs(folder, exist_ok=True)
with open(f"{build}/compile_commands.json", encoding="utf-8") as file:
    every = json.load(file)
failed, warnings, objects = 0, 0, []
with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count()))) as threads:
    for result, name, built in threads.map(compiled, every):
        objects.append(built)
        warnings += result.stderr.count(": warning: ")
        failed += result.returncode != 0
        if result.stderr:
            sys.stderr.write(f"{name}:\n{result.stderr}")
print(f"macos {processor}: {len(every)} compiled, {failed} failed, {warnings} warnings", flush=True)
if failed:
    sys.exit(1)
result, stubs = linked(objects)
if result.returncode:  # without messages about zig's own libraries, which the first run compiles
    sys.stderr.writelines(
        line + "\n" for line in result.stderr.splitlines() if line.startswith(("error:", "    note: "))
    )
print(
    f"macos {processor}: linked with {stubs} names of libraries"
    if result.returncode == 0
    else f"macos {processor}: does not link"
)
sys.exit(result.returncode != 0)
