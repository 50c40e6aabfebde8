// A memory of which nothing is known: who uses it assumes what a memory does at one address, any
// one, and the proof of bch_buffer shows that it does so.
module bch_buffer #(
  parameter int WIDTH = 8,
  parameter int LANES = 1,
  parameter int DEPTH = 1537,
  parameter int AW    = $clog2(DEPTH),
  parameter int NW    = (LANES > 1) ? $clog2(LANES) : 1
) (
  input  logic                   clk_i,
  input  logic                   write_i,
  input  logic [AW-1:0]          write_addr_i,
  input  logic [NW-1:0]          write_lane_i,
  input  logic [WIDTH/LANES-1:0] write_data_i,
  input  logic                   read_i,
  input  logic [AW-1:0]          read_addr_i,
  output logic [WIDTH-1:0]       read_data_o
);

  (* anyseq *) logic [WIDTH-1:0] any;
  assign read_data_o = any;

endmodule
