// SDR cycles: WE# and RE# pulses, one byte each.
//
// Enters: one bus cycle or burst at a time, with gap_ok_i saying that what it waits for has passed.
// Leaves: the pins CLE, ALE, WE#, RE#, DQ, and captured bytes. CLE, ALE and DQ change as WE# falls,
// which gives them all of tWP as set-up (no ONFI mode asks for more), and come to rest tCH after it
// has risen. Read data are captured a set number of clocks after RE# has fallen, whether or not RE#
// has risen or fallen again by then, so EDO (modes 4 and 5) is a value of that number.
`include "prim_assert.svh"

module onfi_phy_sdr (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        active_i,   // a die is selected, in SDR
  input  logic [9:0]  t_wp_i,
  input  logic [9:0]  t_rp_i,
  input  logic [9:0]  t_cap_i,
  // The cycle
  input  logic        valid_i,
  output logic        ready_o,
  input  logic [2:0]  cycle_i,
  input  logic [7:0]  byte_i,
  input  logic [15:0] length_i,
  input  logic        early_i,    // bytes may arrive behind the end of their burst
  input  logic        gap_ok_i,
  input  logic        rest_i,     // tCH has passed since the last strobe
  output logic        begun_o,    // the burst goes on: the gap is the one inside it
  output logic        strobe_o,   // WE# or RE# rises with the next clock edge
  output logic        read_o,     // RE# is low
  output logic        quiet_o,    // strobes are high, and nothing is to be captured
  // Data
  input  logic        in_valid_i,
  input  logic [7:0]  in_data_i,
  output logic        in_pop_o,
  input  logic        room_i,
  output logic        issue_o,    // a byte has been asked for
  output logic        out_valid_o,
  output logic [7:0]  out_data_o,
  output logic        capture_o,   // DQ is taken with the next clock edge
  // Pins
  output logic        cle_o,
  output logic        ale_o,
  output logic        we_no,
  output logic        re_no,
  output logic [7:0]  dq_o,
  output logic        dq_oe_o,
  input  logic [7:0]  dq_i
);

  typedef enum logic [1:0] {Rest, Write, Read} state_e;

  state_e      state_q;
  state_e      state_d;
  logic [9:0]  count_q;  // clocks that the strobe stays low
  logic [9:0]  count_d;
  logic [15:0] left_q;   // bytes of the burst that have not begun
  logic [15:0] left_d;
  logic        begun_q;
  logic        begun_d;
  logic        cle_d;
  logic        ale_d;
  logic        we_nd;
  logic        re_nd;
  logic        oe_d;
  logic [7:0]  dq_d;
  logic        may_start;
  logic        start_write;
  logic        start_read;
  logic        is_in;
  logic        is_out;
  logic        last;
  logic        drained;
  logic [31:0] capture_q;  // bit k: capture in k clocks

  assign is_in       = cycle_i == onfi_pkg::CycleIn;
  assign is_out      = cycle_i == onfi_pkg::CycleOut;
  assign last        = begun_q ? left_q == 16'd1 : length_i == 16'd1;
  assign drained     = begun_q && left_q == 16'd0;
  assign may_start   = active_i && state_q == Rest && valid_i && gap_ok_i;
  assign start_write = may_start && (cycle_i == onfi_pkg::CycleCommand
                                     || cycle_i == onfi_pkg::CycleAddress
                                     || (is_in && in_valid_i));
  assign start_read  = may_start && is_out && room_i && !drained;
  assign in_pop_o    = start_write && is_in;
  assign issue_o     = start_read;
  assign ready_o     = (start_write && (!is_in || last))
                       || (active_i && valid_i && is_out && drained
                           && (early_i || (state_q == Rest && capture_q == 32'd0)));
  assign begun_o     = begun_q;
  assign read_o      = state_q == Read;
  assign strobe_o    = state_q != Rest && count_q == 10'd0;
  assign capture_o   = capture_q[0];
  assign quiet_o     = state_q == Rest && capture_q[31:1] == 31'd0;

  always_comb begin
    state_d = state_q;
    count_d = count_q;
    left_d  = left_q;
    begun_d = begun_q;
    cle_d   = cle_o;
    ale_d   = ale_o;
    we_nd   = we_no;
    re_nd   = re_no;
    oe_d    = dq_oe_o;
    dq_d    = dq_o;
    unique case (state_q)
      // Strobes are high.
      Rest: begin
        if (rest_i || !active_i) begin
          cle_d = 1'b0;
          ale_d = 1'b0;
          oe_d  = 1'b0;
        end
        if (start_write) begin
          we_nd   = 1'b0;
          cle_d   = cycle_i == onfi_pkg::CycleCommand;
          ale_d   = cycle_i == onfi_pkg::CycleAddress;
          oe_d    = 1'b1;
          dq_d    = is_in ? in_data_i : byte_i;
          count_d = t_wp_i - 10'd1;
          state_d = Write;
        end
        if (start_read) begin
          re_nd   = 1'b0;
          count_d = t_rp_i - 10'd1;
          state_d = Read;
        end
        if (in_pop_o || start_read) begin
          left_d  = (begun_q ? left_q : length_i) - 16'd1;
          begun_d = 1'b1;
        end
      end
      // WE# is low.
      Write: begin
        count_d = count_q - 10'd1;
        if (strobe_o) begin
          we_nd   = 1'b1;
          state_d = Rest;
        end
      end
      // RE# is low.
      Read: begin
        count_d = count_q - 10'd1;
        if (strobe_o) begin
          re_nd   = 1'b1;
          state_d = Rest;
        end
      end
      default: state_d = Rest;
    endcase
    if (ready_o) begun_d = 1'b0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= Rest;
      count_q   <= 10'd0;
      left_q    <= 16'd0;
      begun_q   <= 1'b0;
      cle_o     <= 1'b0;
      ale_o     <= 1'b0;
      we_no     <= 1'b1;
      re_no     <= 1'b1;
      dq_oe_o   <= 1'b0;
      dq_o      <= 8'h00;
    end else begin
      state_q   <= state_d;
      count_q   <= count_d;
      left_q    <= left_d;
      begun_q   <= begun_d;
      cle_o     <= cle_d;
      ale_o     <= ale_d;
      we_no     <= we_nd;
      re_no     <= re_nd;
      dq_oe_o   <= oe_d;
      dq_o      <= dq_d;
    end
  end

  // ---- Capture ----
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      capture_q   <= 32'd0;
      out_valid_o <= 1'b0;
    end else begin
      capture_q <= {1'b0, capture_q[31:1]}
                   | ({31'd0, start_read} << (t_cap_i[4:0] - 5'd1));
      out_valid_o <= capture_q[0];
    end
  end

  always_ff @(posedge clk_i) begin
    if (capture_q[0]) out_data_o <= dq_i;
  end

  `ASSERT(StrobesApart_A, we_no || re_no)
  `ASSERT(CaptureInReach_A, t_cap_i != 10'd0 && t_cap_i < 10'd32)

endmodule
