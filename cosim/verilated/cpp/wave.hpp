// Where a waveform goes: one interface, and three places behind it.
//
// Verilator fixes the format of a model's trace code when the model is generated. All models are
// generated for FST, and the writer functions that the FST trace class calls are replaced by ones
// that forward to a WaveSink (wave.cpp), so that the format is a choice of the run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace verilated {

enum class WaveFormat : uint8_t { Vcd = 0, Fst = 1 };

// The kinds of scope and variable are those of fstapi.h.
class WaveSink {
public:
  virtual ~WaveSink() = default;
  virtual void timescale(const std::string& unit) = 0;
  virtual void scope(int kind, const std::string& name) = 0;
  virtual void upscope() = 0;
  // Declares an enumeration; handles count from 1.
  virtual uint32_t enumeration(const std::string& name, uint32_t min_bits,
                               const std::vector<std::string>& labels,
                               const std::vector<std::string>& values)
      = 0;
  // The next variable is of this enumeration.
  virtual void enumerated(uint32_t handle) = 0;
  // Declares a variable; handles count from 1, an alias is the handle of an earlier variable.
  virtual uint32_t variable(int kind, int direction, uint32_t bits, const std::string& name,
                            uint32_t alias)
      = 0;
  virtual void time(uint64_t time) = 0;
  // `value` holds one character per bit, most significant first, or a double for a real.
  virtual void value(uint32_t handle, const char* value) = 0;
};

// Opens a file to write to; throws std::runtime_error with the reason where that fails.
std::unique_ptr<WaveSink> open_wave(const std::string& path, WaveFormat format);

// Keeps the newest `steps` time steps in memory, to be written when there is a reason to.
class WaveRing : public WaveSink {
public:
  virtual void write(WaveSink& target) const = 0;
};
std::unique_ptr<WaveRing> make_wave_ring(size_t steps);

// The sink that the next trace to be opened on this thread writes to.
extern thread_local WaveSink* t_next_sink;

}  // namespace verilated
