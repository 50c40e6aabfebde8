// The loops of the batched call. Included by model_impl.hpp.
#pragma once

#include "model_impl.hpp"

namespace verilated {

// One side of a stream that this side sends on. Valid, once raised, stays until the beat.
class Offer {
public:
  Offer(const Stall& stall, size_t count)
      : m_stall{stall}
      , m_count{count} {}

  // Decides, at the start of a clock, whether valid is up in it.
  bool raise() {
    if (!m_valid && m_next < m_count) m_valid = !m_stall.stalled();
    return m_valid;
  }
  // Ends the clock; true if the offer was taken.
  bool taken(bool ready) {
    if (!(m_valid && ready)) return false;
    m_valid = false;
    ++m_next;
    return true;
  }
  size_t next() const { return m_next; }
  bool done() const { return m_next == m_count; }
  uint64_t noise() { return m_stall.noise(); }

private:
  StallSource m_stall;
  const size_t m_count;
  size_t m_next = 0;
  bool m_valid = false;
};

// The data lines' clean value: Verilator expects the bits above a port's width to be zero.
template <class T>
T clean(uint64_t value, uint32_t bits) {
  return static_cast<T>(bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1));
}

template <class V, std::vector<Port> (*LIST)(V&)>
StreamEnd ModelImpl<V, LIST>::run_streams(const StreamRequest& request) {
  uint32_t bits = 0;
  for (const Port& port : m_ports) {
    if (port.storage == &m_top.s_data_i) bits = port.bits;
  }
  m_result.restart(request.command_count, request.word_count);
  Offer cmd{request.stalls[CMD], request.command_count};
  Offer s{request.stalls[S], request.word_count};
  StallSource m_stall{request.stalls[M]}, sts_stall{request.stalls[STS]};
  const uint64_t start = m_clock;
  uint64_t last_beat = m_clock;
  StreamEnd end;
  using Word = std::remove_reference_t<decltype(m_top.s_data_i)>;

  for (;;) {
    if (cmd.done() && s.done() && m_result.statuses.size() >= request.statuses
        && m_result.packet_ends.size() >= request.packets) {
      end.outcome = StreamOutcome::Complete;
      break;
    }
    if (m_clock - start >= request.clock_limit) {
      end.outcome = StreamOutcome::ClockLimit;
      break;
    }
    if (m_clock - last_beat >= request.idle_limit) {
      end.outcome = StreamOutcome::Deadlock;
      break;
    }

    m_top.cmd_valid_i = end.valid[CMD] = cmd.raise();
    if (end.valid[CMD]) {
      m_top.cmd_strength_i = request.commands[cmd.next()].strength;
      m_top.cmd_bytes_i = request.commands[cmd.next()].bytes;
    } else {
      m_top.cmd_strength_i = clean<CData>(cmd.noise(), 8);
    }
    m_top.s_valid_i = end.valid[S] = s.raise();
    m_top.s_data_i
        = end.valid[S] ? static_cast<Word>(request.words[s.next()]) : clean<Word>(s.noise(), bits);
    m_top.m_ready_i = end.ready[M] = !m_stall.stalled();
    m_top.sts_ready_i = end.ready[STS] = !sts_stall.stalled();
    edge(false);

    // The handshakes as the rising edge will see them.
    end.ready[CMD] = m_top.cmd_ready_o;
    end.ready[S] = m_top.s_ready_o;
    end.valid[M] = m_top.m_valid_o;
    end.valid[STS] = m_top.sts_valid_o;
    bool beat = false;
    if (cmd.taken(end.ready[CMD])) {
      m_result.command_clocks.push_back(m_clock);
      beat = true;
    }
    if (s.taken(end.ready[S])) {
      m_result.input_clocks.push_back(m_clock);
      beat = true;
    }
    if (end.valid[M] && end.ready[M]) {
      m_result.words.push_back(m_top.m_data_o);
      m_result.word_clocks.push_back(m_clock);
      if (m_top.m_last_o) m_result.packet_ends.push_back(m_result.words.size());
      beat = true;
    }
    if (end.valid[STS] && end.ready[STS]) {
      m_result.statuses.push_back(m_top.sts_data_o);
      m_result.status_clocks.push_back(m_clock);
      beat = true;
    }
    if (beat) last_beat = m_clock;
    edge(true);
  }

  m_top.cmd_valid_i = m_top.s_valid_i = m_top.m_ready_i = m_top.sts_ready_i = 0;
  end.clocks = m_clock - start;
  if (end.outcome == StreamOutcome::Deadlock) save_trace();
  return end;
}

// Sends and receives without stalls, clock numbers, traces and checks, until the statuses have
// come. Returns the number of clocks.
template <class V, std::vector<Port> (*LIST)(V&)>
uint64_t ModelImpl<V, LIST>::run_reference(const StreamRequest& request) {
  std::vector<uint64_t> words(request.word_count + 1);
  size_t cmd = 0, s = 0, m = 0, sts = 0;
  uint64_t clocks = 0;
  m_top.m_ready_i = 1;
  m_top.sts_ready_i = 1;
  for (; sts < request.statuses; ++clocks) {
    m_top.cmd_valid_i = cmd < request.command_count;
    if (m_top.cmd_valid_i) {
      m_top.cmd_strength_i = request.commands[cmd].strength;
      m_top.cmd_bytes_i = request.commands[cmd].bytes;
    }
    m_top.s_valid_i = s < request.word_count;
    if (m_top.s_valid_i) m_top.s_data_i = request.words[s];
    m_top.clk_i = 0;
    m_top.eval();
    cmd += m_top.cmd_valid_i && m_top.cmd_ready_o;
    s += m_top.s_valid_i && m_top.s_ready_o;
    if (m_top.m_valid_o && m < request.word_count) words[m++] = m_top.m_data_o;
    sts += m_top.sts_valid_o;
    m_top.clk_i = 1;
    m_top.eval();
  }
  m_top.cmd_valid_i = m_top.s_valid_i = m_top.m_ready_i = m_top.sts_ready_i = 0;
  m_clock += clocks;
  return clocks;
}

}  // namespace verilated
