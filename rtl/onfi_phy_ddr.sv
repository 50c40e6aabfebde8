// NV-DDR cycles: CLK on the pin of WE#, W/R# on that of RE#, two bytes per CLK with DQS.
//
// Enters and leaves: as onfi_phy_sdr. Half a period of CLK is t_half_i clocks, so clk_i is at least
// twice CLK. CLE, ALE, W/R# and DQ of commands change as CLK falls; DQS changes with CLK; data on
// DQ change between the edges of DQS: by whole clocks here, and by the half clock that onfi_phy
// delays DQ by. CLK runs while the die is selected and rests low otherwise; its first rise is tCS
// after the fall of CE#, and may latch the first command already.
//
// A data cycle is a rise of CLK with CLE and ALE high. Into the die, the DQS edges of its two bytes
// follow one CLK later. A burst pauses, with CLE and ALE low, where the stream has no data or no
// room. If the die has not sent all bytes in time, the rest read as FFh and missing_o is set.
`include "prim_assert.svh"

module onfi_phy_ddr (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        active_i,   // a die is selected, in NV-DDR
  input  logic [9:0]  t_half_i,
  input  logic [9:0]  t_cs_i,
  input  logic [9:0]  t_ch_i,     // hold after a rise of CLK, and set-up before one
  input  logic [9:0]  t_wrck_i,
  input  logic [9:0]  t_ckwr_i,
  // The cycle
  input  logic        valid_i,
  output logic        ready_o,
  input  logic [2:0]  cycle_i,
  input  logic [7:0]  byte_i,
  input  logic [15:0] length_i,   // bytes in the stream
  input  logic        twice_i,    // each of them crosses the bus twice
  input  logic        early_i,    // bytes may arrive behind the end of their burst
  input  logic        gap_ok_i,
  input  logic [9:0]  since_i,    // clocks since the last latching edge
  output logic        begun_o,
  output logic        strobe_o,   // a latching edge of CLK comes with the next clock edge
  output logic        read_o,     // it is a data output cycle
  output logic        turn_o,     // W/R# rises with the next clock edge
  output logic        quiet_o,
  output logic        missing_o,  // a byte has not come
  // Data
  input  logic [4:0]  in_count_i,
  input  logic [7:0]  in_data_i,
  output logic        in_pop_o,
  input  logic        room_i,     // for two bytes
  output logic [1:0]  issue_o,    // bytes asked for
  input  logic        flight_i,   // some of them are not here yet
  output logic        out_valid_o,
  output logic [7:0]  out_data_o,
  // Pins
  output logic        cle_o,
  output logic        ale_o,
  output logic        clk_o,
  output logic        wr_no,
  output logic [7:0]  dq_o,
  output logic        dq_oe_o,
  output logic        dqs_o,
  output logic        dqs_oe_o,
  input  logic [7:0]  dq_i,
  input  logic        dqs_i
);

  // Clocks without a byte, with bytes to come, after which none is expected: beyond tDQSCK, the way
  // through the strobe's FIFO and half a CLK of 50 ns, at any clock.
  localparam int Patience = 63;

  typedef enum logic [2:0] {Rest, In, InEnd, Out, OutEnd, Tail} state_e;

  // ---- CLK ----
  logic       active_q;
  logic [9:0] half_q;    // clocks left in this half of CLK
  logic       tick;
  logic       fall;      // CLK falls with the next clock edge, or the die has just been selected
  logic       rise;

  assign tick = active_i && half_q == 10'd0;
  assign fall = (tick && clk_o) || (active_i && !active_q);
  assign rise = tick && !clk_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      half_q   <= 10'd0;
      clk_o    <= 1'b0;
    end else if (!active_i) begin
      active_q <= 1'b0;
      half_q   <= ((t_cs_i > t_half_i) ? t_cs_i : t_half_i) - 10'd1;
      clk_o    <= 1'b0;
    end else begin
      active_q <= 1'b1;
      half_q   <= tick ? t_half_i - 10'd1 : half_q - 10'd1;
      clk_o    <= clk_o ^ tick;
    end
  end

  // ---- Cycles ----
  state_e      state_q;
  state_e      state_d;
  logic        begun_q;
  logic        begun_d;
  logic [15:0] left_q;      // bytes of the burst not committed to a data cycle
  logic [15:0] left_d;
  logic        arm_q;       // the next rise of CLK latches
  logic        arm_d;
  logic        cle_d;
  logic        ale_d;
  logic        wr_nd;
  logic        oe_d;
  logic        dqs_oe_d;
  logic [9:0]  count_q;     // clocks since W/R# has fallen, or ends of CLK after the data
  logic [9:0]  count_d;
  logic        is_in;
  logic        is_out;
  logic [15:0] left_now;
  logic [1:0]  pair;        // bytes of the stream that a data cycle takes
  logic        commit_in;
  logic        commit_out;
  logic        start;
  logic        may_turn;    // W/R# may fall: the next rise of CLK is far enough
  logic        may_stop;    // CE# may rise: the last rise of CLK is far enough
  logic        commit_q;    // the data cycle of this CLK has a pair
  logic        launch_q;    // its DQS edges come in this CLK
  logic [4:0]  pending_q;   // bytes committed and not yet on DQ

  assign is_in      = cycle_i == onfi_pkg::CycleIn;
  assign is_out     = cycle_i == onfi_pkg::CycleOut;
  assign left_now   = begun_q ? left_q : length_i;
  assign pair       = twice_i ? 2'd1 : 2'd2;
  assign start      = fall && state_q == Rest && valid_i && gap_ok_i
                      && (cycle_i == onfi_pkg::CycleCommand || cycle_i == onfi_pkg::CycleAddress);
  assign commit_in  = fall && state_q == In && left_now != 16'd0 && gap_ok_i
                      && in_count_i >= pending_q + {3'd0, pair};
  assign commit_out = fall && state_q == Out && left_now != 16'd0 && gap_ok_i && room_i
                      && count_q >= t_wrck_i;
  assign issue_o    = commit_out ? pair : 2'd0;
  assign strobe_o   = rise && arm_q;
  assign read_o     = state_q == Out || state_q == OutEnd;
  assign begun_o    = begun_q;
  assign may_turn   = fall || (active_q && !clk_o && half_q >= t_ch_i);
  assign may_stop   = !rise && (!clk_o || t_half_i - half_q >= t_ch_i);
  assign quiet_o    = state_q == Rest && !arm_q && may_stop;
  assign turn_o     = wr_nd && !wr_no;

  always_comb begin
    state_d  = state_q;
    begun_d  = begun_q;
    left_d   = left_q;
    arm_d    = arm_q;
    cle_d    = cle_o;
    ale_d    = ale_o;
    wr_nd    = wr_no;
    oe_d     = dq_oe_o;
    dqs_oe_d = dqs_oe_o;
    count_d  = (count_q == '1) ? count_q : count_q + 10'd1;
    ready_o  = 1'b0;
    if (fall || !active_i) begin
      cle_d = 1'b0;
      ale_d = 1'b0;
    end
    if (rise) arm_d = 1'b0;
    unique case (state_q)
      // Commands and addresses.
      Rest: begin
        begun_d = 1'b0;
        if (fall || !active_i) oe_d = 1'b0;
        if (start) begin
          cle_d   = cycle_i == onfi_pkg::CycleCommand;
          ale_d   = cycle_i == onfi_pkg::CycleAddress;
          oe_d    = 1'b1;
          arm_d   = 1'b1;
          ready_o = 1'b1;
        end else if (fall && valid_i && is_in) begin
          oe_d     = 1'b1;
          dqs_oe_d = 1'b1;
          state_d  = In;
        end else if (may_turn && valid_i && is_out && !dq_oe_o) begin
          wr_nd   = 1'b0;
          count_d = 10'd1;
          state_d = Out;
        end
      end
      // Data go to the die; DQS is driven.
      In: begin
        if (commit_in) begin
          cle_d   = 1'b1;
          ale_d   = 1'b1;
          arm_d   = 1'b1;
          begun_d = 1'b1;
          left_d  = left_now - {14'd0, pair};
        end
        if (fall && begun_q && left_q == 16'd0 && !commit_q) begin
          count_d = 10'd0;
          state_d = InEnd;
        end
      end
      // tWPST: two CLK after the last edge of DQS.
      InEnd: begin
        count_d = count_q + {9'd0, fall};
        if (fall && count_q == 10'd1) begin
          oe_d     = 1'b0;
          dqs_oe_d = 1'b0;
          begun_d  = 1'b0;
          ready_o  = 1'b1;
          state_d  = Rest;
        end
      end
      // Data come from the die; W/R# is low.
      Out: begin
        if (commit_out) begin
          cle_d   = 1'b1;
          ale_d   = 1'b1;
          arm_d   = 1'b1;
          begun_d = 1'b1;
          left_d  = left_now - {14'd0, pair};
        end
        if (begun_q && left_q == 16'd0 && !arm_q) state_d = OutEnd;
      end
      // tCKWR.
      OutEnd: begin
        if (fall && since_i >= t_ckwr_i) begin
          wr_nd   = 1'b1;
          state_d = Tail;
          if (early_i) begin
            begun_d = 1'b0;
            ready_o = 1'b1;
            state_d = Rest;
          end
        end
      end
      // The last bytes arrive.
      Tail: begin
        if (!flight_i) begin
          begun_d = 1'b0;
          ready_o = 1'b1;
          state_d = Rest;
        end
      end
      default: state_d = Rest;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= Rest;
      begun_q  <= 1'b0;
      left_q   <= 16'd0;
      arm_q    <= 1'b0;
      count_q  <= 10'd0;
      cle_o    <= 1'b0;
      ale_o    <= 1'b0;
      wr_no    <= 1'b1;
      dq_oe_o  <= 1'b0;
      dqs_oe_o <= 1'b0;
    end else begin
      state_q  <= state_d;
      begun_q  <= begun_d;
      left_q   <= left_d;
      arm_q    <= arm_d;
      count_q  <= count_d;
      cle_o    <= cle_d;
      ale_o    <= ale_d;
      wr_no    <= wr_nd;
      dq_oe_o  <= oe_d;
      dqs_oe_o <= dqs_oe_d;
    end
  end

  // ---- Data into the die: DQ changes in the middle of the halves, DQS at their ends ----
  logic [9:0] point;      // clocks from the beginning of a half to the change of DQ
  logic       at_point;
  logic       load;
  logic       second;

  assign point    = (t_half_i - 10'd1) >> 1;
  assign at_point = (point == 10'd0) ? tick : active_i && half_q == t_half_i - point;
  assign second   = (point == 10'd0) ? rise : clk_o;
  assign load     = at_point && ((point == 10'd0 && fall) ? commit_q : launch_q);
  assign in_pop_o = load && (second || !twice_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      commit_q  <= 1'b0;
      launch_q  <= 1'b0;
      dqs_o     <= 1'b0;
      pending_q <= 5'd0;
    end else begin
      if (fall) begin
        commit_q <= commit_in;
        launch_q <= commit_q;
      end
      if (fall) dqs_o <= 1'b0;
      if (rise) dqs_o <= launch_q;
      pending_q <= pending_q + (commit_in ? {3'd0, pair} : 5'd0) - {4'd0, in_pop_o};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) dq_o <= 8'h00;
    else if (start) dq_o <= byte_i;
    else if (load) dq_o <= in_data_i;
  end

  // ---- Data out of the die ----
  logic        rx_valid;
  logic [15:0] rx_pair;
  logic        rx_pop;
  logic        rx_second_q;
  logic        enable_q;    // edges of DQS are the die's
  logic [5:0]  late_q;      // clocks without a byte, with bytes to come

  onfi_strobe u_strobe (
    .clk_i,
    .rst_ni,
    .enable_i(enable_q),
    .dqs_i,
    .dq_i,
    .valid_o (rx_valid),
    .pair_o  (rx_pair),
    .pop_i   (rx_pop)
  );

  assign rx_pop      = rx_valid && (rx_second_q || twice_i);
  assign missing_o   = late_q == 6'(Patience) && flight_i && !rx_valid;
  assign out_valid_o = rx_valid || missing_o;
  assign out_data_o  = rx_valid ? (rx_second_q ? rx_pair[7:0] : rx_pair[15:8]) : 8'hff;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rx_second_q <= 1'b0;
      enable_q    <= 1'b0;
      late_q      <= 6'd0;
    end else begin
      if (rx_valid) rx_second_q <= !rx_second_q && !twice_i;
      enable_q <= (state_q == Out) ? count_q >= t_wrck_i : state_q == OutEnd || flight_i;
      if (rx_valid || !flight_i) late_q <= 6'd0;
      else if (late_q != 6'(Patience)) late_q <= late_q + 6'd1;
    end
  end

  `ASSERT(NoneUninvited_A, !out_valid_o || flight_i)
  `ASSERT(OneDriver_A, wr_no || !dqs_oe_o)

endmodule
