// Properties of bch_key_equation's control, bound into the module as the last thing in it. The
// arithmetic is cut: see cut/gf_mult.sv.
//
// From start to done it takes exactly the clocks that the module's head says; done is offered
// again once a turn, with the same locator, until it is taken; nothing else is offered.

  localparam int FLead = (LANES == 1) ? 3 : 2;
  localparam int FMax  = FLead + T_MAX * Slots;  // latest first offer
  localparam int FW    = $clog2(FMax + Slots + 1) + 1;

  // ---- What comes in ----
  logic          f_on_q;        // from start until taken
  logic          f_skip_q, f_zero_q;
  logic [TW-1:0] f_strength_q;
  logic [FW-1:0] f_clock_q;     // clocks since start; it stops a turn short of the bound
  logic          f_zero;
  logic [FW-1:0] f_first;       // clocks from start to the first offer

  always_comb begin
    f_zero = 1'b1;
    for (int j = 0; j < T_MAX; j++) begin
      if (j < strength_i && |syndromes_i[M*j +: M]) f_zero = 1'b0;
    end
    f_first = FLead + f_strength_q * Slots;
    if (f_zero_q) f_first = 2;
    if (f_skip_q) f_first = 1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_on_q <= 1'b0;
    end else if (start_i) begin
      f_on_q       <= 1'b1;
      f_skip_q     <= skip_i;
      f_zero_q     <= f_zero;
      f_strength_q <= strength_i;
      f_clock_q    <= 1;
    end else if (f_on_q) begin
      if (taken_i) f_on_q <= 1'b0;
      f_clock_q <= f_clock_q + 1;
      // Offers come once a turn, or every clock where there is no locator.
      if (f_clock_q == f_first + ((f_skip_q || f_zero_q) ? 0 : Slots - 1)) f_clock_q <= f_first;
    end
  end

  initial assume (!rst_ni);
  always @(posedge clk_i) begin
    assume (!start_i || idle_o);
    assume (!start_i || skip_i || (strength_i >= 1 && strength_i <= T_MAX));
    assume (!taken_i || done_o);
  end

  // ---- Start, done, taken ----
  always @(posedge clk_i) begin
    if (rst_ni) begin
      assert (idle_o == !f_on_q);
      assert (done_o == (f_on_q && f_clock_q == f_first));
      if (done_o) begin
        assert (clean_o == (f_skip_q || f_zero_q));
        assert (!(clean_o && fail_o));
        if (!clean_o && !fail_o) assert (errors_o <= f_strength_q);
      end
    end
  end

  // ---- The locator is the same in every offer ----
  logic                   f_seen_q;
  logic [(T_MAX+1)*M-1:0] f_locator_q;
  logic                   f_last_fail_q;
  logic [TW-1:0]          f_errors_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_seen_q <= 1'b0;
    else f_seen_q <= (f_seen_q || done_o) && !start_i && !taken_i;
  end
  always_ff @(posedge clk_i) begin
    if (done_o && !f_seen_q) begin
      f_locator_q   <= locator_o;
      f_last_fail_q <= fail_o;
      f_errors_q    <= errors_o;
    end
  end
  always @(posedge clk_i) begin
    if (rst_ni && f_on_q && f_seen_q && done_o && !clean_o) begin
      assert (locator_o == f_locator_q && fail_o == f_last_fail_q && errors_o == f_errors_q);
    end
  end

  // ---- Invariants ----
  for (genvar l = 0; l < LANES; l++) begin : gen_f_ring
    logic [Slots*M-1:0] f_ring_q;
    logic [2*Slots*M-1:0] f_turned;
    assign f_turned = {f_ring_q, f_ring_q} << (M * slot_q);
    always_ff @(posedge clk_i) if (done_o && !f_seen_q) f_ring_q <= gen_lane[l].a_q;
    always @(posedge clk_i) begin
      if (rst_ni && f_seen_q && !skip_q) begin
        assert (gen_lane[l].a_q == f_turned[2*Slots*M-1:Slots*M]);
      end
    end
    for (genvar c = 0; c < Turn; c++) begin : gen_f_coefficient
      if (LANES * (Turn - 1 - c) + l <= T_MAX) begin : gen_f_used
        always @(posedge clk_i) begin
          if (rst_ni && f_seen_q && !skip_q) begin
            assert (f_ring_q[M*(Slots-1-c) +: M] ==
                    f_locator_q[M*(LANES*(Turn-1-c)+l) +: M]);
          end
        end
      end
    end
  end

  always @(posedge clk_i) begin
    if (rst_ni) begin
      assert (state_q <= StDone);
      if (state_q == StRaise) assert (LANES == 1);
      // What the slots select is selected in time, and nothing that would change the locator.
      assert (last_q == (slot_q == SlotMax));
      if (state_q == StPass || state_q == StDone) assert (!scale_first_q);
      if (state_q == StDone) assert (!inject_q && !fresh_q);
      if (f_seen_q) assert (f_on_q && state_q == StDone);
      if (f_seen_q && !skip_q) assert (length_q[TW-1:0] == f_errors_q && fail_o == f_last_fail_q);
      if (f_on_q) begin
        assert (strength_q == f_strength_q);
        assert (f_skip_q || (f_strength_q != '0 && f_strength_q <= T_MAX));
        assert (skip_q == (f_skip_q || (f_zero_q && state_q == StDone)));
        assert (pass_q <= f_strength_q || f_skip_q);
      end
      if (state_q == StFirst) assert (f_clock_q == 1 && !f_skip_q && clean == f_zero_q);
      if (state_q == StFirst || state_q == StRaise) assert (pass_q == '0);
      if (state_q == StRaise) assert (f_clock_q == 2 && !f_skip_q && !f_zero_q);
      if (state_q == StPass) begin
        assert (!f_skip_q && !f_zero_q && pass_q < f_strength_q && slot_q <= SlotMax);
        assert (f_clock_q == FLead + pass_q * Slots + slot_q);
      end
      if (state_q == StDone && !skip_q) begin
        assert (gamma_q == One && delta_q == '0 && pass_q == f_strength_q);
        assert (slot_q <= SlotMax && f_clock_q == f_first + slot_q);
        assert (f_seen_q || slot_q == '0);
      end
      if (state_q == StDone && skip_q) assert (f_clock_q == f_first);
    end
  end

  // ---- Reached at all ----
  always @(posedge clk_i) begin
    if (rst_ni) begin
      cover (done_o && f_seen_q && !clean_o && !fail_o);
      cover (done_o && fail_o);
      cover (done_o && f_zero_q && !f_skip_q);
    end
  end
