// Odd syndromes S_1, S_3, .. S_{2 T_MAX - 1} of a codeword, P bits a clock, by Horner's rule:
//   S_i <- S_i * alpha^(P i) + sum over the word's bits b of bit_b * alpha^(b i)
// The even ones are squares of these, so they are left to whoever needs them.
//
// Beside them runs the scale: alpha^(ORIGIN + 1 - N), N the positions that were stepped over. S_i
// times scale^i is the syndrome as if bit 0 of the codeword stood at alpha^ORIGIN and every later
// one a power lower, whatever the length: so shortened codes need no search through the positions
// that are not there, filling zeros behind the parity cost nothing, and the search may start from
// any position of its first word.
//
// The outputs include the word that is being stepped on, so a codeword leaves with its last word
// (clear_i) and the next one may start on the clock after.
module bch_syndrome #(
  parameter int M      = 13,
  parameter int T_MAX  = 24,
  parameter int P      = 8,
  parameter int ORIGIN = 4,  // exponent of alpha at bit 0 of the codeword
  parameter int SW     = (P > 8) ? $clog2(P / 8) : 1
) (
  input  logic               clk_i,
  input  logic               step_i,
  input  logic               clear_i,     // the codeword leaves: start from zero
  input  logic               first_i,     // the word starts a codeword
  input  logic [SW-1:0]      shift_i,     // bytes that the first word lacks
  input  logic [P-1:0]       word_i,
  output logic [T_MAX*M-1:0] syndromes_o, // S_1 lowest
  output logic [M-1:0]       scale_o
);

  localparam logic [15:0] Poly = bch_pkg::prim_poly(M);

  for (genvar j = 0; j < T_MAX; j++) begin : gen_odd
    localparam int            I      = 2 * j + 1;
    localparam logic [15:0]   Root   = bch_pkg::gf_pow(M, Poly, I);
    localparam logic [1279:0] OfSelf =
        bch_pkg::gf_columns(M, Poly, bch_pkg::gf_pow(M, Poly, P * I), 16'd2, M);
    localparam logic [1279:0] OfWord = bch_pkg::gf_columns(M, Poly, 16'd1, Root, P);

    logic [M-1:0] syndrome_q;
    logic [M-1:0] stepped;
    logic [M-1:0] syndrome;

    gf_matrix #(
      .ROWS   (M),
      .COLS   (M + P),
      .COLUMNS(OfSelf | (OfWord << (16 * M)))
    ) u_horner (
      .x_i({word_i, syndrome_q}),
      .y_o(stepped)
    );

    assign syndrome = step_i ? stepped : syndrome_q;
    assign syndromes_o[M*j +: M] = syndrome;

    always_ff @(posedge clk_i) syndrome_q <= syndrome & {M{!clear_i}};
  end

  // ---- The scale ----
  logic [M-1:0] scale_q;
  logic [M-1:0] scale_first;
  logic [M-1:0] scale_next;

  gf_scale #(
    .M(M),
    .E(-P)
  ) u_scale (
    .x_i(scale_q),
    .y_o(scale_next)
  );

  if (P > 8) begin : gen_first
    // One constant for each number of bytes in the first word.
    logic [16*(P/8)-1:0] table_of_first;
    for (genvar s = 0; s < P / 8; s++) begin : gen_constant
      assign table_of_first[16*s +: 16] = bch_pkg::gf_pow(M, Poly, ORIGIN + 1 - (P - 8 * s));
    end
    assign scale_first = table_of_first[16*shift_i +: M];
  end else begin : gen_first_full
    localparam logic [15:0] First = bch_pkg::gf_pow(M, Poly, ORIGIN + 1 - P);
    assign scale_first = First[M-1:0];
  end

  assign scale_o = !step_i ? scale_q : first_i ? scale_first : scale_next;

  always_ff @(posedge clk_i) scale_q <= scale_o;

endmodule
