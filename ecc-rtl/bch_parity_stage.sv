// One factor of the cascade that divides by a generator polynomial.
//
// A generator of strength t is the product of t minimal polynomials, so its division is a chain
// of divisions by them, the quotient of each feeding the next. The register holds the remainder
// of this factor. What stands on the chain is not the quotient q itself but q times the product
// of the factors so far: in that form a stage only adds its own contribution, and the chain is a
// prefix sum instead of a path through every divider:
//   tau  = (product of the factors before this one) * top of the remainder     (as power series)
//   q    = (word + sum of tau up to and including this stage) / (product including this one)
//   remainder' = remainder * x^P + q * MIN_POLY                                (mod x^M)
module bch_parity_stage #(
  parameter int          M       = 13,
  parameter int          P       = 8,
  parameter logic [63:0] FACTOR  = 64'd1,  // series of this stage's minimal polynomial
  parameter logic [63:0] BEFORE  = 64'd1,  // series of the product of the factors before it
  parameter logic [63:0] INVERSE = 64'd1  // inverse series of the product up to this one
) (
  input  logic         clk_i,
  input  logic         clear_i,
  input  logic         step_i,
  input  logic [P-1:0] sum_i,   // word + sum of tau up to and including this stage
  output logic [P-1:0] tau_o
);

  // Low part of the minimal polynomial, bit i the coefficient of x^i.
  function automatic logic [15:0] low_part(input logic [63:0] series);
    low_part = 16'd0;
    for (int i = 0; i < M; i++) low_part[i] = series[M-i];
  endfunction

  // Image of bit b of the sum in the remainder: q_b(x) = x q_{b-1}(x) + INVERSE[b].
  function automatic logic [1279:0] sum_columns(input logic [15:0] low);
    logic [15:0] column;
    sum_columns = 1280'd0;
    column      = 16'd0;
    for (int b = 0; b < P; b++) begin
      column = {column[14:0], 1'b0} & ~(16'hffff << M);
      if (INVERSE[b]) column = column ^ low;
      sum_columns[16*b +: 16] = column;
    end
  endfunction

  localparam logic [15:0] Low = low_part(FACTOR);

  logic [M-1:0] rem_q;
  logic [M-1:0] from_sum;
  logic [P-1:0] series;

  gf_matrix #(
    .ROWS   (M),
    .COLS   (P),
    .COLUMNS(sum_columns(Low))
  ) u_quotient (
    .x_i(sum_i),
    .y_o(from_sum)
  );

  // tau as a series; its first coefficient is the first bit of the word.
  always_comb begin
    series = '0;
    for (int k = 0; k < M; k++) begin
      if (k < P) series = series ^ ((BEFORE[P-1:0] & {P{rem_q[M-1-k]}}) << k);
    end
    for (int k = 0; k < P; k++) tau_o[P-1-k] = series[k];
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) rem_q <= '0;
    else if (step_i) rem_q <= (rem_q << P) ^ from_sum;
  end

endmodule
