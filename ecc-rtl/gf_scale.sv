// Multiplication by the constant alpha^E, E any integer.
//
// A few steps are wired as shifts by alpha or by its inverse (three gates each, shared along a
// chain); further off a dense matrix is smaller.
module gf_scale #(
  parameter int M = 13,
  parameter int E = 1
) (
  input  logic [M-1:0] x_i,
  output logic [M-1:0] y_o
);

  localparam logic [15:0] Poly  = bch_pkg::prim_poly(M);
  localparam int          Order = (1 << M) - 1;
  localparam int          Up    = ((E % Order) + Order) % Order;
  localparam int          Down  = Order - Up;
  localparam int          Near  = 12;

  if (Up == 0) begin : gen_one
    assign y_o = x_i;
  end else if (Up <= Near) begin : gen_up
    always_comb begin
      y_o = x_i;
      for (int k = 0; k < Up; k++) y_o = {y_o[M-2:0], 1'b0} ^ ({M{y_o[M-1]}} & Poly[M-1:0]);
    end
  end else if (Down <= Near) begin : gen_down
    always_comb begin
      y_o = x_i;
      for (int k = 0; k < Down; k++) y_o = {y_o[0], y_o[M-1:1] ^ ({(M-1){y_o[0]}} & Poly[M-1:1])};
    end
  end else begin : gen_far
    gf_matrix #(
      .ROWS   (M),
      .COLS   (M),
      .COLUMNS(bch_pkg::gf_columns(M, Poly, bch_pkg::gf_pow(M, Poly, E), 16'd2, M))
    ) u_matrix (
      .x_i,
      .y_o
    );
  end

endmodule
