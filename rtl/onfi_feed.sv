// Takes from the data stream what the operation on the bus needs, and no more.
//
// Enters: a need of so many bytes with a rise of need_i, and the stream, from which only bytes of
// the operation's tag are taken. Leaves: the bytes, through a FIFO whose count an NV-DDR burst has
// to know.
`include "prim_assert.svh"

module onfi_feed #(
  parameter int TAG_W = 6
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             need_i,
  input  logic [15:0]      need_length_i,
  input  logic [TAG_W-1:0] tag_i,
  input  logic             s_valid_i,
  input  logic [TAG_W-1:0] s_tag_i,
  input  logic [7:0]       s_data_i,
  output logic             s_take_o,
  output logic [4:0]       count_o,
  output logic [7:0]       data_o,
  input  logic             pop_i
);

  logic        need_q;
  logic [15:0] left_q;

  assign s_take_o = left_q != 16'd0 && s_valid_i && s_tag_i == tag_i && !count_o[4];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      need_q <= 1'b0;
      left_q <= 16'd0;
    end else begin
      need_q <= need_i;
      if (need_i && !need_q) left_q <= need_length_i;
      else if (s_take_o) left_q <= left_q - 16'd1;
    end
  end

  onfi_fifo #(
    .WIDTH(8),
    .DEPTH(16)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .push_i (s_take_o),
    .data_i (s_data_i),
    .pop_i,
    .data_o,
    .count_o
  );

  `ASSERT(NeedsOneAfterTheOther_A, !need_i || need_q || left_q == 16'd0)

endmodule
