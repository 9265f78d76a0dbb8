// Turns the exception that ends a program of plainfs into a line on standard error and an exit code.
#pragma once

#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

#include "formats/core/text/printable.h"
#include "fs/command_line/exit_code.h"

namespace plainfs {

template <class Program>
int exit_code(const Program& program) {
  const auto print = [](const char* what) {
    try {
      std::fprintf(stderr, "plainfs: %s\n", printable(what).c_str());
    } catch (const std::bad_alloc&) {
      std::fputs("plainfs: out of memory\n", stderr);
    }
  };
  try {
    return program();
  } catch (const Failure& failure) {
    print(failure.what());
    return failure.code();
  } catch (const Error& error) {
    print(error.what());
    return exit_code_of(error.code());
  } catch (const std::bad_alloc&) {
    print("out of memory");
    return kNotReadable;
  } catch (const std::system_error& error) {  // a thread could not be started
    print(error.what());
    return kNotReadable;
  } catch (const std::exception& error) {
    print(error.what());
    return kLoopFailed;
  }
}

}  // namespace plainfs
