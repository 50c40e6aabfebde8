// A product of which nothing is known but what is so of zero and one: for proofs of control, which
// must hold whatever the arithmetic gives.
module gf_mult #(
  parameter int M = 13
) (
  input  logic [M-1:0] a_i,
  input  logic [M-1:0] b_i,
  output logic [M-1:0] y_o
);

  (* anyseq *) logic [M-1:0] other;
  localparam logic [M-1:0] One = 1;

  assign y_o = (a_i == '0) ? '0 : (a_i == One) ? b_i : other;

endmodule
