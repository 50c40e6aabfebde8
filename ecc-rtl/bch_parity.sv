// Parity register of a programmable BCH code: the remainder of division by the generator of any
// strength up to T_MAX, kept as the remainders of its minimal polynomials.
//
// A step with a data word divides it in; a step with the parity word itself shifts the parity out
// and leaves zeros, so the register is ready for the next codeword without being cleared. Stages
// from the strength up stand still at zero, so the sum of all contributions is the parity word.
//
// The prefix sums are formed in groups, and the groups' sums in a second chain.
module bch_parity #(
  parameter int M     = 13,
  parameter int T_MAX = 24,
  parameter int P     = 8,
  parameter int TW    = $clog2(T_MAX + 1)
) (
  input  logic          clk_i,
  input  logic          clear_i,
  input  logic          step_i,
  input  logic          shift_out_i,  // step with the parity word instead of word_i
  input  logic [TW-1:0] strength_i,
  input  logic [P-1:0]  word_i,
  output logic [P-1:0]  parity_o      // the next word of the parity, first bit on top
);

  // Stages to a group: about the square root of their number.
  localparam int Group  = (T_MAX <= 4) ? 2 : (T_MAX <= 16) ? 4 : (T_MAX <= 36) ? 6 : 8;
  localparam int Groups = (T_MAX + Group - 1) / Group;

  localparam logic [8191:0] Generators =
      bch_pkg::generator_series(M, bch_pkg::prim_poly(M), T_MAX);

  logic [P-1:0] entry;

  // Sum of all stages ahead of a group, for the parity word and for the chain.
  for (genvar g = 0; g <= Groups; g++) begin : gen_group
    logic [P-1:0] carry;
    if (g == 0) begin : gen_head
      assign carry = '0;
    end else begin : gen_next
      localparam int Last = (g * Group < T_MAX) ? g * Group - 1 : T_MAX - 1;
      localparam int Prev = g - 1;
      assign carry = gen_group[Prev].carry ^ gen_stage[Last].in_group;
    end
  end

  for (genvar j = 0; j < T_MAX; j++) begin : gen_stage
    localparam logic [63:0] Before = Generators[64*j +: 64];
    localparam logic [63:0] UpTo   = Generators[64*(j+1) +: 64];
    localparam int          G      = j / Group;

    logic [P-1:0] tau;
    logic [P-1:0] in_group;  // sum of the group's stages up to this one

    if (j % Group == 0) begin : gen_head
      assign in_group = tau;
    end else begin : gen_next
      localparam int Prev = j - 1;
      assign in_group = gen_stage[Prev].in_group ^ tau;
    end

    bch_parity_stage #(
      .M      (M),
      .P      (P),
      .FACTOR (bch_pkg::series_div(UpTo, Before)),
      .BEFORE (Before),
      .INVERSE(bch_pkg::series_div(64'd1, UpTo))
    ) u_stage (
      .clk_i,
      .clear_i,
      .step_i(step_i && strength_i > j),
      .sum_i (entry ^ gen_group[G].carry ^ in_group),
      .tau_o (tau)
    );
  end

  assign parity_o = gen_group[Groups].carry;
  assign entry    = shift_out_i ? parity_o : word_i;

endmodule
