// Product of two elements of GF(2^M), combinational.
//
// The multiples a, a*alpha, a*alpha^2, .. come from a chain of shifts, which is also the whole
// reduction; b selects among them, and a tree of four by four sums. So b is the fast input.
module gf_mult #(
  parameter int M = 13
) (
  input  logic [M-1:0] a_i,
  input  logic [M-1:0] b_i,
  output logic [M-1:0] y_o
);

  localparam logic [15:0] Poly = bch_pkg::prim_poly(M);

  logic [15:0]  b;
  logic [M-1:0] a0, a1, a2, a3;
  logic [M-1:0] four;
  logic [M-1:0] low, high;

  function automatic logic [M-1:0] times_alpha(input logic [M-1:0] x);
    times_alpha = {x[M-2:0], 1'b0} ^ ({M{x[M-1]}} & Poly[M-1:0]);
  endfunction

  always_comb begin
    b        = '0;
    b[M-1:0] = b_i;
    a0       = a_i;
    low      = '0;
    high     = '0;
    for (int k = 0; k < 16; k += 4) begin
      a1   = times_alpha(a0);
      a2   = times_alpha(a1);
      a3   = times_alpha(a2);
      four = ((a0 & {M{b[k]}}) ^ (a1 & {M{b[k+1]}})) ^ ((a2 & {M{b[k+2]}}) ^ (a3 & {M{b[k+3]}}));
      if (k < 8) low = low ^ four;
      else high = high ^ four;
      a0 = times_alpha(a3);
    end
    y_o = low ^ high;
  end

endmodule
