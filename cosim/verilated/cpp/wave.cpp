// VCD and FST files, and the functions through which Verilator's trace class reaches a sink.

#include "wave.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "gtkwave/fstapi.h"

namespace verilated {

thread_local WaveSink* t_next_sink = nullptr;

namespace {

// ---- VCD (IEEE 1800-2017, section 21.7.2) ----

class VcdFile final : public WaveSink {
public:
  explicit VcdFile(const std::string& path)
      : m_file{std::fopen(path.c_str(), "w")} {
    if (!m_file) throw std::runtime_error(std::strerror(errno));
    m_widths.push_back(0);  // handles count from 1
    m_names.emplace_back();
  }

  ~VcdFile() override {
    flush();
    std::fclose(m_file);
  }

  void timescale(const std::string& unit) override {
    m_text += "$version Verilator $end\n$timescale " + unit + " $end\n";
  }

  void scope(int kind, const std::string& name) override {
    m_text += std::string("$scope ") + scope_name(kind) + " " + name + " $end\n";
  }

  void upscope() override { m_text += "$upscope $end\n"; }

  // VCD has no enumerations: the variable is shown as its number.
  uint32_t enumeration(const std::string&, uint32_t, const std::vector<std::string>&,
                       const std::vector<std::string>&) override {
    return ++m_enumerations;
  }
  void enumerated(uint32_t) override {}

  uint32_t variable(int kind, int, uint32_t bits, const std::string& name,
                    uint32_t alias) override {
    const bool real = kind == FST_VT_VCD_REAL || kind == FST_VT_VCD_REAL_PARAMETER;
    uint32_t handle = alias;
    if (alias == 0) {
      handle = static_cast<uint32_t>(m_names.size());
      m_names.push_back(identifier(handle));
      m_widths.push_back(real ? 0 : bits);
    }
    m_text += std::string("$var ") + variable_name(kind) + " " + std::to_string(bits) + " "
              + m_names[handle] + " " + name + " $end\n";
    return handle;
  }

  void time(uint64_t time) override {
    if (m_text.size() > FLUSH_BYTES) flush();
    if (!m_in_values) m_text += "$enddefinitions $end\n";
    m_in_values = true;
    m_text += "#" + std::to_string(time) + "\n";
  }

  void value(uint32_t handle, const char* value) override {
    const uint32_t width = m_widths[handle];
    if (width == 1) {
      m_text.push_back(*value);
    } else if (width > 1) {
      // A reader fills a shorter value up with zeros.
      const char* const end = value + width;
      const char* const first = std::find_if(value, end - 1, [](char bit) { return bit != '0'; });
      m_text.push_back('b');
      m_text.append(first, end);
      m_text.push_back(' ');
    } else {
      double real;
      char text[32];
      std::memcpy(&real, value, sizeof real);
      std::snprintf(text, sizeof text, "r%.16g ", real);
      m_text += text;
    }
    m_text += m_names[handle];
    m_text.push_back('\n');
  }

private:
  static constexpr size_t FLUSH_BYTES = 256 * 1024;

  void flush() {
    std::fwrite(m_text.data(), 1, m_text.size(), m_file);
    m_text.clear();
  }

  static const char* scope_name(int kind) {
    switch (kind) {
      case FST_ST_VCD_TASK: return "task";
      case FST_ST_VCD_FUNCTION: return "function";
      case FST_ST_VCD_BEGIN:
      case FST_ST_VCD_GENERATE: return "begin";
      case FST_ST_VCD_FORK: return "fork";
      default: return "module";
    }
  }

  static const char* variable_name(int kind) {
    switch (kind) {
      case FST_VT_VCD_PARAMETER: return "parameter";
      case FST_VT_VCD_INTEGER: return "integer";
      case FST_VT_VCD_REAL:
      case FST_VT_VCD_REAL_PARAMETER: return "real";
      default: return "wire";
    }
  }

  // The handle in base 94, written with the printable characters.
  static std::string identifier(uint32_t handle) {
    std::string name;
    for (uint32_t rest = handle; rest != 0; rest /= 94) {
      name.push_back(static_cast<char>('!' + rest % 94));
    }
    return name;
  }

  std::FILE* const m_file;
  std::string m_text;  // what is not in the file yet
  bool m_in_values = false;
  uint32_t m_enumerations = 0;
  std::vector<uint32_t> m_widths;  // by handle; 0 is a real
  std::vector<std::string> m_names;
};

// ---- FST, by the writer that comes with Verilator ----

class FstFile final : public WaveSink {
public:
  explicit FstFile(const std::string& path)
      : m_writer{fstWriterCreate(path.c_str(), 1)} {
    if (!m_writer) throw std::runtime_error(std::strerror(errno));
    fstWriterSetPackType(m_writer, FST_WR_PT_LZ4);
  }
  ~FstFile() override { fstWriterClose(m_writer); }

  void timescale(const std::string& unit) override {
    fstWriterSetTimescaleFromString(m_writer, unit.c_str());
  }
  void scope(int kind, const std::string& name) override {
    fstWriterSetScope(m_writer, static_cast<fstScopeType>(kind), name.c_str(), nullptr);
  }
  void upscope() override { fstWriterSetUpscope(m_writer); }
  uint32_t enumeration(const std::string& name, uint32_t min_bits,
                       const std::vector<std::string>& labels,
                       const std::vector<std::string>& values) override {
    std::vector<const char*> label_pointers, value_pointers;
    for (const std::string& label : labels) label_pointers.push_back(label.c_str());
    for (const std::string& value : values) value_pointers.push_back(value.c_str());
    return fstWriterCreateEnumTable(m_writer, name.c_str(), static_cast<uint32_t>(labels.size()),
                                    min_bits, label_pointers.data(), value_pointers.data());
  }
  void enumerated(uint32_t handle) override { fstWriterEmitEnumTableRef(m_writer, handle); }
  uint32_t variable(int kind, int direction, uint32_t bits, const std::string& name,
                    uint32_t alias) override {
    return fstWriterCreateVar(m_writer, static_cast<fstVarType>(kind),
                              static_cast<fstVarDir>(direction), bits, name.c_str(), alias);
  }
  void time(uint64_t time) override { fstWriterEmitTimeChange(m_writer, time); }
  void value(uint32_t handle, const char* value) override {
    fstWriterEmitValueChange(m_writer, handle, value);
  }

private:
  void* const m_writer;
};

WaveSink& sink(void* context) { return *static_cast<WaveSink*>(context); }

}  // namespace

std::unique_ptr<WaveSink> open_wave(const std::string& path, WaveFormat format) {
  if (format == WaveFormat::Vcd) return std::make_unique<VcdFile>(path);
  return std::make_unique<FstFile>(path);
}

// What verilated_fst_c.cpp calls instead of fstWriter*, renamed on its command line. The sink
// belongs to the tracer, so that closing a trace does not destroy it.
extern "C" {

void* waveWriterCreate(const char*, int) { return t_next_sink; }
void waveWriterClose(void*) {}
void waveWriterFlushContext(void*) {}
void waveWriterSetPackType(void*, fstWriterPackType) {}
void waveWriterSetParallelMode(void*, int) {}
void waveWriterSetTimescaleFromString(void* context, const char* unit) {
  sink(context).timescale(unit);
}
void waveWriterSetScope(void* context, fstScopeType kind, const char* name, const char*) {
  sink(context).scope(kind, name);
}
void waveWriterSetUpscope(void* context) { sink(context).upscope(); }
fstEnumHandle waveWriterCreateEnumTable(void* context, const char* name, uint32_t count,
                                        unsigned min_bits, const char** labels,
                                        const char** values) {
  return sink(context).enumeration(name, min_bits, {labels, labels + count},
                                   {values, values + count});
}
void waveWriterEmitEnumTableRef(void* context, fstEnumHandle handle) {
  sink(context).enumerated(handle);
}
fstHandle waveWriterCreateVar(void* context, fstVarType kind, fstVarDir direction, uint32_t bits,
                              const char* name, fstHandle alias) {
  return sink(context).variable(kind, direction, bits, name, alias);
}
void waveWriterEmitTimeChange(void* context, uint64_t time) { sink(context).time(time); }
void waveWriterEmitValueChange(void* context, fstHandle handle, const void* value) {
  sink(context).value(handle, static_cast<const char*>(value));
}

}  // extern "C"

}  // namespace verilated
