// A small FIFO of registers that tells how many words it holds.
//
// Enters: a word with push_i, never while full. Leaves: the oldest word, taken with pop_i.
`include "prim_assert.svh"

module onfi_fifo #(
  parameter int WIDTH = 8,
  parameter int DEPTH = 16  // a power of two
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   push_i,
  input  logic [WIDTH-1:0]       data_i,
  input  logic                   pop_i,
  output logic [WIDTH-1:0]       data_o,
  output logic [$clog2(DEPTH):0] count_o
);

  localparam int AW = $clog2(DEPTH);

  logic [WIDTH-1:0] words_q[DEPTH];
  logic [AW-1:0]    head_q;
  logic [AW-1:0]    tail_q;
  logic [AW:0]      count_q;

  assign data_o  = words_q[head_q];
  assign count_o = count_q;

  always_ff @(posedge clk_i) begin
    if (push_i) words_q[tail_q] <= data_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q  <= '0;
      tail_q  <= '0;
      count_q <= '0;
    end else begin
      if (push_i) tail_q <= tail_q + 1'b1;
      if (pop_i) head_q <= head_q + 1'b1;
      if (push_i && !pop_i) count_q <= count_q + 1'b1;
      if (pop_i && !push_i) count_q <= count_q - 1'b1;
    end
  end

  `ASSERT_INIT(DepthIsAPowerOfTwo_A, DEPTH > 1 && DEPTH == (1 << AW))
  `ASSERT(NoOverflow_A, !push_i || !count_q[AW] || pop_i)
  `ASSERT(NoUnderflow_A, !pop_i || count_q != '0)

endmodule
