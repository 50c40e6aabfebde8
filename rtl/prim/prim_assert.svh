// Assertions in one spelling for three kinds of tool.
//
// In simulation they are checked on every clock edge and a failing one is reported to the caller,
// formal runs prove them as immediate assertions, and synthesis sees nothing. Names end in _A.
`ifndef PRIM_ASSERT_SVH
`define PRIM_ASSERT_SVH

`ifdef VERILATOR
`define ASSERT(name, prop) \
  name: assert property (@(posedge clk_i) disable iff (!rst_ni) (prop));
`else
`ifdef FORMAL
`define ASSERT(name, prop) \
  always_ff @(posedge clk_i) begin : name \
    if (rst_ni) assert (prop); \
  end
`else
`define ASSERT(name, prop)
`endif
`endif

// A range of a parameter, checked when the design is elaborated.
`ifdef VERILATOR
`define ASSERT_INIT(name, prop) \
  initial begin : name \
    assert (prop); \
  end
`else
`define ASSERT_INIT(name, prop)
`endif

`endif
