// The part of a model that depends on its top's type. Compiled together with the code that
// Verilator generated for the top, in one translation unit, so that the loops see the evaluation.
#pragma once

#include <concepts>
#include <type_traits>

#include "model.hpp"
#include "verilated.h"
#include "verilated_fst_c.h"

namespace verilated {

template <class T>
inline constexpr bool is_narrow = std::is_integral_v<std::remove_reference_t<T>>;

// The port convention of the codec: four valid/ready streams with words of up to 64 bits.
template <class V>
concept StreamTop = requires(V& top) {
  top.clk_i;
  top.cmd_valid_i, top.cmd_ready_o, top.cmd_strength_i, top.cmd_bytes_i;
  top.s_valid_i, top.s_ready_o, top.s_data_i;
  top.m_valid_o, top.m_ready_i, top.m_data_o, top.m_last_o;
  top.sts_valid_o, top.sts_ready_i, top.sts_data_o;
  requires is_narrow<decltype(top.s_data_i)> && is_narrow<decltype(top.m_data_o)>;
};

// The ONFI channel controller.
template <class V>
concept PinTop = requires(V& top) {
  top.clk_i;
  top.cmd_valid_i, top.cmd_ready_o;
  top.s_valid_i, top.s_ready_o, top.s_data_i;
  top.m_valid_o, top.m_ready_i, top.m_data_o, top.m_tag_o, top.m_last_o;
  top.cpl_valid_o, top.cpl_ready_i;
  top.ce_no, top.we_no, top.re_no, top.dq_i, top.dqs_i, top.capture_o;
};

template <class V>
concept ClockedTop = requires(V& top) { top.clk_i; };

template <class V>
void watch_pins(V& top, Watch& watch);

template <std::integral T>
Port make_port(const char* name, bool input, uint32_t bits, T& storage) {
  return {name, input, bits, sizeof(T), &storage};
}
template <std::size_t WORDS>
Port make_port(const char* name, bool input, uint32_t bits, VlWide<WORDS>& storage) {
  return {name, input, bits, 4 * WORDS, storage.data()};
}

// `LIST` is the generated function that lists the top's ports.
template <class V, std::vector<Port> (*LIST)(V&)>
class ModelImpl final : public Model {
public:
  static std::unique_ptr<Model> make(const ModelInfo& info, uint32_t seed) {
    std::unique_ptr<ModelImpl> model;
    {
      const SharedStateLock lock;
      model.reset(new ModelImpl(info, seed));
    }
    model->initialise();
    return model;
  }

  ~ModelImpl() override {
    close_trace();
    bind_thread();
  }

  void eval() override {
    const Enter enter{*this};
    evaluate();
  }

  void set_clock(bool level) override {
    const Enter enter{*this};
    edge(level);
  }

  void step(uint64_t clocks) override {
    const Enter enter{*this};
    for (uint64_t i = 0; i < clocks; ++i) {
      edge(false);
      edge(true);
    }
  }

  bool has_streams() const override { return StreamTop<V>; }

  StreamEnd stream(const StreamRequest& request) override {
    if constexpr (StreamTop<V>) {
      const Enter enter{*this};
      return run_streams(request);
    } else {
      throw std::runtime_error("the top does not have the four streams");
    }
  }

  uint64_t reference_loop(const StreamRequest& request) override {
    if constexpr (StreamTop<V>) {
      const Enter enter{*this};
      return run_reference(request);
    } else {
      throw std::runtime_error("the top does not have the four streams");
    }
  }

  PinEnd run_pins(const PinRequest& request) override {
    if constexpr (PinTop<V>) {
      const Enter enter{*this};
      return run_to_event(request);
    } else {
      throw std::runtime_error("the top does not have the pins");
    }
  }

  void reference_pins(uint64_t clocks) override {
    if constexpr (PinTop<V>) {
      const Enter enter{*this};
      run_pin_reference(clocks);
    } else {
      throw std::runtime_error("the top does not have the pins");
    }
  }

protected:
  void attach_trace(VerilatedFstC& trace) override { m_top.trace(&trace, 99); }

private:
  ModelImpl(const ModelInfo& info, uint32_t seed)
      : Model{info, seed}
      , m_top{m_context.get(), "TOP"} {
    m_ports = LIST(m_top);
    // The random initial values reach the inputs too.
    for (const Port& port : m_ports) {
      if (port.input) __builtin_memset(port.storage, 0, port.bytes);
    }
    if constexpr (PinTop<V>) watch_pins(m_top, m_watch);
  }

  // Runs the initial blocks. A failure there is kept for the caller to find.
  void initialise() {
    const Enter enter{*this};
    try {
      m_top.eval();
    } catch (const Unrecoverable&) {
    }
  }

  void evaluate() {
    try {
      m_top.eval();
    } catch (const Unrecoverable&) {
      end_failed();
    }
    if (m_listener.tripped()) [[unlikely]] end_failed();
  }

  void edge(bool level) {
    if constexpr (ClockedTop<V>) {
      const uint64_t time = CLOCK_NS * m_clock + (level ? CLOCK_NS / 2 : 0);
      m_top.clk_i = level;
      m_context->time(time);
      try {
        m_top.eval();
      } catch (const Unrecoverable&) {
        end_failed();
      }
      if (m_tracing) [[unlikely]] trace_at(time);
      if (m_listener.tripped()) [[unlikely]] end_failed();
      m_clock_level = level;
      if (level) ++m_clock;
    } else {
      throw std::runtime_error("the top has no clk_i");
    }
  }

  StreamEnd run_streams(const StreamRequest& request);
  uint64_t run_reference(const StreamRequest& request);
  PinEnd run_to_event(const PinRequest& request);
  void run_pin_reference(uint64_t clocks);

  V m_top;
};

}  // namespace verilated

#include "pins_impl.hpp"
#include "stream_impl.hpp"
