// The batched call: many codewords' worth of clock edges for one crossing from Rust.
//
// In: commands, data words and the stalls of each stream. Out: data words with their packets'
// ends, statuses, and the clock number of every beat.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace verilated {

// One codeword's command.
struct Command {
  uint8_t strength;
  uint16_t bytes;
};

enum StreamIndex : size_t { CMD = 0, S = 1, M = 2, STS = 3, STREAMS = 4 };

// How often this side of a stream withholds valid or ready: in `per_256` of 256 clocks.
struct Stall {
  uint8_t per_256 = 0;
  uint64_t seed = 0;
};

struct StreamRequest {
  const Command* commands = nullptr;
  size_t command_count = 0;
  const uint64_t* words = nullptr;
  size_t word_count = 0;
  size_t statuses = 0;      // statuses to wait for
  size_t packets = 0;       // words with m_last_o to wait for
  uint64_t idle_limit = 0;  // clocks without a beat that count as a deadlock
  uint64_t clock_limit = UINT64_MAX;
  std::array<Stall, STREAMS> stalls;
};

// Clock numbers count from the model's construction.
struct StreamResult {
  std::vector<uint64_t> command_clocks;
  std::vector<uint64_t> input_clocks;
  std::vector<uint64_t> words;
  std::vector<uint64_t> word_clocks;
  std::vector<uint64_t> packet_ends;  // index behind each word with m_last_o
  std::vector<uint16_t> statuses;
  std::vector<uint64_t> status_clocks;

  // Empties the vectors and keeps their memory, with room for so many beats.
  void restart(size_t commands, size_t input_words) {
    for (auto* list : {&command_clocks, &input_clocks, &words, &word_clocks, &packet_ends,
                       &status_clocks}) {
      list->clear();
    }
    statuses.clear();
    command_clocks.reserve(commands);
    input_clocks.reserve(input_words);
    words.reserve(input_words);
    word_clocks.reserve(input_words);
  }
};

enum class StreamOutcome : uint8_t {
  Complete = 0,    // everything was sent, and all statuses and packets have come
  ClockLimit = 1,  // the limit of clocks was reached before
  Deadlock = 2,    // no beat on any stream for too long
};

struct StreamEnd {
  StreamOutcome outcome = StreamOutcome::Complete;
  uint64_t clocks = 0;               // clocks that the call took
  std::array<bool, STREAMS> valid{};  // the handshakes in the last clock
  std::array<bool, STREAMS> ready{};
};

// Decides clock by clock whether a stream is stalled (xorshift64*, so that a seed is a sequence).
class StallSource {
public:
  explicit StallSource(const Stall& stall)
      : m_per_256{stall.per_256}
      , m_state{stall.seed * 0x9e3779b97f4a7c15u | 1} {}

  bool stalled() { return m_per_256 != 0 && (next() >> 56) < m_per_256; }
  // What to drive on the data lines while they mean nothing.
  uint64_t noise() { return m_per_256 != 0 ? next() : 0; }

private:
  uint64_t next() {
    m_state ^= m_state >> 12;
    m_state ^= m_state << 25;
    m_state ^= m_state >> 27;
    return m_state * 0x2545f4914f6cdd1du;
  }

  const uint8_t m_per_256;
  uint64_t m_state;
};

}  // namespace verilated
