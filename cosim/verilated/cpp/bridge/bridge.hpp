// What the cxx bridge calls: the model's interface in the types that cxx knows.
#pragma once

#include <memory>

#include "model.hpp"
#include "rust/cxx.h"

namespace verilated::bridge {

struct StreamCall;
struct StreamStatus;
struct PinCall;
struct PinStatus;
struct StrobeRecord;
struct TraceCall;
struct FailureRecord;
struct PortRecord;
struct ModelRecord;
struct CommandRecord;

rust::Vec<ModelRecord> list_models();
// Throws where no model of that name is registered.
std::unique_ptr<Model> make_model(rust::Str name, uint32_t seed);
rust::Vec<PortRecord> list_ports(const Model& model);
FailureRecord failure(const Model& model);
rust::String take_log(Model& model);
rust::String written_trace(const Model& model);
void start_trace(Model& model, const TraceCall& call);
void write_coverage(Model& model, rust::Str path);
StreamStatus stream(Model& model, const StreamCall& call);
uint64_t reference_loop(Model& model, const StreamCall& call);
PinStatus run_pins(Model& model, const PinCall& call);
rust::Slice<const uint16_t> bytes(const Model& model);
rust::Slice<const uint64_t> command_clocks(const Model& model);
rust::Slice<const uint64_t> input_clocks(const Model& model);
rust::Slice<const uint64_t> words(const Model& model);
rust::Slice<const uint64_t> word_clocks(const Model& model);
rust::Slice<const uint64_t> packet_ends(const Model& model);
rust::Slice<const uint16_t> statuses(const Model& model);
rust::Slice<const uint64_t> status_clocks(const Model& model);

}  // namespace verilated::bridge
