// Conversions between the model's interface and the types of the cxx bridge.

#include "bridge/bridge.hpp"

#include <cstddef>

#include "verilated/src/ffi.rs.h"

namespace verilated::bridge {

namespace {

std::string text(const rust::String& string) { return {string.data(), string.size()}; }

// The runtime's messages may hold bytes of any encoding.
rust::String text(const std::string& string) { return rust::String::lossy(string); }

template <class T>
rust::Slice<const T> slice(const std::vector<T>& vector) {
  return {vector.data(), vector.size()};
}

StreamRequest request(const StreamCall& call, std::vector<Command>& commands) {
  for (const CommandRecord& command : call.commands) {
    commands.push_back({command.strength, command.bytes});
  }
  StreamRequest request;
  request.commands = commands.data();
  request.command_count = commands.size();
  request.words = call.words.data();
  request.word_count = call.words.size();
  request.statuses = call.statuses;
  request.packets = call.packets;
  request.idle_limit = call.idle_limit;
  request.clock_limit = call.clock_limit;
  for (size_t i = 0; i < STREAMS; ++i) {
    request.stalls[i] = {call.stall_per_256[i], call.stall_seeds[i]};
  }
  return request;
}

}  // namespace

rust::Vec<ModelRecord> list_models() {
  rust::Vec<ModelRecord> records;
  for (const ModelInfo* info : registered_models()) {
    records.push_back({info->name, info->module, info->coverage});
  }
  return records;
}

std::unique_ptr<Model> make_model(rust::Str name, uint32_t seed) {
  const std::string_view wanted{name.data(), name.size()};
  for (const ModelInfo* info : registered_models()) {
    if (wanted == info->name) return info->make(*info, seed);
  }
  throw std::runtime_error("no such model");
}

rust::Vec<PortRecord> list_ports(const Model& model) {
  rust::Vec<PortRecord> records;
  for (const Port& port : model.ports()) {
    records.push_back({port.name, port.input, port.bits, port.bytes,
                       static_cast<uint8_t*>(port.storage)});
  }
  return records;
}

FailureRecord failure(const Model& model) {
  const Failure& failure = model.listener().failure();
  return {static_cast<uint8_t>(failure.kind), text(failure.message),  text(failure.file),
          failure.line,                       text(failure.instance), failure.clock};
}

rust::String take_log(Model& model) { return text(model.take_log()); }
rust::String written_trace(const Model& model) { return text(model.written_trace()); }

void start_trace(Model& model, const TraceCall& call) {
  model.start_trace({text(call.path), static_cast<WaveFormat>(call.format), call.first_clock,
                     call.end_clock, call.ring_clocks});
}

void write_coverage(Model& model, rust::Str path) {
  model.write_coverage({path.data(), path.size()});
}

StreamStatus stream(Model& model, const StreamCall& call) {
  std::vector<Command> commands;
  const StreamEnd end = model.stream(request(call, commands));
  return {static_cast<uint8_t>(end.outcome), end.clocks, end.valid, end.ready};
}

uint64_t reference_loop(Model& model, const StreamCall& call) {
  std::vector<Command> commands;
  return model.reference_loop(request(call, commands));
}

PinStatus run_pins(Model& model, const PinCall& call) {
  // Both have the same members, and cxx keeps those of its own in their order.
  static_assert(sizeof(Strobe) == sizeof(StrobeRecord));
  static_assert(offsetof(Strobe, dq) == offsetof(StrobeRecord, dq));
  PinRequest request;
  request.edges = call.edges;
  request.bytes = call.bytes.data();
  request.byte_count = call.bytes.size();
  request.strobes = reinterpret_cast<const Strobe*>(call.strobes.data());
  request.strobe_count = call.strobes.size();
  request.captures = call.captures;
  request.dq = call.dq;
  const PinEnd end = model.run_pins(request);
  return {end.edges, end.bytes, end.strobes};
}

rust::Slice<const uint16_t> bytes(const Model& model) { return slice(model.bytes()); }

rust::Slice<const uint64_t> command_clocks(const Model& model) {
  return slice(model.result().command_clocks);
}
rust::Slice<const uint64_t> input_clocks(const Model& model) {
  return slice(model.result().input_clocks);
}
rust::Slice<const uint64_t> words(const Model& model) { return slice(model.result().words); }
rust::Slice<const uint64_t> word_clocks(const Model& model) {
  return slice(model.result().word_clocks);
}
rust::Slice<const uint64_t> packet_ends(const Model& model) {
  return slice(model.result().packet_ends);
}
rust::Slice<const uint16_t> statuses(const Model& model) { return slice(model.result().statuses); }
rust::Slice<const uint64_t> status_clocks(const Model& model) {
  return slice(model.result().status_clocks);
}

}  // namespace verilated::bridge
