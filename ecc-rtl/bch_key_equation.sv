// Key-equation solver: from the odd syndromes to the error locator, by the inversionless
// Berlekamp-Massey algorithm for binary codes (t iterations, no division).
//
// In iteration r, with locator A, correction D and window W_i = S_{2r+1-i}:
//   A <- gamma A + delta D
//   D <- x^2 (delta != 0 and L <= r ? A : D),   then also gamma <- delta, L <- 2r + 1 - L
//   W <- x^2 W + S_{2r+2} x + S_{2r+3}
//   delta <- sum of A_i W_i
// One pass does all four: LANES coefficients a clock, the highest first, go through 3 LANES
// multipliers. A, D and W live in rings of registers that turn on every clock, so they need no
// enables and no multiplexers. Multiplying D and W by x^2 means that their coefficients return two
// places earlier: their rings are shorter than A's, and the new A_i meets the W_{i-2} that comes
// out Lag clocks behind it. A pass takes Slots = ceil((T_MAX + 1) / LANES) + Lag clocks.
//
// Only odd syndromes come in. S_{2r+2} is the square of S_{r+1}, caught when it passes in the
// window; S_{2r+3} is scaled by scale^(2r+3) on its way in (bch_syndrome says why), by multipliers
// of the discrepancy in slots in which they have no coefficient yet.
//
// Entry: start_i with the syndromes. Exit: done_o with the locator in place, coefficient i in
// field i; it is offered once a turn until it is taken. Clocks from start to done: Lead + t *
// Slots, where Lead is 2, or 3 with a single lane; 2 where all syndromes are zero, and 1 where
// there is nothing to solve at all.
`include "prim_assert.svh"

module bch_key_equation #(
  parameter int M     = 13,
  parameter int T_MAX = 24,
  parameter int LANES = 2,
  parameter int TW    = $clog2(T_MAX + 1)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   start_i,
  input  logic                   skip_i,       // no codeword: pass
  input  logic [TW-1:0]          strength_i,
  input  logic [T_MAX*M-1:0]     syndromes_i,
  input  logic [M-1:0]           scale_i,
  output logic                   idle_o,
  output logic                   done_o,
  input  logic                   taken_i,
  output logic                   clean_o,      // no errors, no locator
  output logic                   fail_o,       // more errors than the strength
  output logic [TW-1:0]          errors_o,     // degree that the locator must have
  output logic [(T_MAX+1)*M-1:0] locator_o
);

  localparam int Turn  = (T_MAX + LANES) / LANES;  // clocks to stream T_MAX + 1 coefficients
  localparam int Lag   = (LANES == 1) ? 2 : 1;     // clocks from A_i to W_{i-2}
  localparam int Slots = Turn + Lag;
  localparam int CW    = $clog2(Slots);
  localparam int NW    = (LANES > 1) ? $clog2(LANES) : 1;
  localparam int LW    = TW + 1;

  localparam int            SlotMax  = Slots - 1;
  localparam int            LaneMax  = LANES - 1;
  localparam int            ZeroAt   = Turn - 1;                             // slot of A_0
  localparam int            OneAt    = (LANES == 1) ? Turn - 2 : Turn - 1;   // slot of A_1
  localparam int            OneLane  = (LANES == 1) ? 0 : 1;
  localparam logic [CW-1:0] SlotOne  = 1;
  localparam logic [CW-1:0] SlotLast = SlotMax[CW-1:0];
  localparam logic [CW-1:0] SlotLag  = Lag[CW-1:0];
  localparam logic [CW-1:0] SlotZero = ZeroAt[CW-1:0];
  localparam logic [NW-1:0] LaneOne  = 1;
  localparam logic [NW-1:0] LaneLast = LaneMax[NW-1:0];
  localparam logic [TW-1:0] PassOne  = 1;
  localparam logic [M-1:0]  One      = 1;

  // ---- Control ----
  typedef enum logic [2:0] {
    StIdle,
    StFirst,  // any errors at all? delta <- S_1
    StRaise,  // scale^3, where a single lane does one product a clock
    StPass,
    StDone
  } state_e;

  state_e        state_q, state_d;
  logic [CW-1:0] slot_q;
  logic [TW-1:0] pass_q;       // r
  logic [TW-1:0] strength_q;
  logic          skip_q;       // there is no locator
  logic          clean;
  logic          pass_end;
  logic          pass_last;

  assign pass_end  = state_q == StPass && slot_q == SlotLast;
  assign pass_last = pass_q + PassOne == strength_q;
  assign done_o    = state_q == StDone && (skip_q || slot_q == '0);
  assign idle_o    = state_q == StIdle;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StFirst: begin
        state_d = (LANES == 1) ? StRaise : StPass;
        if (clean) state_d = StDone;
      end
      StRaise: state_d = StPass;
      StPass:  if (pass_end && pass_last) state_d = StDone;
      StDone:  if (done_o && taken_i) state_d = StIdle;
      default: begin
        if (start_i) state_d = StFirst;
        if (start_i && skip_i) state_d = StDone;
      end
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= StIdle;
    else state_q <= state_d;
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      skip_q     <= skip_i;
      strength_q <= strength_i;
    end else if (state_q == StFirst) begin
      skip_q <= clean;
    end
    if (state_q == StFirst || state_q == StRaise || slot_q == SlotLast) slot_q <= '0;
    else slot_q <= slot_q + SlotOne;
    if (start_i) pass_q <= '0;
    else if (pass_end) pass_q <= pass_q + PassOne;
  end

  // ---- Discrepancy and length ----
  logic [M-1:0]  gamma_q;
  logic [M-1:0]  delta_q;
  logic [M-1:0]  acc_q;
  logic [M-1:0]  acc;
  logic [M-1:0]  product_sum;  // over the lanes
  logic [LW-1:0] length_q;     // L
  logic          update;

  assign acc    = (acc_q & {M{slot_q != SlotLag}}) ^ product_sum;
  assign update = (delta_q != '0) && (length_q <= {1'b0, pass_q});

  always_ff @(posedge clk_i) begin
    acc_q <= acc;
    if (start_i) begin
      gamma_q  <= One;
      length_q <= '0;
    end else if (pass_end) begin
      // The turns after the last pass leave A as it is: 1 * A + 0 * D.
      gamma_q <= pass_last ? One : update ? delta_q : gamma_q;
      if (update) length_q <= {pass_q, 1'b1} - length_q;
    end
    if (state_q == StFirst) delta_q <= odd;
    else if (pass_end) delta_q <= pass_last ? '0 : acc;
  end

  assign clean_o  = skip_q;
  assign fail_o   = !skip_q && length_q > {1'b0, strength_q};
  assign errors_o = length_q[TW-1:0];

  // ---- Supply of syndromes ----
  logic [T_MAX*M-1:0] supply_q;  // the odd ones that are still to come
  logic [M-1:0]       power_q;   // scale to the power of the next of them
  logic [M-1:0]       scale2_q;  // scale^2
  logic [M-1:0]       scale2;
  logic [M-1:0]       odd;       // the next odd syndrome, scaled
  logic [M-1:0]       raised;    // the next power
  logic [M-1:0]       odd_q;     // S_{2r+3}
  logic [M-1:0]       even_q;    // S_{2r+2}
  logic               take_odd;
  logic               raise;

  assign take_odd = state_q == StFirst || (state_q == StPass && slot_q == '0);
  assign raise    = (LANES > 1) ? take_odd :
      state_q == StRaise || (state_q == StPass && slot_q == SlotOne);

  gf_square #(.M(M)) u_scale2 (.x_i(scale_i), .y_o(scale2));

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      scale2_q <= scale2;
      supply_q <= syndromes_i;
      power_q  <= scale_i;
    end else begin
      if (take_odd) supply_q <= supply_q >> M;
      if (raise) power_q <= raised;
    end
    if (take_odd) odd_q <= odd;
  end

  // Only the syndromes of this codeword's strength count.
  always_comb begin
    clean = 1'b1;
    for (int j = 0; j < T_MAX; j++) begin
      if (strength_q > j[TW-1:0] && supply_q[M*j +: M] != '0) clean = 1'b0;
    end
  end

  // ---- The rings: A (locator), D (correction), W (window of syndromes) ----
  logic [LANES*M-1:0] a_out, d_out, w_out;  // coefficients of this slot
  logic [LANES*M-1:0] pick;                 // what D takes: A or D
  logic [LANES*M-1:0] d_back, w_back;       // .. of the coefficient two places down
  logic [LANES*M-1:0] products;
  logic               first_pass;
  logic               streaming;            // the slot has a coefficient of A

  assign first_pass = pass_q == '0;
  assign streaming  = slot_q <= SlotZero;

  for (genvar l = 0; l < LANES; l++) begin : gen_lane
    // Lanes 0 and 1 take from the clock in which lower coefficients come, Lag later.
    localparam int Length = (l < 2) ? Slots - Lag : Slots;

    logic [Slots*M-1:0]  a_q;
    logic [Length*M-1:0] d_q, w_q;
    logic [M-1:0]        by_gamma, by_delta;
    logic [M-1:0]        d_in, w_in;
    logic                is_zero, is_one;  // this is coefficient 0, coefficient 1

    assign is_zero = l == 0 && slot_q == SlotZero;
    assign is_one  = l == OneLane && slot_q == OneAt[CW-1:0];

    always_ff @(posedge clk_i) a_q <= {a_q[(Slots-1)*M-1:0], by_gamma ^ by_delta};

    if (Length > 1) begin : gen_ring
      always_ff @(posedge clk_i) begin
        d_q <= {d_q[(Length-1)*M-1:0], d_in};
        w_q <= {w_q[(Length-1)*M-1:0], w_in};
      end
    end else begin : gen_register
      always_ff @(posedge clk_i) begin
        d_q <= d_in;
        w_q <= w_in;
      end
    end

    // The first pass starts from A = 1, D = x, W = S_1 and not from what is in the rings.
    assign a_out[M*l +: M] = first_pass ? {{(M-1){1'b0}}, is_zero} : a_q[(Slots-1)*M +: M];
    assign d_out[M*l +: M] = first_pass ? {{(M-1){1'b0}}, is_one} : d_q[(Length-1)*M +: M];
    assign w_out[M*l +: M] = first_pass ? delta_q & {M{is_zero}} : w_q[(Length-1)*M +: M];
    assign pick[M*l +: M]  = update ? a_out[M*l +: M] : d_out[M*l +: M];

    gf_mult #(.M(M)) u_by_gamma (.a_i(gamma_q), .b_i(a_out[M*l +: M]), .y_o(by_gamma));
    gf_mult #(.M(M)) u_by_delta (.a_i(delta_q), .b_i(d_out[M*l +: M]), .y_o(by_delta));

    // Behind the last coefficient, zeros follow in D and the new syndromes in W.
    if (l < 2) begin : gen_end
      localparam int OddSlot = SlotMax;  // of S_{2r+3}; S_{2r+2} is in lane 1 or a slot before
      assign d_in = streaming ? d_back[M*l +: M] : '0;
      assign w_in = streaming ? w_back[M*l +: M] :
                    (l == 0 && slot_q == OddSlot[CW-1:0]) ? odd_q : even_q;
    end else begin : gen_middle
      assign d_in = d_back[M*l +: M];
      assign w_in = w_back[M*l +: M];
    end

    // The discrepancy of the next iteration; lanes from 2 up have their W a clock earlier.
    logic [M-1:0] factor_a, factor_w;
    if (l < 2) begin : gen_shared
      logic own;
      assign own      = state_q == StPass && slot_q >= SlotLag;
      assign factor_a = own ? a_q[(Lag-1)*M +: M] : power_q;
      if (LANES == 1) begin : gen_both
        assign factor_w = own ? w_in : raise ? scale2_q : supply_q[M-1:0];
      end else if (l == 0) begin : gen_odd
        assign factor_w = own ? w_in : supply_q[M-1:0];
      end else begin : gen_raise
        assign factor_w = own ? w_in : scale2_q;
      end
    end else begin : gen_own
      assign factor_a = a_q[0 +: M];
      assign factor_w = w_q[0 +: M];
    end
    gf_mult #(.M(M)) u_product (.a_i(factor_a), .b_i(factor_w), .y_o(products[M*l +: M]));

    for (genvar c = 0; c < Turn; c++) begin : gen_coefficient
      if (LANES * (Turn - 1 - c) + l <= T_MAX) begin : gen_used
        assign locator_o[M*(LANES*(Turn-1-c)+l) +: M] = a_q[M*(Slots-1-c) +: M];
      end
    end
  end

  // Two coefficients down: two lanes down, or in the top lanes when their turn comes.
  if (LANES == 1) begin : gen_one_lane
    assign d_back = pick;
    assign w_back = w_out;
    assign raised = products;
  end else if (LANES == 2) begin : gen_two_lanes
    assign d_back = pick;
    assign w_back = w_out;
    assign raised = products[M +: M];
  end else begin : gen_lanes
    assign d_back = {pick[(LANES-2)*M-1:0], pick[(LANES-2)*M +: 2*M]};
    assign w_back = {w_out[(LANES-2)*M-1:0], w_out[(LANES-2)*M +: 2*M]};
    assign raised = products[M +: M];
  end
  assign odd = products[0 +: M];

  always_comb begin
    product_sum = '0;
    for (int l = 0; l < LANES; l++) product_sum = product_sum ^ products[M*l +: M];
  end

  // ---- The next even syndrome, caught on its way: S_{r+1} is coefficient r of W ----
  logic [CW-1:0] catch_slot_q;
  logic [NW-1:0] catch_lane_q;
  logic [M-1:0]  caught;
  logic [M-1:0]  even;

  gf_square #(.M(M)) u_even (.x_i(caught), .y_o(even));

  always_comb begin
    caught = '0;
    for (int l = 0; l < LANES; l++) begin
      caught = caught | (w_out[M*l +: M] & {M{catch_lane_q == l[NW-1:0]}});
    end
  end

  always_ff @(posedge clk_i) begin
    if (slot_q == catch_slot_q) even_q <= even;
    if (start_i) begin
      catch_slot_q <= SlotZero;
      catch_lane_q <= '0;
    end else if (pass_end) begin
      catch_lane_q <= catch_lane_q + LaneOne;
      if (catch_lane_q == LaneLast) begin
        catch_lane_q <= '0;
        catch_slot_q <= catch_slot_q - SlotOne;
      end
    end
  end

  `ASSERT(StartWhenIdle_A, !start_i || idle_o)
  `ASSERT(StrengthInRange_A,
          !start_i || skip_i || (strength_i != '0 && strength_i <= T_MAX[TW-1:0]))

endmodule
