// A search of which nothing is known: any position may be a root.
module bch_chien #(
  parameter int M     = 13,
  parameter int T_MAX = 24,
  parameter int P_C   = 8
) (
  input  logic                   clk_i,
  input  logic                   load_i,
  input  logic                   step_i,
  input  logic [(T_MAX+1)*M-1:0] locator_i,
  output logic [P_C-1:0]         root_o
);

  (* anyseq *) logic [P_C-1:0] any;
  assign root_o = any;

endmodule
