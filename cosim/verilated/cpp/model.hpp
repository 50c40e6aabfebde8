// One Verilator model behind an interface without types of its own, so that one bridge serves all.
//
// In: port values and requests from Rust. Out: port values, stream results, failures, waves.
// Time: clock k takes [10 k, 10 k + 10) ns; the clock falls and inputs change at its start, and
// rises in its middle. So an edge costs one evaluation, and the one at the falling edge also
// settles whatever depends on the new inputs without a register in between.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "failure.hpp"
#include "pins.hpp"
#include "stream.hpp"
#include "wave.hpp"

class VerilatedContext;
class VerilatedFstC;

namespace verilated {

constexpr uint64_t CLOCK_NS = 10;

// A port of a top: where its value lies, in Verilator's representation. A value of up to 64 bits
// is an integer of `bytes` bytes, a wider one an array of 32-bit words, lowest first.
struct Port {
  const char* name;
  bool input;
  uint32_t bits;
  uint32_t bytes;
  void* storage;
};

struct TraceRequest {
  std::string path;
  WaveFormat format = WaveFormat::Vcd;
  uint64_t first_clock = 0;
  uint64_t end_clock = UINT64_MAX;  // the first clock that is not recorded
  uint64_t ring_clocks = 0;         // not 0: keep only the newest clocks, write them on a failure
};

class Model;

// A row of the build script's table, as the generated registry knows it.
struct ModelInfo {
  const char* name;
  const char* module;
  bool coverage;
  std::unique_ptr<Model> (*make)(const ModelInfo& info, uint32_t seed);
};

// Called by the generated registries before main.
void register_models(const ModelInfo* const* models, size_t count);
// All registered models, in the order of registration.
const std::vector<const ModelInfo*>& registered_models();

class Model {
public:
  virtual ~Model();

  virtual void eval() = 0;
  virtual void set_clock(bool level) = 0;
  virtual void step(uint64_t clocks) = 0;
  // False where the top does not have the four streams.
  virtual bool has_streams() const = 0;
  virtual StreamEnd stream(const StreamRequest& request) = 0;
  // What a hand-written C++ loop does, as the measure for stream().
  virtual uint64_t reference_loop(const StreamRequest& request) = 0;

  // Clock edges until one with which something changes outside; bytes() are those of m_*.
  virtual PinEnd run_pins(const PinRequest& request) = 0;
  // What a hand-written C++ loop does, as the measure for run_pins().
  virtual void reference_pins(uint64_t clocks) = 0;
  // Tags and bytes of the last run_pins().
  const std::vector<uint16_t>& bytes() const { return m_bytes; }

  const ModelInfo& info() const { return m_info; }
  const std::vector<Port>& ports() const { return m_ports; }
  const StreamResult& result() const { return m_result; }
  const Listener& listener() const { return m_listener; }
  std::string take_log() { return m_listener.take_log(); }
  uint64_t clock() const { return m_clock; }

  // Replaces the trace that is armed or running.
  void start_trace(const TraceRequest& request);
  // Ends the trace; a ring is written now.
  void end_trace();
  // The file of the last trace that was written, empty if none was.
  const std::string& written_trace() const { return m_written_trace; }
  void write_coverage(const std::string& path);

protected:
  // Binds this thread to the model for the duration of a call. The runtime finds the context of
  // $time, $finish and failures by a thread-local pointer, and a model may change threads.
  class Enter {
  public:
    explicit Enter(Model& model);
    ~Enter() { t_listener = nullptr; }
  };

  // Creates the context; call with the construction lock held.
  Model(const ModelInfo& info, uint32_t seed);
  virtual void attach_trace(VerilatedFstC& trace) = 0;
  // Makes the model's context this thread's own. The top's destructor needs that as well: it
  // takes its scopes out of whatever context the thread is bound to.
  void bind_thread();

  // Ends a call after a failure: notes the clock, writes the trace, throws Failed.
  [[noreturn]] void end_failed();
  // Ends the trace after a failure; that the file cannot be written goes to the log then.
  void save_trace();
  // Forgets a ring and closes a file. To be called while the top is still there.
  void close_trace();
  // Records the values at `time`, if that lies in the window.
  void trace_at(uint64_t time);

  const ModelInfo& m_info;
  std::unique_ptr<VerilatedContext> m_context;
  std::vector<Port> m_ports;
  Listener m_listener;
  StreamResult m_result;
  std::vector<uint16_t> m_bytes;
  Watch m_watch;
  uint64_t m_clock = 0;        // number of rising edges so far
  bool m_tracing = false;      // a trace is armed or running
  bool m_clock_level = true;   // the clock's level after the last edge; a first one falls

private:
  void open_trace();

  TraceRequest m_trace_request;
  std::unique_ptr<WaveSink> m_wave;  // outlives m_trace, which writes to it
  WaveRing* m_ring = nullptr;        // m_wave, where that is a ring
  std::unique_ptr<VerilatedFstC> m_trace;
  uint64_t m_trace_time = UINT64_MAX;  // the last time recorded
  std::string m_written_trace;
};

// Held while a model is made and a trace is opened: the runtime notes the last context, draws the
// initial values and formats a date with state that all threads share.
class SharedStateLock {
public:
  SharedStateLock();
  ~SharedStateLock();
  SharedStateLock(const SharedStateLock&) = delete;
  SharedStateLock& operator=(const SharedStateLock&) = delete;
};

}  // namespace verilated
