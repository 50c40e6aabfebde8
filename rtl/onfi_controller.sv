// ONFI channel controller: operations on up to N_DIES dies over one bus.
//
// Enters: operations (code of onfi_pkg::form, die, row, column, length in bytes, tag), data for
// those that have some, and writes of the timing registers (onfi_timing). Leaves: one completion
// for each operation, data that dies send, and the pins. All streams are valid/ready.
//
// Operations of one die run in their order, but for FFh and FCh, which end what the die was asked
// for before; those of different dies overlap, and their completions come as they end. A die gives
// the bus away while it is busy. An operation takes its data when it has the bus: the data stream
// offers bursts in an order of its choice, each after its command has been taken, and well where
// ask_tag_o is the next to be served; bytes whose tag no operation waits for are thrown away. A
// completion may come before the last bytes of its data have left.
//
// clk_i is twice CLK of NV-DDR or faster (see onfi_phy_ddr); dqs_i is DQS behind the delay line
// (onfi_strobe); capture_o enables the pads' input registers in SDR. For the pins of NV-DDR, we_no
// is CLK and re_no is W/R#.
`include "prim_assert.svh"

module onfi_controller #(
  parameter int N_DIES  = 8,
  parameter int N_BANKS = 4,  // timing modes in use at a time
  parameter int QUEUE   = 2,  // operations queued per die
  parameter int TAG_W   = 6
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // Operations
  input  logic              cmd_valid_i,
  output logic              cmd_ready_o,
  input  logic [7:0]        cmd_op_i,
  input  logic [7:0]        cmd_die_i,
  input  logic [23:0]       cmd_row_i,
  input  logic [15:0]       cmd_column_i,
  input  logic [15:0]       cmd_length_i,
  input  logic [TAG_W-1:0]  cmd_tag_i,
  // Data into dies
  input  logic              s_valid_i,
  output logic              s_ready_o,
  input  logic [7:0]        s_data_i,
  input  logic [TAG_W-1:0]  s_tag_i,
  output logic              ask_valid_o,    // a die could take data: those of this tag
  output logic [TAG_W-1:0]  ask_tag_o,
  // Data out of dies
  output logic              m_valid_o,
  input  logic              m_ready_i,
  output logic [7:0]        m_data_o,
  output logic [TAG_W-1:0]  m_tag_o,
  output logic              m_last_o,
  // Completions
  output logic              cpl_valid_o,
  input  logic              cpl_ready_i,
  output logic [TAG_W-1:0]  cpl_tag_o,
  output logic [1:0]        cpl_outcome_o,
  output logic [7:0]        cpl_status_o,
  output logic [31:0]       cpl_started_o,   // clk_i counted from reset
  output logic [31:0]       cpl_finished_o,
  // Registers
  input  logic              reg_write_i,
  input  logic [8:0]        reg_addr_i,
  input  logic [15:0]       reg_data_i,
  // Time (onfi_watchdog)
  input  logic              skip_i,
  input  logic [31:0]       skip_clocks_i,
  output logic              quiet_o,
  output logic              wake_valid_o,
  output logic [31:0]       wake_o,
  output logic [31:0]       now_o,
  // Pins
  output logic [N_DIES-1:0] ce_no,
  output logic              cle_o,
  output logic              ale_o,
  output logic              we_no,
  output logic              re_no,
  output logic              wp_no,
  output logic [7:0]        dq_o,
  output logic              dq_oe_o,
  input  logic [7:0]        dq_i,
  output logic              dqs_o,
  output logic              dqs_oe_o,
  input  logic              dqs_i,
  output logic              capture_o,
  input  logic [N_DIES-1:0] rb_ni
);

  localparam int DW   = $clog2(N_DIES);
  localparam int CW   = $clog2(N_DIES + 1);
  localparam int WORD = TAG_W + 61;
  localparam int TW   = onfi_pkg::TimeCount * onfi_pkg::TimeWidth;

  // ---- Registers and time ----
  logic [N_DIES-1:0]    to_bank_0;
  logic [1:0]           bank;
  logic [TW-1:0]        timing;
  logic [2*N_DIES-1:0]  banks;
  logic [N_BANKS-1:0]   ddr;
  logic [2:0]           limit;
  logic [15:0]          limit_clocks;
  logic                 poll;
  logic                 enhanced;
  logic                 protect;
  logic [15:0]          interval;
  logic [N_DIES-1:0]    waiting;
  logic [32*N_DIES-1:0] deadlines;
  logic                 still;
  logic [N_DIES-1:0]    expire;

  onfi_timing #(
    .N_DIES (N_DIES),
    .N_BANKS(N_BANKS)
  ) u_timing (
    .clk_i,
    .rst_ni,
    .write_i   (reg_write_i),
    .addr_i    (reg_addr_i),
    .data_i    (reg_data_i),
    .reset_i   (to_bank_0),
    .bank_i    (bank),
    .timing_o  (timing),
    .banks_o   (banks),
    .ddr_o     (ddr),
    .limit_i   (limit),
    .limit_o   (limit_clocks),
    .poll_o    (poll),
    .enhanced_o(enhanced),
    .protect_o (protect),
    .interval_o(interval)
  );

  onfi_watchdog #(
    .N_DIES(N_DIES)
  ) u_watchdog (
    .clk_i,
    .rst_ni,
    .skip_i,
    .skip_clocks_i,
    .waiting_i   (waiting),
    .deadlines_i (deadlines),
    .still_i     (still),
    .now_o,
    .expire_o    (expire),
    .quiet_o,
    .wake_valid_o,
    .wake_o
  );

  // ---- Operations in ----
  logic [onfi_pkg::FormWidth-1:0] form;
  logic                           has_data;
  logic                           takes_data;
  logic                           in_ddr;      // the die's timing is an NV-DDR one
  logic                           is_reset;    // goes before what its die was asked for
  logic                           refused;
  logic                           full;
  logic [N_DIES-1:0]              fulls;
  logic [N_DIES-1:0]              push;
  logic                           refusal_q;   // a refusal waits to be completed
  logic [TAG_W-1:0]               refusal_tag_q;
  logic                           refusal_taken;

  assign form       = onfi_pkg::form(cmd_op_i);
  assign has_data   = form[17:15] != onfi_pkg::DataNone;
  assign is_reset   = cmd_op_i[4:0] == onfi_pkg::OpReset
                      || cmd_op_i[4:0] == onfi_pkg::OpSynchronousReset;
  assign takes_data = form[17:15] == onfi_pkg::DataInAdl || form[17:15] == onfi_pkg::DataInCcs;

  always_comb begin
    in_ddr = 1'b0;
    full   = 1'b0;
    for (int d = 0; d < N_DIES; d++) begin
      if (cmd_die_i == 8'(d)) begin
        full = fulls[d];
        for (int b = 0; b < N_BANKS; b++) begin
          if (banks[2*d +: 2] == 2'(b)) in_ddr = ddr[b];
        end
      end
    end
  end

  // Array data cross an NV-DDR bus in pairs.
  assign refused = !form[29] || cmd_die_i >= 8'(N_DIES) || (has_data && cmd_length_i == 16'd0)
                   || (in_ddr && has_data && !form[0] && cmd_op_i[4:0] != onfi_pkg::OpRaw
                       && (cmd_length_i[0] || cmd_column_i[0]));
  assign cmd_ready_o = refused ? !refusal_q : !full;

  always_comb begin
    for (int d = 0; d < N_DIES; d++) begin
      push[d] = cmd_valid_i && !refused && !fulls[d] && cmd_die_i == 8'(d);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) refusal_q <= 1'b0;
    else if (cmd_valid_i && refused && !refusal_q) refusal_q <= 1'b1;
    else if (refusal_taken) refusal_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (cmd_valid_i && refused && !refusal_q) refusal_tag_q <= cmd_tag_i;
  end

  // ---- Dies ----
  logic [N_DIES*WORD-1:0] heads;
  logic [N_DIES-1:0]      want;
  logic [2*N_DIES-1:0]    visits;
  logic [N_DIES-1:0]      wants_in;
  logic [N_DIES-1:0]      brief;
  logic [N_DIES-1:0]      grant;
  logic [N_DIES-1:0]      leave;
  logic [1:0]             leave_how;
  logic [1:0]             outcome;
  logic [7:0]             status;
  logic [31:0]            deadline;
  logic [N_DIES-1:0]      stills;
  logic [N_DIES-1:0]      done;
  logic [N_DIES-1:0]      taken;
  logic [2*N_DIES-1:0]    outcomes;
  logic [8*N_DIES-1:0]    statuses;
  logic [32*N_DIES-1:0]   started;
  logic [32*N_DIES-1:0]   finished;

  for (genvar d = 0; d < N_DIES; d++) begin : gen_dies
    onfi_slot #(
      .QUEUE(QUEUE),
      .WORD (WORD)
    ) u_slot (
      .clk_i,
      .rst_ni,
      .push_i     (push[d]),
      .push_data_i({cmd_tag_i, cmd_length_i, cmd_row_i, cmd_column_i, cmd_op_i[4:0]}),
      .push_reset_i(is_reset),
      .full_o     (fulls[d]),
      .head_o     (heads[d*WORD +: WORD]),
      .want_o     (want[d]),
      .visit_o    (visits[2*d +: 2]),
      .wants_in_o (wants_in[d]),
      .brief_o    (brief[d]),
      .grant_i    (grant[d]),
      .leave_i    (leave[d]),
      .leave_how_i(leave_how),
      .outcome_i  (outcome),
      .status_i   (status),
      .settle_i   (timing[onfi_pkg::TimeWb*onfi_pkg::TimeWidth +: onfi_pkg::TimeWidth]),
      .deadline_i (deadline),
      .rb_ni      (rb_ni[d]),
      .poll_i     (poll),
      .interval_i (interval),
      .expire_i   (expire[d]),
      .waiting_o  (waiting[d]),
      .deadline_o (deadlines[32*d +: 32]),
      .still_o    (stills[d]),
      .now_i      (now_o),
      .done_o     (done[d]),
      .outcome_o  (outcomes[2*d +: 2]),
      .status_o   (statuses[8*d +: 8]),
      .started_o  (started[32*d +: 32]),
      .finished_o (finished[32*d +: 32]),
      .taken_i    (taken[d])
    );
  end

  // ---- Bus ----
  logic          idle;
  logic          at_rest;
  logic          s_take;
  logic          m_push;
  logic          m_push_last;
  logic [4:0]    m_count;
  logic          cycle_valid;
  logic          cycle_ready;
  logic [2:0]    cycle;
  logic [1:0]    gap;
  logic [7:0]    cycle_byte;
  logic [DW-1:0] die;
  logic [15:0]   length;
  logic          twice;
  logic          early;
  logic          missing;
  logic          arrived;
  logic [4:0]    in_count;
  logic [7:0]    in_data;
  logic          in_pop;
  logic          out_valid;
  logic [7:0]    out_data;
  logic          bus_ddr;   // the die that has the bus talks NV-DDR

  assign bus_ddr = timing[onfi_pkg::TimeHalf*onfi_pkg::TimeWidth +: onfi_pkg::TimeWidth]
                   != 10'd0;

  onfi_sequencer #(
    .N_DIES(N_DIES),
    .TAG_W (TAG_W),
    .WORD  (WORD)
  ) u_sequencer (
    .clk_i,
    .rst_ni,
    .want_i     (want),
    .visits_i   (visits),
    .wants_in_i (wants_in),
    .brief_i    (brief),
    .heads_i    (heads),
    .grant_o    (grant),
    .leave_o    (leave),
    .leave_how_o(leave_how),
    .outcome_o  (outcome),
    .status_o   (status),
    .deadline_o (deadline),
    .reset_o    (to_bank_0),
    .idle_o     (idle),
    .now_i      (now_o),
    .limit_o    (limit),
    .limit_clocks_i(limit_clocks),
    .enhanced_i (enhanced),
    .ddr_i      (bus_ddr),
    .s_valid_i,
    .s_tag_i,
    .s_data_i,
    .s_take_o   (s_take),
    .ask_valid_o,
    .ask_tag_o,
    .m_push_o   (m_push),
    .m_last_o   (m_push_last),
    .m_tag_o,
    .m_count_i  (m_count),
    .valid_o    (cycle_valid),
    .ready_i    (cycle_ready),
    .cycle_o    (cycle),
    .gap_o      (gap),
    .byte_o     (cycle_byte),
    .die_o      (die),
    .length_o   (length),
    .twice_o    (twice),
    .early_o    (early),
    .missing_i  (missing),
    .arrived_i  (arrived),
    .in_count_o (in_count),
    .in_data_o  (in_data),
    .in_pop_i   (in_pop),
    .out_valid_i(out_valid),
    .out_data_i (out_data)
  );

  // A die is chosen two clocks before its timing is needed, so the choice has a register here that
  // drives nothing else.
  logic [DW-1:0] timed_die_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) timed_die_q <= '0;
    else timed_die_q <= die;
  end

  always_comb begin
    bank = banks[1:0];
    for (int d = 1; d < N_DIES; d++) begin
      if (timed_die_q == DW'(d)) bank = banks[2*d +: 2];
    end
  end

  onfi_phy #(
    .N_DIES(N_DIES)
  ) u_phy (
    .clk_i,
    .rst_ni,
    .timing_i   (timing),
    .valid_i    (cycle_valid),
    .ready_o    (cycle_ready),
    .cycle_i    (cycle),
    .gap_i      (gap),
    .byte_i     (cycle_byte),
    .die_i      (die),
    .length_i   (length),
    .twice_i    (twice),
    .early_i    (early),
    .missing_o  (missing),
    .arrived_o  (arrived),
    .rest_o     (at_rest),
    .in_count_i (in_count),
    .in_data_i  (in_data),
    .in_pop_o   (in_pop),
    .out_free_i (5'd16 - m_count),
    .out_valid_o(out_valid),
    .out_data_o (out_data),
    .ce_no,
    .cle_o,
    .ale_o,
    .we_no,
    .re_no,
    .dq_o,
    .dq_oe_o,
    .dq_i,
    .dqs_o,
    .dqs_oe_o,
    .dqs_i,
    .capture_o
  );

  assign wp_no = !protect;

  // ---- Data streams ----
  logic [(1<<TAG_W)-1:0] wanted_q;  // tags of operations under way that take data

  onfi_fifo #(
    .WIDTH(9),
    .DEPTH(16)
  ) u_out (
    .clk_i,
    .rst_ni,
    .push_i (m_push),
    .data_i ({m_push_last, out_data}),
    .pop_i  (m_valid_o && m_ready_i),
    .data_o ({m_last_o, m_data_o}),
    .count_o(m_count)
  );

  assign m_valid_o = m_count != 5'd0;
  assign s_ready_o = s_take || (s_valid_i && !wanted_q[s_tag_i]);

  // ---- Completions ----
  logic [N_DIES:0]   requests;
  logic              any;
  logic [CW-1:0]     which;
  logic              take;
  logic              cpl_valid_q;
  logic [TAG_W-1:0]  cpl_tag_q;
  logic [1:0]        cpl_outcome_q;
  logic [7:0]        cpl_status_q;
  logic [31:0]       cpl_started_q;
  logic [31:0]       cpl_finished_q;

  assign requests      = {refusal_q, done};
  assign take          = any && (!cpl_valid_q || cpl_ready_i);
  assign refusal_taken = take && which == CW'(N_DIES);

  onfi_rotate #(
    .N(N_DIES + 1)
  ) u_rotate (
    .clk_i,
    .rst_ni,
    .requests_i(requests),
    .taken_i   (take),
    .taken_index_i(which),
    .valid_o   (any),
    .index_o   (which)
  );

  always_comb begin
    for (int d = 0; d < N_DIES; d++) taken[d] = take && which == CW'(d);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cpl_valid_q <= 1'b0;
      wanted_q    <= '0;
    end else begin
      if (take) cpl_valid_q <= 1'b1;
      else if (cpl_ready_i) cpl_valid_q <= 1'b0;
      for (int d = 0; d < N_DIES; d++) begin
        if (taken[d]) wanted_q[heads[d*WORD + 61 +: TAG_W]] <= 1'b0;
      end
      if (push != '0 && takes_data) wanted_q[cmd_tag_i] <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      cpl_tag_q      <= refusal_tag_q;
      cpl_outcome_q  <= onfi_pkg::OutcomeRefused;
      cpl_status_q   <= 8'h00;
      cpl_started_q  <= now_o;
      cpl_finished_q <= now_o;
      for (int d = 0; d < N_DIES; d++) begin
        if (taken[d]) begin
          cpl_tag_q      <= heads[d*WORD + 61 +: TAG_W];
          cpl_outcome_q  <= outcomes[2*d +: 2];
          cpl_status_q   <= statuses[8*d +: 8];
          cpl_started_q  <= started[32*d +: 32];
          cpl_finished_q <= finished[32*d +: 32];
        end
      end
    end
  end

  assign cpl_valid_o    = cpl_valid_q;
  assign cpl_tag_o      = cpl_tag_q;
  assign cpl_outcome_o  = cpl_outcome_q;
  assign cpl_status_o   = cpl_status_q;
  assign cpl_started_o  = cpl_started_q;
  assign cpl_finished_o = cpl_finished_q;

  // ---- Nothing to do ----
  assign still = (&stills) && idle && at_rest && m_count == 5'd0 && !cpl_valid_q && !refusal_q
                 && !(cmd_valid_i && cmd_ready_o) && !(s_valid_i && s_ready_o) && !reg_write_i;

  `ASSERT_INIT(DiesInRange_A, N_DIES > 1 && N_DIES <= 16)

endmodule
