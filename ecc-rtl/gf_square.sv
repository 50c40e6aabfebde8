// x^2 in GF(2^M): linear, so a constant matrix whose column k is alpha^2k.
module gf_square #(
  parameter int M = 13
) (
  input  logic [M-1:0] x_i,
  output logic [M-1:0] y_o
);

  localparam logic [15:0] Poly = bch_pkg::prim_poly(M);

  gf_matrix #(
    .ROWS   (M),
    .COLS   (M),
    .COLUMNS(bch_pkg::gf_columns(M, Poly, 16'd1, bch_pkg::gf_pow(M, Poly, 2), M))
  ) u_matrix (
    .x_i,
    .y_o
  );

endmodule
