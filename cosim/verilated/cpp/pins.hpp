// The batched call of a top with pins, the ONFI channel controller: clock edges until something
// happens that whoever stands at its pins and streams has to see.
//
// In: bytes for the stream into the controller, edges of DQS, DQ for a capture. Out: bytes of the
// stream out of it, and how far each of these has come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace verilated {

// An edge of DQS, and DQ with it: behind so many clock edges of the call.
struct Strobe {
  uint64_t edges_before;
  bool dqs;
  uint8_t dq;
};

struct PinRequest {
  uint64_t edges = 0;             // at most so many, falling and rising in turn
  const uint8_t* bytes = nullptr; // for s_data_i, while s_valid_i is up
  size_t byte_count = 0;
  const Strobe* strobes = nullptr;
  size_t strobe_count = 0;
  bool captures = false;          // dq_i takes `dq` before the next rise of the clock
  uint8_t dq = 0;
};

struct PinEnd {
  uint64_t edges;  // of the clock
  size_t bytes;    // that s_* has taken
  size_t strobes;  // that were made
};

// Whether ports have changed. Verilator keeps narrow ports side by side, so a few words under masks
// show them all.
class Watch {
public:
  // Adds a port of at most 64 bits. It lies in one aligned word: its size is a power of two, and
  // it is aligned to that.
  void add(const void* storage, size_t bytes) {
    const auto address = reinterpret_cast<uintptr_t>(storage);
    const auto* at = reinterpret_cast<const void*>(address & ~uintptr_t{7});
    const uint64_t mask = (~uint64_t{0} >> (64 - 8 * bytes)) << (8 * (address & 7));
    for (Word& word : m_words) {
      if (word.at == at) {
        word.mask |= mask;
        return;
      }
    }
    m_words.push_back({at, mask, 0});
  }
  // Whether a port has changed since the last look.
  bool changed() {
    uint64_t difference = 0;
    for (Word& word : m_words) {
      uint64_t now;
      __builtin_memcpy(&now, word.at, sizeof now);
      difference |= (now ^ word.last) & word.mask;
      word.last = now;
    }
    return difference != 0;
  }

private:
  struct Word {
    const void* at;
    uint64_t mask;
    uint64_t last;
  };
  std::vector<Word> m_words;
};

}  // namespace verilated
