// Integers of 128 bits, which hold every product of two 64-bit integers.
#pragma once

namespace plainfs {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;

}  // namespace plainfs
