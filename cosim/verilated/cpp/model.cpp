// The part of a model that does not depend on its top: context, trace windows, coverage, registry.

#include "model.hpp"

#include <cstdio>
#include <mutex>

#include "verilated.h"
#include "verilated_cov.h"
#include "verilated_fst_c.h"

namespace verilated {

namespace {

std::mutex s_shared_state;

// The context this thread was bound to last, always the one the runtime holds for the thread.
thread_local VerilatedContext* t_context = nullptr;

std::vector<const ModelInfo*>& registry() {
  static std::vector<const ModelInfo*> models;
  return models;
}

std::unique_ptr<WaveSink> open_file(const TraceRequest& request) {
  const SharedStateLock lock;  // an FST file's header holds the date
  return open_wave(request.path, request.format);
}

}  // namespace

SharedStateLock::SharedStateLock() { s_shared_state.lock(); }
SharedStateLock::~SharedStateLock() { s_shared_state.unlock(); }

void register_models(const ModelInfo* const* models, size_t count) {
  registry().insert(registry().end(), models, models + count);
}

const std::vector<const ModelInfo*>& registered_models() { return registry(); }

Model::Model(const ModelInfo& info, uint32_t seed)
    : m_info{info}
    , m_context{std::make_unique<VerilatedContext>()} {
  t_context = m_context.get();  // the constructor above has bound the thread to it
  // A pool of threads for each model would be started otherwise.
  m_context->threads(1);
  m_context->traceEverOn(true);
  // Zero would draw the seed from the system.
  m_context->randSeed(static_cast<int>(seed == 0 ? 1 : seed));
  m_context->randReset(2);
}

Model::~Model() {
  // The runtime's pointer would dangle; a new context at the same address must be bound again.
  if (t_context == m_context.get()) t_context = nullptr;
}

Model::Enter::Enter(Model& model) {
  if (model.m_listener.tripped()) throw Failed("poisoned by an earlier failure");
  model.bind_thread();
  t_listener = &model.m_listener;
}

void Model::bind_thread() {
  if (t_context == m_context.get()) return;
  const SharedStateLock lock;
  Verilated::threadContextp(m_context.get());
  t_context = m_context.get();
}

void Model::end_failed() {
  m_listener.failure().clock = m_clock;
  save_trace();
  throw Failed(m_listener.failure().message);
}

void Model::save_trace() {
  try {
    end_trace();
  } catch (const std::runtime_error& error) {
    m_listener.print(m_trace_request.path + ": " + error.what() + "\n");
  }
}

// ---- traces ----

void Model::start_trace(const TraceRequest& request) {
  close_trace();
  m_written_trace.clear();
  m_trace_request = request;
  if (request.ring_clocks != 0) {
    // That the file cannot be written is better known before the failure. An older file of that
    // name would be taken for this run's.
    open_wave(request.path, WaveFormat::Vcd);
    std::remove(request.path.c_str());
  }
  if (request.first_clock <= m_clock) open_trace();
  m_tracing = true;
}

void Model::end_trace() {
  if (m_ring) {
    m_ring->write(*open_file(m_trace_request));
    m_written_trace = m_trace_request.path;
  }
  close_trace();
}

void Model::open_trace() {
  if (m_trace_request.ring_clocks != 0) {
    auto ring = make_wave_ring(2 * m_trace_request.ring_clocks);
    m_ring = ring.get();
    m_wave = std::move(ring);
  } else {
    m_wave = open_file(m_trace_request);
    m_written_trace = m_trace_request.path;
  }
  bind_thread();  // a trace takes its time unit from the thread's context
  m_trace = std::make_unique<VerilatedFstC>();
  attach_trace(*m_trace);
  t_next_sink = m_wave.get();
  m_trace->open("");
  t_next_sink = nullptr;
}

void Model::close_trace() {
  m_tracing = false;
  m_trace.reset();
  m_ring = nullptr;
  m_wave.reset();
  m_trace_time = UINT64_MAX;
}

void Model::trace_at(uint64_t time) {
  if (m_clock < m_trace_request.first_clock) return;
  if (m_clock >= m_trace_request.end_clock) {
    close_trace();
    return;
  }
  if (!m_trace) open_trace();
  if (time == m_trace_time) return;
  m_trace_time = time;
  m_trace->dump(time);
}

void Model::write_coverage(const std::string& path) {
  if (!m_info.coverage) throw std::runtime_error("the model was built without coverage");
  m_context->coveragep()->write(path.c_str());
}

}  // namespace verilated
