// The FST writer that comes with Verilator, as a unit of its own.
// The settings are those with which verilated_fst_c.cpp includes it.

#define HAVE_LIBPTHREAD
#define FST_WRITER_PARALLEL
#define FST_CONFIG_INCLUDE "fst_config.h"

#include "gtkwave/fastlz.c"
#include "gtkwave/fstapi.c"
#include "gtkwave/lz4.c"
