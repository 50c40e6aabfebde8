// Two instances of a block, a memory, and W + 3 flip-flops outside of both.
module probe #(
  parameter int W     = 8,
  parameter int DEPTH = 16
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         we_i,
  input  logic [W-1:0] a_i,
  output logic [W-1:0] b_o
);

  logic [2:0]   addr_q;
  logic [W-1:0] sum_q;
  logic [W-1:0] left;
  logic [W-1:0] right;
  logic [W-1:0] stored;

  bch_syndrome #(.W(W)) u_left (
    .clk_i,
    .rst_ni,
    .a_i      (a_i),
    .product_o(left)
  );

  bch_syndrome #(.W(W)) u_right (
    .clk_i,
    .rst_ni,
    .a_i      (~a_i),
    .product_o(right)
  );

  bch_buffer #(
    .WIDTH(W),
    .DEPTH(DEPTH)
  ) u_buffer (
    .clk_i,
    .we_i,
    .addr_i ({{($clog2(DEPTH) - 3) {1'b0}}, addr_q}),
    .wdata_i(left ^ right),
    .rdata_o(stored)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)   addr_q <= '0;
    else if (we_i) addr_q <= addr_q + 3'd1;
  end

  always_ff @(posedge clk_i) begin
    sum_q <= stored;
  end

  assign b_o = sum_q;

endmodule
