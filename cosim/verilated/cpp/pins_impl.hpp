// The loops of the batched call of a top with pins. Included by model_impl.hpp.
#pragma once

#include "model_impl.hpp"

namespace verilated {

// The ports that the loops look at; see StreamPorts for why they are copied.
template <class V>
struct PinPorts {
  explicit PinPorts(V& top)
      : cmd_valid{top.cmd_valid_i}
      , cmd_ready{top.cmd_ready_o}
      , s_valid{top.s_valid_i}
      , s_ready{top.s_ready_o}
      , s_data{top.s_data_i}
      , m_valid{top.m_valid_o}
      , m_ready{top.m_ready_i}
      , m_data{top.m_data_o}
      , m_tag{top.m_tag_o}
      , m_last{top.m_last_o}
      , cpl_valid{top.cpl_valid_o}
      , cpl_ready{top.cpl_ready_i}
      , capture{top.capture_o}
      , dq{top.dq_i}
      , dqs{top.dqs_i} {}

  CData& cmd_valid;
  CData& cmd_ready;
  CData& s_valid;
  CData& s_ready;
  CData& s_data;
  CData& m_valid;
  CData& m_ready;
  CData& m_data;
  CData& m_tag;
  CData& m_last;
  CData& cpl_valid;
  CData& cpl_ready;
  CData& capture;
  CData& dq;
  CData& dqs;
};

// Outputs whose changes end a call: the pins, and what its caller acts upon.
template <class V>
void watch_pins(V& top, Watch& watch) {
  const auto add = [&watch](const auto& port) { watch.add(&port, sizeof port); };
  add(top.ce_no), add(top.cle_o), add(top.ale_o), add(top.we_no), add(top.re_no), add(top.wp_no);
  add(top.dq_o), add(top.dq_oe_o), add(top.dqs_o), add(top.dqs_oe_o);
  add(top.quiet_o), add(top.ask_valid_o), add(top.ask_tag_o);
}

template <class V, std::vector<Port> (*LIST)(V&)>
PinEnd ModelImpl<V, LIST>::run_to_event(const PinRequest& request) {
  PinPorts<V> ports{m_top};
  m_bytes.clear();
  PinEnd end{0, 0, 0};
  bool captures = request.captures;
  bool stop = false;          // now
  bool stop_at_rise = false;  // with the end of this clock
  while (end.edges < request.edges && !stop) {
    for (; end.strobes < request.strobe_count; ++end.strobes) {
      const Strobe& strobe = request.strobes[end.strobes];
      if (strobe.edges_before > end.edges) break;
      ports.dq = strobe.dq;
      ports.dqs = strobe.dqs;
      evaluate();
    }
    const bool level = !m_clock_level;
    if (!level && end.bytes < request.byte_count) ports.s_data = request.bytes[end.bytes];
    if (level && captures) {
      ports.dq = request.dq;
      captures = false;
    }
    edge(level);
    ++end.edges;
    if (level) {
      stop = stop_at_rise || ports.capture;
    } else {
      // The handshakes are now as the rising edge will see them.
      stop = (ports.cmd_valid && ports.cmd_ready) || (ports.cpl_valid && ports.cpl_ready);
      if (ports.m_valid && ports.m_ready) {
        m_bytes.push_back(static_cast<uint16_t>(ports.m_tag << 8 | ports.m_data));
        stop_at_rise |= ports.m_last;
      }
      if (ports.s_valid && ports.s_ready && ++end.bytes >= request.byte_count) stop_at_rise = true;
    }
    if (m_watch.changed()) stop = true;
  }
  return end;
}

// A die of a few lines: DQS follows CLK at once in data-out cycles, and DQ never changes.
template <class V, std::vector<Port> (*LIST)(V&)>
void ModelImpl<V, LIST>::run_pin_reference(uint64_t clocks) {
  bool clk = m_top.we_no;
  bool out = false;
  for (uint64_t i = 0; i < clocks; ++i) {
    m_top.clk_i = 0;
    m_top.eval();
    m_top.clk_i = 1;
    m_top.eval();
    if (clk == static_cast<bool>(m_top.we_no)) continue;
    clk = m_top.we_no;
    if (clk) out = m_top.cle_o && m_top.ale_o && !m_top.re_no;
    if (out) {
      m_top.dqs_i = clk;
      m_top.eval();
    }
  }
  m_clock += clocks;
}

}  // namespace verilated
