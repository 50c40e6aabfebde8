// Where the runtime's printed text goes, see failure.cpp. Included before each of its sources.
#pragma once

extern "C" int verilated_printf(const char* format, ...) __attribute__((format(printf, 1, 2)));
