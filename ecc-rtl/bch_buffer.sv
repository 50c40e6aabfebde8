// Memory that holds the data of a codeword while its errors are located: one port to write a lane
// of a word, one to read a whole word, a clock later. Kept apart so that it can be replaced by a
// memory macro; it is reported in bits, not in gates.
module bch_buffer #(
  parameter int WIDTH = 8,    // bits of a word
  parameter int LANES = 1,    // parts in which it is written, first part on top
  parameter int DEPTH = 1537, // words
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

  localparam int LaneW = WIDTH / LANES;

  for (genvar l = 0; l < LANES; l++) begin : gen_lane
    logic [LaneW-1:0] mem [DEPTH];
    logic [LaneW-1:0] data_q;

    always_ff @(posedge clk_i) begin
      if (write_i && write_lane_i == l) mem[write_addr_i] <= write_data_i;
      if (read_i) data_q <= mem[read_addr_i];
    end

    assign read_data_o[WIDTH-1-LaneW*l -: LaneW] = data_q;
  end

endmodule
