// Takes the place of the runtime's functions that print and that end the process.
// verilated.cpp is compiled with VL_USER_FINISH, VL_USER_STOP, VL_USER_FATAL and VL_PRINTF set.

#include "failure.hpp"

#include <cstdarg>
#include <cstdio>

#include "verilated.h"

namespace verilated {

thread_local Listener* t_listener = nullptr;

namespace {

constexpr size_t LOG_LIMIT = 64 * 1024;

// Splits "...%Error: file:line: Assertion failed in INSTANCE: MESSAGE\n", which Verilator prints
// immediately before it calls vl_stop. Leaves both empty when the text is another one.
void parse_assertion(const std::string& log, std::string& instance, std::string& message) {
  static const std::string error = "%Error: ";
  static const std::string marker = "Assertion failed in ";
  const size_t start = log.rfind(error);
  if (start == std::string::npos) return;
  const size_t found = log.find(marker, start);
  if (found == std::string::npos) return;
  const std::string rest = log.substr(found + marker.size());
  const size_t end = rest.find_first_of(":\n");
  instance = rest.substr(0, end);
  if (instance.rfind("TOP.", 0) == 0) instance.erase(0, 4);
  if (end == std::string::npos || rest[end] == '\n') return;
  const size_t text = rest.find_first_not_of(' ', end + 1);
  if (text == std::string::npos) return;
  message = rest.substr(text);
  while (!message.empty() && message.back() == '\n') message.pop_back();
}

}  // namespace

void Listener::print(const std::string& text) {
  m_log += text;
  if (m_log.size() > 2 * LOG_LIMIT) m_log.erase(0, m_log.size() - LOG_LIMIT);
}

void Listener::fail(FailureKind kind, const char* file, int line, const char* message) {
  if (tripped()) return;
  m_failure.kind = kind;
  m_failure.file = file;
  m_failure.line = static_cast<uint32_t>(line);
  m_failure.message = message;
  if (kind == FailureKind::Stop) {
    std::string text;
    parse_assertion(m_log, m_failure.instance, text);
    if (!m_failure.instance.empty()) {
      m_failure.kind = FailureKind::Assertion;
      m_failure.message = text;
    }
  }
}

std::string Listener::take_log() {
  std::string log;
  log.swap(m_log);
  return log;
}

// Stands in for printf in the runtime.
extern "C" int verilated_printf(const char* format, ...) {
  va_list args;
  va_start(args, format);
  va_list measured;
  va_copy(measured, args);
  const int size = std::vsnprintf(nullptr, 0, format, measured);
  va_end(measured);
  std::string text(size > 0 ? static_cast<size_t>(size) : 0, '\0');
  if (size > 0) std::vsnprintf(text.data(), text.size() + 1, format, args);
  va_end(args);
  if (t_listener) {
    t_listener->print(text);
  } else {
    std::fputs(text.c_str(), stderr);
  }
  return size;
}

}  // namespace verilated

void vl_finish(const char* filename, int linenum, const char*) {
  Verilated::threadContextp()->gotFinish(true);
  if (verilated::t_listener) {
    verilated::t_listener->fail(verilated::FailureKind::Finish, filename, linenum, "$finish");
  }
}

void vl_stop(const char* filename, int linenum, const char*) {
  Verilated::threadContextp()->gotError(true);
  if (verilated::t_listener) {
    verilated::t_listener->fail(verilated::FailureKind::Stop, filename, linenum, "$stop");
  }
}

// The runtime expects this not to return: a loop that did not settle would spin for ever.
void vl_fatal(const char* filename, int linenum, const char*, const char* message) {
  Verilated::threadContextp()->gotError(true);
  if (verilated::t_listener) {
    verilated::t_listener->fail(verilated::FailureKind::Runtime, filename, linenum, message);
  }
  throw verilated::Unrecoverable(message);
}
