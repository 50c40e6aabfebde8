// Stand-in for a block of the codec: 2 * W flip-flops around a multiplier.
module bch_syndrome #(
  parameter int W = 8
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [W-1:0] a_i,
  output logic [W-1:0] product_o
);

  logic [W-1:0] factor_q;
  logic [W-1:0] product_q;

  always_ff @(posedge clk_i) begin
    factor_q <= a_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) product_q <= '0;
    else         product_q <= product_q * factor_q + a_i;
  end

  assign product_o = product_q;

endmodule
