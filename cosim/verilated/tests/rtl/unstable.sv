// A loop without a register: it settles while loop_i is low and never while it is high.

module unstable (
  input  logic clk_i,
  input  logic loop_i,
  output logic value_o
);

  /* verilator lint_off UNOPTFLAT */
  logic value;
  /* verilator lint_on UNOPTFLAT */

  assign value   = loop_i & ~value;
  assign value_o = value;

  logic unused;
  assign unused = clk_i;

endmodule
