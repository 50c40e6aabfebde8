// Pins and timing of the channel.
//
// Enters: bus cycles, one at a time: select a die, command, address, burst in, burst out, release;
// each with what it has to wait for after the one before; and the timing of the selected die.
// Leaves: the pins, and the bytes that dies send. With cycles offered in time the bus is never
// slower than the timing registers demand.
//
// In SDR every pin changes with the rising edge of clk_i. In NV-DDR, DQ is delayed by half a clock
// (a register on the falling edge, as in a pad with DDR outputs); the rest is as in SDR. The two
// kinds of cycles have their own pins' registers; which of them drive is chosen while no die is
// selected.
`include "prim_assert.svh"

module onfi_phy #(
  parameter int N_DIES = 8
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic [19*10-1:0]          timing_i,
  // Cycles
  input  logic                      valid_i,
  output logic                      ready_o,
  input  logic [2:0]                cycle_i,
  input  logic [1:0]                gap_i,
  input  logic [7:0]                byte_i,
  input  logic [$clog2(N_DIES)-1:0] die_i,
  input  logic [15:0]               length_i,
  input  logic                      twice_i,
  input  logic                      early_i,     // a burst out may end before its bytes are here
  output logic                      missing_o,
  output logic                      arrived_o,   // all bytes asked for are here
  output logic                      rest_o,      // no die is selected, and all gaps have passed
  // Data
  input  logic [4:0]                in_count_i,
  input  logic [7:0]                in_data_i,
  output logic                      in_pop_o,
  input  logic [4:0]                out_free_i,
  output logic                      out_valid_o,
  output logic [7:0]                out_data_o,
  // Pins
  output logic [N_DIES-1:0]         ce_no,
  output logic                      cle_o,
  output logic                      ale_o,
  output logic                      we_no,
  output logic                      re_no,
  output logic [7:0]                dq_o,
  output logic                      dq_oe_o,
  input  logic [7:0]                dq_i,
  output logic                      dqs_o,
  output logic                      dqs_oe_o,
  input  logic                      dqs_i,
  output logic                      capture_o    // SDR: DQ is taken with the next clock edge
);

  localparam int TW = onfi_pkg::TimeWidth;

  logic [9:0] t_cs;
  logic [9:0] t_cr;
  logic [9:0] t_ch;
  logic [9:0] t_ceh;
  logic [9:0] t_rhw;
  logic [9:0] t_half;
  logic [9:0] t_free;

  assign t_cs   = timing_i[onfi_pkg::TimeCs*TW +: TW];
  assign t_cr   = timing_i[onfi_pkg::TimeCr*TW +: TW];
  assign t_ch   = timing_i[onfi_pkg::TimeCh*TW +: TW];
  assign t_ceh  = timing_i[onfi_pkg::TimeCeh*TW +: TW];
  assign t_rhw  = timing_i[onfi_pkg::TimeRhw*TW +: TW];
  assign t_half = timing_i[onfi_pkg::TimeHalf*TW +: TW];
  assign t_free = timing_i[onfi_pkg::TimeFree*TW +: TW];

  // ---- Chip enables ----
  logic              selected_q;
  logic              ddr_q;       // the pins are those of NV-DDR
  logic              is_ddr;
  logic              change;      // the pins change before CE# falls
  logic              select;
  logic              release_now;
  logic              sdr_active;
  logic              ddr_active;
  logic              sdr_ready;
  logic              ddr_ready;
  logic              sdr_quiet;
  logic              ddr_quiet;
  logic [9:0]        since_q;     // clocks since the last edge that latched, or CE#
  logic [9:0]        turn_q;      // clocks until a host may drive after a die did
  logic              first_q;     // no cycle since CE# fell
  logic              read_q;      // the last strobe was that of a read: CE# need not be held
  logic              sdr_read_q;  // the last read was one in SDR
  logic              hold;        // the die that was read last may drive still (its tCHZ)

  assign sdr_active  = selected_q && !ddr_q;
  assign ddr_active  = selected_q && ddr_q;
  assign is_ddr      = t_half != 10'd0;
  assign change      = valid_i && cycle_i == onfi_pkg::CycleSelect && !selected_q
                       && ddr_q != is_ddr;
  assign select      = valid_i && cycle_i == onfi_pkg::CycleSelect && !selected_q
                       && ddr_q == is_ddr && since_q >= t_ceh;
  assign release_now = valid_i && cycle_i == onfi_pkg::CycleRelease && selected_q
                       && (since_q >= t_ch || read_q) && (ddr_q ? ddr_quiet : sdr_quiet);
  assign ready_o     = select || release_now || sdr_ready || ddr_ready;
  assign rest_o      = !selected_q && since_q[9:5] != 5'd0 && turn_q == 10'd0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      selected_q <= 1'b0;
      ddr_q      <= 1'b0;
      ce_no      <= '1;
    end else if (select) begin
      selected_q   <= 1'b1;
      ce_no[die_i] <= 1'b0;
    end else if (release_now) begin
      selected_q <= 1'b0;
      ce_no      <= '1;
    end else if (change) begin
      ddr_q <= is_ddr;
    end
  end

  // ---- Gaps ----
  logic       sdr_strobe;
  logic       sdr_read;
  logic       ddr_strobe;
  logic       ddr_read;
  logic       ddr_turn;
  logic       begun;
  logic       sdr_begun;
  logic       ddr_begun;
  logic       is_out;
  logic [9:0] gap;
  logic       gap_ok;

  assign is_out = cycle_i == onfi_pkg::CycleOut;
  assign begun  = ddr_q ? ddr_begun : sdr_begun;

  always_comb begin
    unique case (gap_i)
      onfi_pkg::GapWhr: gap = timing_i[onfi_pkg::TimeWhr*TW +: TW];
      onfi_pkg::GapAdl: gap = timing_i[onfi_pkg::TimeAdl*TW +: TW];
      onfi_pkg::GapCcs: gap = is_out ? timing_i[onfi_pkg::TimeCcsR*TW +: TW]
                                     : timing_i[onfi_pkg::TimeCcsW*TW +: TW];
      default:          gap = timing_i[onfi_pkg::TimeNext*TW +: TW];
    endcase
    if (begun) begin
      gap = timing_i[onfi_pkg::TimeNext*TW +: TW];
      if (is_out) gap = timing_i[onfi_pkg::TimeReh*TW +: TW];
      if (ddr_q) gap = 10'd0;
    end
    if (first_q) gap = is_out ? t_cr : (ddr_q ? 10'd0 : t_cs);
  end

  assign hold   = is_out && first_q && sdr_read_q && turn_q != 10'd0;
  assign gap_ok = since_q >= gap && !hold && (is_out || turn_q == 10'd0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      since_q    <= 10'd1;
      turn_q     <= 10'd0;
      first_q    <= 1'b1;
      read_q     <= 1'b0;
      sdr_read_q <= 1'b0;
    end else begin
      if (since_q != '1) since_q <= since_q + 10'd1;
      if (turn_q != 10'd0) turn_q <= turn_q - 10'd1;
      if (select || release_now || change) begin
        since_q <= 10'd1;
        first_q <= 1'b1;
      end
      if (sdr_strobe || ddr_strobe) begin
        since_q <= 10'd1;
        first_q <= 1'b0;
        read_q  <= ddr_strobe ? ddr_read : sdr_read;
        if (ddr_strobe ? ddr_read : sdr_read) begin
          turn_q     <= t_rhw - 10'd1;
          sdr_read_q <= !ddr_strobe;
        end
      end
      if (ddr_turn && turn_q < t_free) turn_q <= t_free;
    end
  end

  // ---- Room for what dies send ----
  logic [4:0] flight_q;   // bytes asked for and not yet here
  logic       sdr_issue;
  logic [1:0] ddr_issue;
  logic       room;       // for two bytes more

  assign arrived_o = flight_q == 5'd0;
  assign room      = {1'b0, out_free_i} >= {1'b0, flight_q} + 6'd2;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) flight_q <= 5'd0;
    else flight_q <= flight_q + {3'd0, ddr_issue} + {4'd0, sdr_issue} - {4'd0, out_valid_o};
  end

  // ---- SDR ----
  logic       sdr_cle;
  logic       sdr_ale;
  logic       sdr_we_n;
  logic       sdr_re_n;
  logic [7:0] sdr_dq;
  logic       sdr_dq_oe;
  logic       sdr_in_pop;
  logic       sdr_out_valid;
  logic [7:0] sdr_out_data;

  onfi_phy_sdr u_sdr (
    .clk_i,
    .rst_ni,
    .active_i   (sdr_active),
    .t_wp_i     (timing_i[onfi_pkg::TimeWp*TW +: TW]),
    .t_rp_i     (timing_i[onfi_pkg::TimeRp*TW +: TW]),
    .t_cap_i    (timing_i[onfi_pkg::TimeCap*TW +: TW]),
    .valid_i,
    .ready_o    (sdr_ready),
    .cycle_i,
    .byte_i,
    .length_i,
    .early_i,
    .gap_ok_i   (gap_ok),
    .rest_i     (since_q >= t_ch),
    .begun_o    (sdr_begun),
    .strobe_o   (sdr_strobe),
    .read_o     (sdr_read),
    .quiet_o    (sdr_quiet),
    .in_valid_i (in_count_i != 5'd0),
    .in_data_i,
    .in_pop_o   (sdr_in_pop),
    .room_i     (room),
    .issue_o    (sdr_issue),
    .out_valid_o(sdr_out_valid),
    .out_data_o (sdr_out_data),
    .capture_o,
    .cle_o      (sdr_cle),
    .ale_o      (sdr_ale),
    .we_no      (sdr_we_n),
    .re_no      (sdr_re_n),
    .dq_o       (sdr_dq),
    .dq_oe_o    (sdr_dq_oe),
    .dq_i
  );

  // ---- NV-DDR ----
  logic       ddr_cle;
  logic       ddr_ale;
  logic       ddr_clk;
  logic       ddr_wr_n;
  logic [7:0] ddr_dq;
  logic       ddr_dq_oe;
  logic       ddr_in_pop;
  logic       ddr_out_valid;
  logic [7:0] ddr_out_data;

  logic       ddr_valid;

  assign ddr_valid = valid_i && ddr_active && !hold;

  onfi_phy_ddr u_ddr (
    .clk_i,
    .rst_ni,
    .active_i   (ddr_active),
    .t_half_i   (t_half),
    .t_cs_i     (t_cs),
    .t_ch_i     (t_ch),
    .t_wrck_i   (timing_i[onfi_pkg::TimeWrck*TW +: TW]),
    .t_ckwr_i   (timing_i[onfi_pkg::TimeCkwr*TW +: TW]),
    .valid_i    (ddr_valid),
    .ready_o    (ddr_ready),
    .cycle_i,
    .byte_i,
    .length_i,
    .twice_i,
    .early_i,
    .gap_ok_i   (gap_ok),
    .since_i    (since_q),
    .begun_o    (ddr_begun),
    .strobe_o   (ddr_strobe),
    .read_o     (ddr_read),
    .turn_o     (ddr_turn),
    .quiet_o    (ddr_quiet),
    .missing_o,
    .in_count_i,
    .in_data_i,
    .in_pop_o   (ddr_in_pop),
    .room_i     (room),
    .issue_o    (ddr_issue),
    .flight_i   (ddr_q && !arrived_o),
    .out_valid_o(ddr_out_valid),
    .out_data_o (ddr_out_data),
    .cle_o      (ddr_cle),
    .ale_o      (ddr_ale),
    .clk_o      (ddr_clk),
    .wr_no      (ddr_wr_n),
    .dq_o       (ddr_dq),
    .dq_oe_o    (ddr_dq_oe),
    .dqs_o,
    .dqs_oe_o,
    .dq_i,
    .dqs_i
  );

  // ---- Pins ----
  logic [7:0] late_dq_q;     // half a clock later
  logic       late_dq_oe_q;

  always_ff @(negedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      late_dq_q    <= 8'h00;
      late_dq_oe_q <= 1'b0;
    end else begin
      late_dq_q    <= ddr_dq;
      late_dq_oe_q <= ddr_dq_oe;
    end
  end

  assign cle_o       = ddr_q ? ddr_cle : sdr_cle;
  assign ale_o       = ddr_q ? ddr_ale : sdr_ale;
  assign we_no       = ddr_q ? ddr_clk : sdr_we_n;
  assign re_no       = ddr_q ? ddr_wr_n : sdr_re_n;
  assign dq_o        = ddr_q ? late_dq_q : sdr_dq;
  assign dq_oe_o     = ddr_q ? late_dq_oe_q : sdr_dq_oe;
  assign in_pop_o    = sdr_in_pop || ddr_in_pop;
  assign out_valid_o = sdr_out_valid || ddr_out_valid;
  assign out_data_o  = sdr_out_valid ? sdr_out_data : ddr_out_data;

  `ASSERT(OneDieAtATime_A, (~ce_no & (~ce_no - 1'b1)) == '0)
  `ASSERT(NoContention_A, !(dq_oe_o && !re_no))

endmodule
