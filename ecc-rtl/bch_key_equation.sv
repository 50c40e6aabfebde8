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
// of the discrepancy in slots in which they have no coefficient yet. The rings have places for
// those slots too: in A's the power is put in front of the multiplier, and in W's the scaled
// syndrome comes out again where the coefficients end and the new syndromes follow.
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
  localparam int Lead  = (LANES == 1) ? 3 : 2;
  localparam int NW    = (LANES > 1) ? $clog2(LANES) : 1;
  localparam int LW    = TW + 1;

  localparam int            SlotMax  = Slots - 1;
  localparam int            EvenAt   = (LANES == 1) ? Slots - 2 : Slots - 1;
  localparam int            RaiseAt  = (LANES == 1) ? 1 : 0;
  localparam int            StoreAt  = Lag - 1;
  localparam int            LaneMax  = LANES - 1;
  localparam int            ZeroAt   = Turn - 1;                             // slot of A_0
  localparam int            OneAt    = (LANES == 1) ? Turn - 2 : Turn - 1;   // slot of A_1
  localparam int            OneLane  = (LANES == 1) ? 0 : 1;
  localparam logic [CW-1:0] SlotOne  = 1;
  localparam logic [CW-1:0] SlotLag  = Lag[CW-1:0];
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
  logic [CW-1:0] slot_q, slot_d;
  logic [TW-1:0] pass_q;       // r
  logic [TW-1:0] strength_q;
  logic          skip_q;       // there is no locator
  logic          clean;
  logic          pass_end;
  logic          pass_last;

  // What the slots select, in registers of their own, for many gates hang on each of these.
  logic          last_q;         // the slot is the last of the pass
  logic          streaming_q;    // .. has any coefficient of A
  logic          back_q;         // .. has a coefficient of the new W that was one of the old
  logic          even_slot_q;    // .. has S_{2r+2} in W
  logic          inject_q;       // .. is before one in which the scale is a factor
  logic          scale_first_q;  // .. scales S_1
  logic          scale_next_q;   // .. scales the next syndrome
  logic          store_q;        // .. puts it into W's ring
  logic          raise_q;        // .. raises the scale
  logic          restart_q;      // .. has a product that is not added to those before
  logic          fresh;          // the first pass
  logic          fresh_q;        // .. and the slot has any coefficient
  logic          fresh_zero_q;   // .. A_0, W_0
  logic          fresh_one_q;    // .. D_1

  assign pass_end  = state_q == StPass && last_q;
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

  assign fresh = state_d == StPass && (state_q != StPass || (pass_q == '0 && !pass_end));
  always_comb begin
    slot_d = slot_q + SlotOne;
    if (start_i || state_q == StFirst || state_q == StRaise || last_q) slot_d = '0;
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
    slot_q        <= slot_d;
    last_q        <= slot_d == SlotMax[CW-1:0];
    streaming_q   <= slot_d <= ZeroAt[CW-1:0];
    back_q        <= slot_d >= SlotLag && slot_d <= ZeroAt[CW-1:0];
    even_slot_q   <= slot_d == EvenAt[CW-1:0];
    inject_q      <= state_d != StDone && (state_d != StPass || slot_d == SlotMax[CW-1:0] ||
                                           (LANES == 1 && slot_d == '0));
    restart_q     <= slot_d == SlotLag || (LANES == 1 && slot_d == '0);
    scale_first_q <= state_d == StFirst;
    scale_next_q  <= state_d == StPass && slot_d == '0;
    store_q       <= slot_d == StoreAt[CW-1:0];
    raise_q       <= (state_d == StPass && slot_d == RaiseAt[CW-1:0]) ||
                     state_d == ((LANES == 1) ? StRaise : StFirst);
    fresh_q       <= fresh && slot_d <= ZeroAt[CW-1:0];
    fresh_zero_q  <= fresh && slot_d == ZeroAt[CW-1:0];
    fresh_one_q   <= fresh && slot_d == OneAt[CW-1:0];
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

  assign acc    = (acc_q & {M{!restart_q}}) ^ product_sum;
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
    if (scale_first_q) delta_q <= odd;
    else if (pass_end) delta_q <= pass_last ? '0 : acc;
  end

  assign clean_o  = skip_q;
  assign fail_o   = !skip_q && length_q > {1'b0, strength_q};
  assign errors_o = length_q[TW-1:0];

  // ---- Supply of syndromes ----
  // The odd ones are in a ring, which turns on every clock like the others. It is filled in such an
  // order that S_{2r+3} is in front when pass r begins: that is Slots places after the one before.
  localparam int Ring = ring_length();
  localparam int OfS1 = place_of(0);

  logic [Ring*M-1:0]  supply_q;
  logic [Ring*M-1:0]  filling;
  logic [M-1:0]       power;     // scale to the power of the next of them
  logic [M-1:0]       power_q;
  logic [M-1:0]       scale2_q;  // scale^2
  logic [M-1:0]       scale2;
  logic [M-1:0]       odd;       // the syndrome that is being scaled
  logic [M-1:0]       odd_stored;
  logic [M-1:0]       raised;    // the next power
  logic [M-1:0]       even_q;    // S_{2r+2}

  // The least number of places for all syndromes that has no divisor in common with Slots.
  function automatic int ring_length();
    int common;
    ring_length = T_MAX + Slots;
    for (int n = T_MAX + Slots; n >= T_MAX; n--) begin
      common = 1;
      for (int d = 2; d <= Slots; d++) if (n % d == 0 && Slots % d == 0) common = d;
      if (common == 1) ring_length = n;
    end
  endfunction

  // Place of S_{2j+1} in the clock after the start.
  function automatic int place_of(input int j);
    place_of = (Ring * Slots + Lead - 1 + Slots * (j - 1)) % Ring;
  endfunction

  always_comb begin
    filling = '0;
    for (int j = 0; j < T_MAX; j++) filling[M*place_of(j) +: M] = syndromes_i[M*j +: M];
  end

  assign power = start_i ? scale_i : raise_q ? raised : power_q;

  gf_square #(.M(M)) u_scale2 (.x_i(scale_i), .y_o(scale2));

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      scale2_q <= scale2;
      supply_q <= filling;
    end else begin
      supply_q <= {supply_q[M-1:0], supply_q[Ring*M-1:M]};
    end
    power_q <= power;
  end

  // Only the syndromes of this codeword's strength count.
  always_comb begin
    clean = 1'b1;
    for (int j = 0; j < T_MAX; j++) begin
      if (strength_q > j[TW-1:0] && supply_q[M*place_of(j) +: M] != '0) clean = 1'b0;
    end
  end

  // ---- The rings: A (locator), D (correction), W (window of syndromes) ----
  logic [LANES*M-1:0] a_out, d_out, w_out;  // coefficients of this slot
  logic [LANES*M-1:0] pick;                 // what D takes: A or D
  logic [LANES*M-1:0] d_back, w_back;       // .. of the coefficient two places down
  logic [LANES*M-1:0] products;

  for (genvar l = 0; l < LANES; l++) begin : gen_lane
    // Lanes 0 and 1 take from the clock in which lower coefficients come, Lag later.
    localparam int Length = (l < 2) ? Slots - Lag : Slots;

    logic [Slots*M-1:0]  a_q;
    logic [Length*M-1:0] d_q, w_q;
    logic [M-1:0]        by_gamma, by_delta;
    logic [M-1:0]        d_in, w_in;
    logic [M-1:0]        w_next;          // w_in, or the scaled syndrome
    logic                is_zero, is_one; // this is coefficient 0, coefficient 1 of the first pass

    // A scale to be multiplied takes a place that no coefficient has.
    always_ff @(posedge clk_i) begin
      a_q <= {a_q[(Slots-1)*M-1:0], by_gamma ^ by_delta};
      if (l < 2 && inject_q) a_q[M*(Lag-1) +: M] <= power;
    end

    if (Length > 1) begin : gen_ring
      always_ff @(posedge clk_i) begin
        d_q <= {d_q[(Length-1)*M-1:0], d_in};
        w_q <= {w_q[(Length-1)*M-1:0], w_next};
      end
    end else begin : gen_register
      always_ff @(posedge clk_i) begin
        d_q <= d_in;
        w_q <= w_next;
      end
    end

    // The first pass starts from A = 1, D = x, W = S_1 and not from what is in the rings.
    assign is_zero = l == 0 && fresh_zero_q;
    assign is_one  = l == OneLane && fresh_one_q;

    assign a_out[M*l +: M] = fresh_q ? {{(M-1){1'b0}}, is_zero} : a_q[(Slots-1)*M +: M];
    assign d_out[M*l +: M] = fresh_q ? {{(M-1){1'b0}}, is_one} : d_q[(Length-1)*M +: M];
    assign w_out[M*l +: M] = (w_q[(Length-1)*M +: M] & {M{!fresh_q}}) | (delta_q & {M{is_zero}});
    assign pick[M*l +: M]  = update ? a_out[M*l +: M] : d_out[M*l +: M];

    gf_mult #(.M(M)) u_by_gamma (.a_i(gamma_q), .b_i(a_out[M*l +: M]), .y_o(by_gamma));
    gf_mult #(.M(M)) u_by_delta (.a_i(delta_q), .b_i(d_out[M*l +: M]), .y_o(by_delta));

    // Behind the last coefficient, zeros follow in D and the new syndromes in W. Before there is a
    // new coefficient of A, W is not asked for, and scaling takes its way to the multiplier.
    if (l < 2) begin : gen_end
      logic [M-1:0] odd_end, even_end;
      assign odd_end = (w_out[0 +: M] & {M{last_q}}) | (supply_q[0 +: M] & {M{scale_next_q}}) |
                       (supply_q[M*OfS1 +: M] & {M{scale_first_q}});
      assign even_end = (even_q & {M{even_slot_q}}) | (scale2_q & {M{raise_q}});
      assign d_in = d_back[M*l +: M] & {M{streaming_q}};
      assign w_in = (w_back[M*l +: M] & {M{back_q}}) |
                    ((l == 0) ? odd_end : '0) | ((LANES == 1 || l == 1) ? even_end : '0);
    end else begin : gen_middle
      assign d_in = d_back[M*l +: M];
      assign w_in = w_back[M*l +: M];
    end
    assign w_next = (l == 0 && store_q) ? odd_stored : w_in;

    // The discrepancy of the next iteration; lanes from 2 up have their W a clock earlier.
    logic [M-1:0] factor_a, factor_w;
    assign factor_a = a_q[M*((l < 2) ? Lag - 1 : 0) +: M];
    assign factor_w = (l < 2) ? w_in : w_q[0 +: M];
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
  assign odd        = (LANES == 1) ? acc : products[0 +: M];
  assign odd_stored = (LANES == 1) ? acc_q : products[0 +: M];

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
      catch_slot_q <= ZeroAt[CW-1:0];
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
