// While in scope, no thread starts: each would need a stack larger than any address space.
#pragma once

#include <pthread.h>

#include <boost/test/unit_test.hpp>
#include <cstddef>

namespace plainfs {

class NoThreads {
 public:
  NoThreads() {
    pthread_attr_t none;
    BOOST_REQUIRE(::pthread_getattr_default_np(&none) == 0);
    BOOST_REQUIRE(::pthread_attr_getstacksize(&none, &before_) == 0);
    set(size_t{1} << 50);
  }
  ~NoThreads() { set(before_); }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

 private:
  static void set(size_t stack_bytes) {
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    ::pthread_attr_setstacksize(&attributes, stack_bytes);
    ::pthread_setattr_default_np(&attributes);
    ::pthread_attr_destroy(&attributes);
  }

  size_t before_ = 0;
};

}  // namespace plainfs
