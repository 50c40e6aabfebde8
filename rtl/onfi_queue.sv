// A queue whose oldest word stands in the same register at all times, so that it is there early in
// the clock.
//
// Enters: a word with push_i, never while full. Leaves: the oldest word, taken with pop_i; the
// others move up.
`include "prim_assert.svh"

module onfi_queue #(
  parameter int WIDTH = 8,
  parameter int DEPTH = 2
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             push_i,
  input  logic [WIDTH-1:0] data_i,
  input  logic             pop_i,
  output logic             valid_o,
  output logic             full_o,
  output logic [WIDTH-1:0] data_o
);

  localparam int CW = $clog2(DEPTH + 1);

  logic [DEPTH*WIDTH-1:0] words_q;  // the oldest lowest
  logic [CW-1:0]          count_q;
  logic [CW-1:0]          place;    // of a word that comes in

  assign place   = pop_i ? count_q - 1'b1 : count_q;
  assign valid_o = count_q != '0;
  assign full_o  = count_q == CW'(DEPTH);
  assign data_o  = words_q[WIDTH-1:0];

  always_ff @(posedge clk_i) begin
    for (int k = 0; k < DEPTH; k++) begin
      if (push_i && place == CW'(k)) words_q[k*WIDTH +: WIDTH] <= data_i;
      else if (pop_i && k < DEPTH - 1) begin
        words_q[k*WIDTH +: WIDTH] <= words_q[((k + 1) % DEPTH)*WIDTH +: WIDTH];
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= '0;
    else if (push_i && !pop_i) count_q <= count_q + 1'b1;
    else if (pop_i && !push_i) count_q <= count_q - 1'b1;
  end

  `ASSERT_INIT(HoldsSomething_A, DEPTH > 0)
  `ASSERT(NoOverflow_A, !push_i || !full_o)
  `ASSERT(NoUnderflow_A, !pop_i || valid_o)

endmodule
