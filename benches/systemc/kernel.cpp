// The process graphs of the kernel benchmark (model/benches/kernel.rs) as SystemC threads.
//
// usage: kernel GRAPH EVENTS; prints events, processor seconds of the run, the simulated time at
// its end in ps, and a checksum of what the processes saw, which both kernels have to agree on.

#include <sys/resource.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <systemc>

namespace {

constexpr std::uint64_t kProcesses = 1000;
constexpr std::uint64_t kPicosecondsPerNanosecond = 1000;

std::uint64_t checksum = 0;

void mix(std::uint64_t value) { checksum = checksum * 6364136223846793005ull + value; }

std::uint64_t now_ps() { return sc_core::sc_time_stamp().value(); }

void wait_ns(std::uint64_t span_ns) {
  sc_core::wait(sc_core::sc_time::from_value(span_ns * kPicosecondsPerNanosecond));
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  auto seconds = [](const timeval& t) { return double(t.tv_sec) + 1e-6 * double(t.tv_usec); };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Waits again and again: for spans of 1 to 1000 ns drawn by a linear congruential generator, or
// always for 10 ns.
struct Sleeper : sc_core::sc_module {
  std::uint64_t index;
  std::uint64_t waits;
  bool is_random;

  SC_HAS_PROCESS(Sleeper);
  Sleeper(sc_core::sc_module_name name, std::uint64_t index_, std::uint64_t waits_, bool random)
      : sc_module(name), index(index_), waits(waits_), is_random(random) {
    SC_THREAD(run);
  }

  void run() {
    std::uint64_t state = index;
    for (std::uint64_t i = 0; i < waits; ++i) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      wait_ns(is_random ? 1 + (state >> 33) % 1000 : 10);
    }
    mix(now_ps());
  }
};

// Sends what it receives back, one more.
struct Player : sc_core::sc_module {
  sc_core::sc_fifo<std::uint64_t>& in;
  sc_core::sc_fifo<std::uint64_t>& out;
  std::uint64_t rounds;
  bool begins;

  SC_HAS_PROCESS(Player);
  Player(sc_core::sc_module_name name, sc_core::sc_fifo<std::uint64_t>& in_,
         sc_core::sc_fifo<std::uint64_t>& out_, std::uint64_t rounds_, bool begins_)
      : sc_module(name), in(in_), out(out_), rounds(rounds_), begins(begins_) {
    SC_THREAD(run);
  }

  void run() {
    std::uint64_t ball = 0;
    for (std::uint64_t i = 0; i < rounds; ++i) {
      if (begins) {
        out.write(ball + 1);
        ball = in.read();
      } else {
        ball = in.read();
        out.write(ball + 1);
      }
    }
    mix(ball);
  }
};

struct Producer : sc_core::sc_module {
  sc_core::sc_fifo<std::uint64_t>& out;
  std::uint64_t items;

  SC_HAS_PROCESS(Producer);
  Producer(sc_core::sc_module_name name, sc_core::sc_fifo<std::uint64_t>& out_,
           std::uint64_t items_)
      : sc_module(name), out(out_), items(items_) {
    SC_THREAD(run);
  }

  void run() {
    for (std::uint64_t i = 0; i < items; ++i) {
      out.write(i);
      wait_ns(10);
    }
  }
};

struct Consumer : sc_core::sc_module {
  sc_core::sc_fifo<std::uint64_t>& in;
  std::uint64_t items;

  SC_HAS_PROCESS(Consumer);
  Consumer(sc_core::sc_module_name name, sc_core::sc_fifo<std::uint64_t>& in_,
           std::uint64_t items_)
      : sc_module(name), in(in_), items(items_) {
    SC_THREAD(run);
  }

  void run() {
    for (std::uint64_t i = 0; i < items; ++i) {
      mix(in.read());
      wait_ns(10);
    }
  }
};

using Fifo = sc_core::sc_fifo<std::uint64_t>;

// The modules and channels of a graph; false if there is none of that name.
struct Graph {
  std::vector<std::unique_ptr<Fifo>> fifos;
  std::vector<std::unique_ptr<sc_core::sc_module>> modules;

  Fifo& fifo(const char* name, int depth) {
    fifos.emplace_back(new Fifo(name, depth));
    return *fifos.back();
  }

  bool build(const std::string& name, std::uint64_t events) {
    if (name == "random-delays" || name == "equal-delays") {
      for (std::uint64_t i = 0; i < kProcesses; ++i) {
        const std::string sleeper = "sleeper_" + std::to_string(i);
        modules.emplace_back(
            new Sleeper(sleeper.c_str(), i, events / kProcesses, name == "random-delays"));
      }
    } else if (name == "ping-pong") {
      Fifo& there = fifo("there", 1);
      Fifo& back = fifo("back", 1);
      modules.emplace_back(new Player("ping", back, there, events / 2, true));
      modules.emplace_back(new Player("pong", there, back, events / 2, false));
    } else if (name == "fifo-16") {
      Fifo& depth_16 = fifo("fifo", 16);
      modules.emplace_back(new Producer("producer", depth_16, events / 2));
      modules.emplace_back(new Consumer("consumer", depth_16, events / 2));
    } else {
      return false;
    }
    return true;
  }
};

}  // namespace

int sc_main(int argc, char* argv[]) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: kernel GRAPH EVENTS\n");
    return 2;
  }
  const std::uint64_t events = std::strtoull(argv[2], nullptr, 10);
  Graph graph;
  if (!graph.build(argv[1], events)) {
    std::fprintf(stderr, "kernel: no graph `%s`\n", argv[1]);
    return 2;
  }
  const double start = cpu_seconds();
  sc_core::sc_start();
  const double seconds = cpu_seconds() - start;
  std::printf("%llu %.9f %llu %llu\n", (unsigned long long)events, seconds,
              (unsigned long long)now_ps(), (unsigned long long)checksum);
  return 0;
}
