// What a model says while it is evaluated: printed text, and the first failure.
//
// Verilator's runtime reports $finish, $stop, failed assertions and its own fatal errors through
// free functions that print and end the process. Here they write to the Listener of the model
// that is being evaluated on this thread, and the process goes on.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace verilated {

enum class FailureKind : uint8_t {
  None = 0,
  Assertion = 1,  // a failed assertion, $error or $fatal: Verilator reports the three alike
  Stop = 2,       // $stop
  Finish = 3,     // $finish
  Runtime = 4,    // Verilator's runtime gave up, e.g. a loop that does not settle
};

struct Failure {
  FailureKind kind = FailureKind::None;
  std::string message;
  std::string file;
  uint32_t line = 0;
  std::string instance;  // hierarchical name, without Verilator's TOP
  uint64_t clock = 0;    // number of the clock in which it happened
};

// Thrown by the entry points of a model after a failure, never from inside an evaluation.
struct Failed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Thrown through an evaluation that cannot return: a loop that never settles.
struct Unrecoverable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Listener {
public:
  // Whether something has failed. Checked after every evaluation, so it is a plain load.
  bool tripped() const { return m_failure.kind != FailureKind::None; }
  const Failure& failure() const { return m_failure; }
  Failure& failure() { return m_failure; }

  // Appends printed text; only the newest part of a long log is kept.
  void print(const std::string& text);
  // Keeps the first failure; an assertion's text is the one printed last.
  void fail(FailureKind kind, const char* file, int line, const char* message);
  // Hands over the text printed since the last call.
  std::string take_log();

private:
  Failure m_failure;
  std::string m_log;
};

// The listener of the model that this thread is evaluating, null outside of evaluations.
extern thread_local Listener* t_listener;

}  // namespace verilated
