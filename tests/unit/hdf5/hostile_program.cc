// A compromised libhdf5 process: HDF5_TEST_HOSTILE selects its answers, after a true one to the first
// question.
#include <unistd.h>

#include <cstdlib>
#include <random>
#include <string_view>

#include "formats/containers/hdf5/process/protocol.h"
#include "formats/containers/hdf5/process/serve.h"

using namespace plainfs;
using namespace plainfs::hdf5;

namespace {

uint32_t number(auto kind) {
  return static_cast<uint32_t>(kind);
}

Bytes noise(size_t size, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() % 4 == 0 ? random() : 0);
  return bytes;
}

bool attack(Channel& channel, std::string_view how, unsigned round) {
  const auto answer = number(Answer::answer);
  if (how == "empty") return channel.send(answer, {});
  if (how == "noise") return channel.send(answer + round % 2, noise(round * 7 % 300, round));
  if (how == "unknown") return channel.send(4711, {});
  if (how == "questions") return channel.send(number(Question::read_source) + round % 3, noise(24, round));
  if (how == "huge") {  // a message that claims an excessive length
    const uint64_t head[] = {answer, ~uint64_t{0} >> 1};
    return ::write(kServedSocket, head, sizeof head) == sizeof head;
  }
  while (how == "computes") (void)noise(1 << 10, round++);
  return false;  // ends
}

}  // namespace

int main() {
  const char* const how = std::getenv("HDF5_TEST_HOSTILE");
  Channel channel{Descriptor(kServedSocket), true};
  for (unsigned round = 0;; ++round) {
    const auto message = channel.receive(1 << 20);
    if (!message) return 0;
    Writer settled;
    settled(uint64_t{0}, uint64_t{0}, std::string());
    const bool is_settings = message->kind == number(Ask::settings);
    if (!(is_settings ? channel.send(number(Answer::answer), settled.bytes()) : attack(channel, how, round)))
      return 3;
  }
}
