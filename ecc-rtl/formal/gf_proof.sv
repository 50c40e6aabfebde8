// The arithmetic of GF(2^M) against its definition: polynomials over GF(2) modulo the primitive
// polynomial, which stands here a second time, with its leading term.
//
// Combinational: each assertion is for all values of the inputs.
module gf_proof #(
  parameter int M    = 8,
  parameter int LOW  = -17,  // exponents of gf_scale, 0 among them
  parameter int HIGH = 20
) (
  input logic [M-1:0] a_i,
  input logic [M-1:0] b_i
);

  localparam logic [8:0] Poly = (M == 4) ? 9'h013 : (M == 5) ? 9'h025 : (M == 6) ? 9'h043 :
                                (M == 7) ? 9'h083 : 9'h11d;

  // Product of the polynomials, then its remainder, by long division.
  function automatic logic [M-1:0] product(input logic [M-1:0] a, input logic [M-1:0] b);
    logic [2*M-2:0] sum;
    sum = '0;
    for (int i = 0; i < M; i++) begin
      for (int j = 0; j < M; j++) sum[i+j] = sum[i+j] ^ (a[i] & b[j]);
    end
    for (int i = 2 * M - 2; i >= M; i--) begin
      for (int j = 0; j <= M; j++) begin
        if (j < M && Poly[j]) sum[i-M+j] = sum[i-M+j] ^ sum[i];
      end
    end
    product = sum[M-1:0];
  endfunction

  localparam logic [M-1:0] Alpha = 2;

  logic [M-1:0] mult, square;
  gf_mult   #(.M(M)) u_mult   (.a_i, .b_i, .y_o(mult));
  gf_square #(.M(M)) u_square (.x_i(a_i), .y_o(square));

  always_comb begin
    assert (mult == product(a_i, b_i));
    assert (square == product(a_i, a_i));
  end

  // Scaling by alpha^0 is nothing, by alpha^E a step more than by alpha^(E-1): so for every E
  // of the range.
  for (genvar e = LOW; e <= HIGH; e++) begin : gen_scale
    logic [M-1:0] scaled;
    gf_scale #(.M(M), .E(e)) u_scale (.x_i(a_i), .y_o(scaled));
    if (e == 0) begin : gen_one
      always_comb assert (scaled == a_i);
    end
    if (e > LOW) begin : gen_step
      always_comb assert (scaled == product(gen_scale[e-1].scaled, Alpha));
    end
  end

endmodule
