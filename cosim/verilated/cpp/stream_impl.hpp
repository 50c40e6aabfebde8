// The loops of the batched call. Included by model_impl.hpp.
#pragma once

#include "model_impl.hpp"

namespace verilated {

// A stream that this side sends on. Valid, once raised, stays until the beat.
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
  bool valid() const { return m_valid; }
  size_t next() const { return m_next; }
  bool done() const { return m_next == m_count; }
  uint64_t noise() { return m_stall.noise(); }

private:
  StallSource m_stall;
  const size_t m_count;
  size_t m_next = 0;
  bool m_valid = false;
};

// The ports of the four streams. A model holds its ports as references into its state, and the
// compiler reads such a reference anew after each evaluation; these copies it keeps.
template <class V>
struct StreamPorts {
  explicit StreamPorts(V& top)
      : cmd_valid{top.cmd_valid_i}
      , cmd_ready{top.cmd_ready_o}
      , cmd_strength{top.cmd_strength_i}
      , cmd_bytes{top.cmd_bytes_i}
      , s_valid{top.s_valid_i}
      , s_ready{top.s_ready_o}
      , s_data{top.s_data_i}
      , m_valid{top.m_valid_o}
      , m_ready{top.m_ready_i}
      , m_data{top.m_data_o}
      , m_last{top.m_last_o}
      , sts_valid{top.sts_valid_o}
      , sts_ready{top.sts_ready_i}
      , sts_data{top.sts_data_o} {}

  using In = std::remove_reference_t<decltype(std::declval<V&>().s_data_i)>;
  using Out = std::remove_reference_t<decltype(std::declval<V&>().m_data_o)>;

  void release() { cmd_valid = s_valid = m_ready = sts_ready = 0; }

  CData& cmd_valid;
  CData& cmd_ready;
  CData& cmd_strength;
  SData& cmd_bytes;
  CData& s_valid;
  CData& s_ready;
  In& s_data;
  CData& m_valid;
  CData& m_ready;
  Out& m_data;
  CData& m_last;
  CData& sts_valid;
  CData& sts_ready;
  SData& sts_data;
};

// Takes what the model gives in this clock; false if that is nothing.
template <class V>
bool receive(const StreamPorts<V>& ports, uint64_t clock, StreamResult& result) {
  const bool word = ports.m_valid && ports.m_ready;
  const bool status = ports.sts_valid && ports.sts_ready;
  if (word) {
    result.words.push_back(ports.m_data);
    result.word_clocks.push_back(clock);
    if (ports.m_last) result.packet_ends.push_back(result.words.size());
  }
  if (status) {
    result.statuses.push_back(ports.sts_data);
    result.status_clocks.push_back(clock);
  }
  return word || status;
}

template <class V, std::vector<Port> (*LIST)(V&)>
StreamEnd ModelImpl<V, LIST>::run_streams(const StreamRequest& request) {
  using Ports = StreamPorts<V>;
  Ports ports{m_top};
  // Verilator expects the bits above a port's width to be zero.
  uint64_t data_mask = 0;
  for (const Port& port : m_ports) {
    if (port.storage == &ports.s_data) data_mask = ~uint64_t{0} >> (64 - port.bits);
  }
  m_result.restart(request.command_count, request.word_count);

  Offer cmd{request.stalls[CMD], request.command_count};
  Offer s{request.stalls[S], request.word_count};
  StallSource m_stall{request.stalls[M]}, sts_stall{request.stalls[STS]};
  const uint64_t start = m_clock;
  uint64_t last_beat = m_clock;
  bool beat = true;
  StreamOutcome outcome = StreamOutcome::Complete;

  for (;;) {
    if (beat) {
      last_beat = m_clock;
      if (cmd.done() && s.done() && m_result.statuses.size() >= request.statuses
          && m_result.packet_ends.size() >= request.packets) {
        break;
      }
    } else if (m_clock - last_beat >= request.idle_limit) {
      outcome = StreamOutcome::Deadlock;
      break;
    }
    if (m_clock - start >= request.clock_limit) {
      outcome = StreamOutcome::ClockLimit;
      break;
    }

    if (cmd.raise()) {
      ports.cmd_valid = 1;
      ports.cmd_strength = request.commands[cmd.next()].strength;
      ports.cmd_bytes = request.commands[cmd.next()].bytes;
    } else {
      ports.cmd_valid = 0;
      ports.cmd_strength = static_cast<CData>(cmd.noise());
    }
    if (s.raise()) {
      ports.s_valid = 1;
      ports.s_data = static_cast<typename Ports::In>(request.words[s.next()]);
    } else {
      ports.s_valid = 0;
      ports.s_data = static_cast<typename Ports::In>(s.noise() & data_mask);
    }
    ports.m_ready = !m_stall.stalled();
    ports.sts_ready = !sts_stall.stalled();
    edge(false);

    // The handshakes are now as the rising edge will see them.
    beat = false;
    if (cmd.taken(ports.cmd_ready)) {
      m_result.command_clocks.push_back(m_clock);
      beat = true;
    }
    if (s.taken(ports.s_ready)) {
      m_result.input_clocks.push_back(m_clock);
      beat = true;
    }
    if (receive(ports, m_clock, m_result)) beat = true;
    edge(true);
  }

  StreamEnd end{outcome, m_clock - start,
                {cmd.valid(), s.valid(), ports.m_valid != 0, ports.sts_valid != 0},
                {ports.cmd_ready != 0, ports.s_ready != 0, ports.m_ready != 0,
                 ports.sts_ready != 0}};
  ports.release();
  if (outcome == StreamOutcome::Deadlock) save_trace();
  return end;
}

// Sends and receives without stalls, clock numbers, traces and checks, until the statuses have
// come. Returns the number of clocks.
template <class V, std::vector<Port> (*LIST)(V&)>
uint64_t ModelImpl<V, LIST>::run_reference(const StreamRequest& request) {
  m_result.words.resize(request.word_count);
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
    if (m_top.m_valid_o && m < request.word_count) m_result.words[m++] = m_top.m_data_o;
    sts += m_top.sts_valid_o;
    m_top.clk_i = 1;
    m_top.eval();
  }
  StreamPorts<V>{m_top}.release();
  m_clock += clocks;
  return clocks;
}

}  // namespace verilated
