// Key-equation solver: from the odd syndromes to the error locator, by the inversionless
// Berlekamp-Massey algorithm for binary codes (t iterations, no division).
//
// In iteration r, with locator A, correction D and window W_i = S_{2r+1-i}:
//   A <- gamma A + delta D
//   D <- x^2 (delta != 0 and L <= r ? A : D),   then also gamma <- delta, L <- 2r + 1 - L
//   W <- x^2 W + S_{2r+2} x + S_{2r+3}
//   delta <- sum of A_i W_i
// One pass does all four: LANES coefficients a clock go through 3 LANES multipliers, the next
// discrepancy being summed behind the update. A, D and W live in rings of registers that turn on
// every clock, so they need no enables and no multiplexers; a pass takes Slots = ceil((T_MAX + 1)
// / LANES) + 2 clocks, the two being the way of the last coefficient into delta.
//
// Only odd syndromes come in. S_{2r+2} is the square of S_{r+1}, caught when it passes in the
// window; S_{2r+3} is scaled by scale^(2r+3) on its way in (bch_syndrome says why), which takes
// one more multiplier and no time.
//
// Entry: start_i with the syndromes; code, clean pass straight through. Exit: done_o with the
// locator in place, coefficient i in field i; it is offered once a turn until it is taken.
// Clocks from start to done: 4 + t * Slots.
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
  input  logic                   skip_i,       // nothing to solve: no errors, or no codeword
  input  logic [TW-1:0]          strength_i,
  input  logic [T_MAX*M-1:0]     syndromes_i,
  input  logic [M-1:0]           scale_i,
  output logic                   idle_o,
  output logic                   done_o,
  input  logic                   taken_i,
  output logic                   fail_o,       // more errors than the strength
  output logic [TW-1:0]          errors_o,     // degree that the locator must have
  output logic [(T_MAX+1)*M-1:0] locator_o
);

  localparam int Turn  = (T_MAX + LANES) / LANES;  // clocks to stream T_MAX + 1 coefficients
  localparam int Slots = Turn + 2;
  localparam int CW    = $clog2(Slots);
  localparam int NW    = (LANES > 1) ? $clog2(LANES) : 1;
  localparam int LW    = TW + 1;

  localparam logic [CW-1:0] SlotOne   = 1;
  localparam logic [CW-1:0] SlotTwo   = 2;
  localparam int            SlotMax   = Slots - 1;
  localparam int            LaneMax   = LANES - 1;
  localparam logic [CW-1:0] SlotLast  = SlotMax[CW-1:0];
  localparam logic [NW-1:0] LaneLast  = LaneMax[NW-1:0];
  localparam logic [NW-1:0] LaneOne   = 1;
  localparam logic [TW-1:0] PassOne   = 1;
  localparam logic [M-1:0]  One       = 1;

  // ---- Control ----
  typedef enum logic [2:0] {
    StIdle,
    StFirst,   // delta <- S_1
    StSecond,  // S_2 from S_1, and scale^3
    StThird,   // S_3
    StPass,
    StDone
  } state_e;

  state_e        state_q, state_d;
  logic [CW-1:0] slot_q;
  logic [TW-1:0] pass_q;       // r
  logic [TW-1:0] strength_q;
  logic [LW-1:0] length_q;     // L
  logic          skip_q;
  logic          pass_end;
  logic          pass_last;

  assign pass_end  = state_q == StPass && slot_q == SlotLast;
  assign pass_last = pass_q + PassOne == strength_q;
  assign done_o    = state_q == StDone && (skip_q || slot_q == '0);
  assign idle_o    = state_q == StIdle || (done_o && taken_i);

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StFirst:  state_d = StSecond;
      StSecond: state_d = StThird;
      StThird:  state_d = StPass;
      StPass:   if (pass_end && pass_last) state_d = StDone;
      default: begin
        if (idle_o) state_d = StIdle;
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
    end
    if (state_q == StThird || slot_q == SlotLast) slot_q <= '0;
    else slot_q <= slot_q + SlotOne;
    if (start_i) pass_q <= '0;
    else if (pass_end) pass_q <= pass_q + PassOne;
  end

  // ---- Discrepancy and length ----
  logic [M-1:0]  gamma_q;
  logic [M-1:0]  delta_q;
  logic [M-1:0]  sum_q;        // products behind the update, summed over the lanes
  logic [M-1:0]  acc_q;
  logic [M-1:0]  acc;
  logic [M-1:0]  scaled;       // product of the scaling multiplier
  logic          update;

  assign acc    = ((slot_q == SlotTwo) ? '0 : acc_q) ^ sum_q;
  assign update = (delta_q != '0) && (length_q <= {1'b0, pass_q});

  always_ff @(posedge clk_i) begin
    acc_q <= acc;
    if (start_i) begin
      gamma_q  <= One;
      length_q <= '0;
    end else if (pass_end) begin
      // The passes after the last one only turn the ring: 1 * A + 0 * D.
      gamma_q <= pass_last ? One : update ? delta_q : gamma_q;
      if (update) length_q <= {pass_q, 1'b1} - length_q;
    end
    if (state_q == StFirst) delta_q <= scaled;
    else if (pass_end) delta_q <= pass_last ? '0 : acc;
  end

  assign fail_o   = !skip_q && length_q > {1'b0, strength_q};
  assign errors_o = length_q[TW-1:0];

  // ---- Supply of syndromes ----
  logic [T_MAX*M-1:0] supply_q;     // the odd ones that are still to come
  logic [M-1:0]       power_q;      // scale^(2r+1)
  logic [M-1:0]       scale2_q;     // scale^2
  logic [M-1:0]       odd_q;        // S_{2r+3}
  logic [M-1:0]       even_q;       // S_{2r+2}
  logic [M-1:0]       even_from;
  logic [M-1:0]       even_square;
  logic [M-1:0]       scale2;
  logic               raise_power;
  logic               next_odd;

  assign raise_power = state_q == StSecond || (state_q == StPass && slot_q == '0);
  assign next_odd    = state_q == StThird || (state_q == StPass && slot_q == SlotOne);

  gf_square #(.M(M)) u_scale2 (.x_i(scale_i), .y_o(scale2));
  gf_square #(.M(M)) u_even (.x_i(even_from), .y_o(even_square));

  gf_mult #(
    .M(M)
  ) u_scaling (
    .a_i(power_q),
    .b_i(raise_power ? scale2_q : supply_q[M-1:0]),
    .y_o(scaled)
  );

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      scale2_q <= scale2;
      supply_q <= syndromes_i;
      power_q  <= scale_i;
    end else begin
      if (raise_power) power_q <= scaled;
      if (state_q == StFirst || next_odd) supply_q <= supply_q >> M;
    end
    if (next_odd) odd_q <= scaled;
  end

  // ---- The rings: A (locator), D (correction), W (window of syndromes) ----
  logic [LANES*M-1:0] a_out, d_out, w_out;  // coefficients of this slot
  logic [LANES*M-1:0] a_in, d_in, w_in;     // their new values
  logic [LANES*M-1:0] pick;                 // what D takes: A or D
  logic [LANES*M-1:0] pick_back, w_back;    // the same, two coefficients further down
  logic [LANES*M-1:0] a_head, w_head;       // new values, a clock later
  logic [LANES*M-1:0] products;
  logic               first_pass;

  assign first_pass = pass_q == '0;

  for (genvar l = 0; l < LANES; l++) begin : gen_lane
    logic [Slots*M-1:0] a_q, d_q, w_q;
    logic [M-1:0]       by_gamma, by_delta;
    logic               is_zero, is_one;  // this is coefficient 0, coefficient 1

    assign is_zero = l == 0 && slot_q == '0;
    assign is_one  = (LANES == 1) ? slot_q == SlotOne : l == 1 && slot_q == '0;

    always_ff @(posedge clk_i) begin
      a_q <= {a_q[(Slots-1)*M-1:0], a_in[M*l +: M]};
      d_q <= {d_q[(Slots-1)*M-1:0], d_in[M*l +: M]};
      w_q <= {w_q[(Slots-1)*M-1:0], w_in[M*l +: M]};
    end

    // The first pass starts from A = 1, D = x, W = S_1 and not from what is in the rings.
    assign a_out[M*l +: M] = first_pass ? {{(M-1){1'b0}}, is_zero} : a_q[(Slots-1)*M +: M];
    assign d_out[M*l +: M] = first_pass ? {{(M-1){1'b0}}, is_one} : d_q[(Slots-1)*M +: M];
    assign w_out[M*l +: M] = first_pass ? delta_q & {M{is_zero}} : w_q[(Slots-1)*M +: M];

    gf_mult #(.M(M)) u_by_gamma (.a_i(gamma_q), .b_i(a_out[M*l +: M]), .y_o(by_gamma));
    gf_mult #(.M(M)) u_by_delta (.a_i(delta_q), .b_i(d_out[M*l +: M]), .y_o(by_delta));

    assign pick[M*l +: M] = update ? a_out[M*l +: M] : d_out[M*l +: M];
    assign a_in[M*l +: M] = by_gamma ^ by_delta;
    assign d_in[M*l +: M] = (is_zero || is_one) ? '0 : pick_back[M*l +: M];
    assign w_in[M*l +: M] = is_zero ? odd_q : is_one ? even_q : w_back[M*l +: M];

    assign a_head[M*l +: M] = a_q[0 +: M];
    assign w_head[M*l +: M] = w_q[0 +: M];

    gf_mult #(
      .M(M)
    ) u_product (
      .a_i(a_head[M*l +: M]),
      .b_i(w_head[M*l +: M]),
      .y_o(products[M*l +: M])
    );

    for (genvar c = 0; c < Turn; c++) begin : gen_coefficient
      if (LANES * c + l <= T_MAX) begin : gen_used
        assign locator_o[M*(LANES*c+l) +: M] = a_q[M*(Slots-1-c) +: M];
      end
    end
  end

  // Two coefficients down: two lanes down, or from the slot before.
  localparam int Back = (LANES > 1) ? 2 : 1;
  logic [Back*M-1:0] pick_q, w_top_q;
  always_ff @(posedge clk_i) begin
    pick_q  <= pick[(LANES-Back)*M +: Back*M];
    w_top_q <= w_out[(LANES-Back)*M +: Back*M];
  end
  if (LANES == 1) begin : gen_two_slots
    logic [M-1:0] pick_q2, w_top_q2;
    always_ff @(posedge clk_i) begin
      pick_q2  <= pick_q;
      w_top_q2 <= w_top_q;
    end
    assign pick_back = pick_q2;
    assign w_back    = w_top_q2;
  end else if (LANES == 2) begin : gen_one_slot
    assign pick_back = pick_q;
    assign w_back    = w_top_q;
  end else begin : gen_lanes
    assign pick_back = {pick[(LANES-2)*M-1:0], pick_q};
    assign w_back    = {w_out[(LANES-2)*M-1:0], w_top_q};
  end

  logic [M-1:0] acc_in;
  always_comb begin
    acc_in = '0;
    for (int l = 0; l < LANES; l++) acc_in = acc_in ^ products[M*l +: M];
  end
  always_ff @(posedge clk_i) sum_q <= acc_in;

  // ---- The next even syndrome, caught on its way: S_{r+2} is coefficient r + 1 of W ----
  logic [CW-1:0] catch_slot_q;  // when it stands at the head of its lane
  logic [NW-1:0] catch_lane_q;
  logic          catch_it;

  assign catch_it = state_q == StPass && slot_q == catch_slot_q;

  always_comb begin
    even_from = delta_q;
    if (state_q != StSecond) begin
      even_from = '0;
      for (int l = 0; l < LANES; l++) begin
        even_from = even_from | (w_head[M*l +: M] & {M{catch_lane_q == l[NW-1:0]}});
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == StSecond || catch_it) even_q <= even_square;
    if (start_i) begin
      catch_slot_q <= (LANES == 1) ? SlotTwo : SlotOne;
      catch_lane_q <= (LANES == 1) ? '0 : LaneOne;
    end else if (pass_end) begin
      catch_lane_q <= catch_lane_q + LaneOne;
      if (catch_lane_q == LaneLast) begin
        catch_lane_q <= '0;
        catch_slot_q <= catch_slot_q + SlotOne;
      end
    end
  end

  `ASSERT(StartWhenIdle_A, !start_i || idle_o)
  `ASSERT(StrengthInRange_A, !start_i || skip_i || (strength_i != '0 && strength_i <= T_MAX[TW-1:0]))

endmodule
