// The newest time steps of a trace, held in memory.
//
// A failure is rare and seldom announced, so the last clocks before it are recorded all the time
// but written only once it has happened. The ring holds the changes of each step, and the values
// of all variables before its oldest step; a step that leaves the ring is folded into those.

#include <deque>
#include <functional>
#include <iterator>

#include "gtkwave/fstapi.h"
#include "wave.hpp"

namespace verilated {

namespace {

class Ring final : public WaveRing {
public:
  explicit Ring(size_t steps)
      : m_limit{steps} {
    m_offsets = {0, 0};  // handles count from 1
  }

  void timescale(const std::string& unit) override {
    m_declarations.push_back([=](WaveSink& target, Handles&) { target.timescale(unit); });
  }
  void scope(int kind, const std::string& name) override {
    m_declarations.push_back([=](WaveSink& target, Handles&) { target.scope(kind, name); });
  }
  void upscope() override {
    m_declarations.push_back([](WaveSink& target, Handles&) { target.upscope(); });
  }
  uint32_t enumeration(const std::string& name, uint32_t min_bits,
                       const std::vector<std::string>& labels,
                       const std::vector<std::string>& values) override {
    m_declarations.push_back([=](WaveSink& target, Handles& handles) {
      handles.enumerations.push_back(target.enumeration(name, min_bits, labels, values));
    });
    return ++m_enumerations;
  }
  void enumerated(uint32_t handle) override {
    m_declarations.push_back([=](WaveSink& target, Handles& handles) {
      target.enumerated(handles.enumerations[handle - 1]);
    });
  }

  uint32_t variable(int kind, int direction, uint32_t bits, const std::string& name,
                    uint32_t alias) override {
    const bool fresh = alias == 0;
    m_declarations.push_back([=](WaveSink& target, Handles& handles) {
      const uint32_t original = fresh ? 0 : handles.variables[alias - 1];
      const uint32_t handle = target.variable(kind, direction, bits, name, original);
      if (fresh) handles.variables.push_back(handle);
    });
    if (!fresh) return alias;
    const bool real = kind == FST_VT_VCD_REAL || kind == FST_VT_VCD_REAL_PARAMETER;
    const uint32_t size = real ? sizeof(double) : bits;
    const auto handle = static_cast<uint32_t>(m_offsets.size() - 1);
    m_offsets.push_back(m_offsets.back() + size);
    m_base.append(size, real ? '\0' : 'x');
    return handle;
  }

  void time(uint64_t time) override {
    Step step;
    if (m_steps.size() == m_limit) {
      step = std::move(m_steps.front());
      m_steps.pop_front();
      fold(step, m_base);
      step.changes.clear();
    }
    step.time = time;
    m_steps.push_back(std::move(step));
  }

  void value(uint32_t handle, const char* value) override {
    std::string& changes = m_steps.back().changes;
    changes.append(reinterpret_cast<const char*>(&handle), sizeof handle);
    changes.append(value, size(handle));
  }

  void write(WaveSink& target) const override {
    Handles handles;
    for (const auto& declaration : m_declarations) declaration(target, handles);
    if (m_steps.empty()) return;
    std::string first = m_base;
    fold(m_steps.front(), first);
    target.time(m_steps.front().time);
    for (size_t i = 0; i < handles.variables.size(); ++i) {
      target.value(handles.variables[i], first.data() + m_offsets[i + 1]);
    }
    for (auto step = std::next(m_steps.begin()); step != m_steps.end(); ++step) {
      target.time(step->time);
      for_each_change(*step, [&](uint32_t handle, const char* value) {
        target.value(handles.variables[handle - 1], value);
      });
    }
  }

private:
  // Each variable's and enumeration's handle in the sink that is written to.
  struct Handles {
    std::vector<uint32_t> variables;
    std::vector<uint32_t> enumerations;
  };
  // Changes are handles, each followed by as many characters as its variable has bits.
  struct Step {
    uint64_t time = 0;
    std::string changes;
  };

  uint32_t size(uint32_t handle) const { return m_offsets[handle + 1] - m_offsets[handle]; }

  template <class Visit>
  void for_each_change(const Step& step, Visit visit) const {
    const char* at = step.changes.data();
    const char* const end = at + step.changes.size();
    while (at != end) {
      uint32_t handle;
      __builtin_memcpy(&handle, at, sizeof handle);
      at += sizeof handle;
      visit(handle, at);
      at += size(handle);
    }
  }

  // Brings the values of all variables up to the end of the step.
  void fold(const Step& step, std::string& values) const {
    for_each_change(step, [&](uint32_t handle, const char* value) {
      values.replace(m_offsets[handle], size(handle), value, size(handle));
    });
  }

  const size_t m_limit;
  std::vector<std::function<void(WaveSink&, Handles&)>> m_declarations;
  uint32_t m_enumerations = 0;
  std::vector<uint32_t> m_offsets;  // of each handle's value in m_base, and the end
  std::string m_base;               // values before the oldest step
  std::deque<Step> m_steps;
};

}  // namespace

std::unique_ptr<WaveRing> make_wave_ring(size_t steps) { return std::make_unique<Ring>(steps); }

}  // namespace verilated
