// Bytes from a die in NV-DDR, taken over from the clock of DQS.
//
// Enters: DQ, and DQS behind the delay line of a quarter of its period that a chip has at this
// place, so that its edges stand in the middle of the bytes. Leaves: pairs of bytes in the domain
// of clk_i. enable_i is high while the die drives DQS; edges outside count for nothing.
`include "prim_assert.svh"

module onfi_strobe (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        enable_i,
  input  logic        dqs_i,
  input  logic [7:0]  dq_i,
  output logic        valid_o,
  output logic [15:0] pair_o,   // first byte in the upper half
  input  logic        pop_i
);

  // ---- DQS ----
  logic [7:0]  first_q;
  logic [15:0] pairs_q[8];
  logic [3:0]  tail_q;       // binary, for the address
  logic [3:0]  tail_next;
  logic [3:0]  tail_gray_q;  // Gray, for the other domain

  assign tail_next = tail_q + 4'd1;

  always_ff @(posedge dqs_i) begin
    if (enable_i) first_q <= dq_i;
  end

  always_ff @(negedge dqs_i) begin
    if (enable_i) pairs_q[tail_q[2:0]] <= {first_q, dq_i};
  end

  always_ff @(negedge dqs_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tail_q      <= 4'd0;
      tail_gray_q <= 4'd0;
    end else if (enable_i) begin
      tail_q      <= tail_next;
      tail_gray_q <= tail_next ^ {1'b0, tail_next[3:1]};
    end
  end

  // ---- clk_i ----
  logic [3:0] gray_q;
  logic [3:0] gray_q2;
  logic [3:0] head_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      gray_q  <= 4'd0;
      gray_q2 <= 4'd0;
      head_q  <= 4'd0;
    end else begin
      gray_q  <= tail_gray_q;
      gray_q2 <= gray_q;
      if (pop_i) head_q <= head_q + 4'd1;
    end
  end

  assign valid_o = gray_q2 != (head_q ^ {1'b0, head_q[3:1]});
  assign pair_o  = pairs_q[head_q[2:0]];

  `ASSERT(PopIsValid_A, !pop_i || valid_o)

endmodule
