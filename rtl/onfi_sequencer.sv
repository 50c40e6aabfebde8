// Serves one die after another on the shared bus, an operation's line of the table at a time.
//
// Enters: the dies' requests and the operations in front of them; bytes of the data stream. Leaves:
// bus cycles for onfi_phy, bytes that dies send, and how each visit of the bus ended.
//
// A request that needs data from the stream waits until the stream offers those of its tag. A visit
// ends with the operation, or where the die becomes busy.
`include "prim_assert.svh"

module onfi_sequencer #(
  parameter int N_DIES = 8,
  parameter int TAG_W  = 6,
  parameter int TIME_W = 32,
  parameter int WORD   = 67
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  // Requests
  input  logic [N_DIES-1:0]         want_i,
  input  logic [2*N_DIES-1:0]       visits_i,
  input  logic [N_DIES-1:0]         wants_in_i,
  input  logic [N_DIES-1:0]         brief_i,
  input  logic [N_DIES*WORD-1:0]    heads_i,
  output logic [N_DIES-1:0]         grant_o,
  output logic [N_DIES-1:0]         leave_o,
  output logic [1:0]                leave_how_o,
  output logic [1:0]                outcome_o,
  output logic [7:0]                status_o,
  output logic [TIME_W-1:0]         deadline_o,
  output logic [N_DIES-1:0]         reset_o,     // FFh has gone to this die
  output logic                      idle_o,
  // Settings
  input  logic [TIME_W-1:0]         now_i,
  output logic [2:0]                limit_o,     // which time-out the visit ends with
  input  logic [15:0]               limit_clocks_i,
  input  logic                      enhanced_i,
  input  logic                      ddr_i,       // of the die that has the bus
  // Data in
  input  logic                      s_valid_i,
  input  logic [TAG_W-1:0]          s_tag_i,
  input  logic [7:0]                s_data_i,
  output logic                      s_take_o,
  output logic                      ask_valid_o,
  output logic [TAG_W-1:0]          ask_tag_o,
  // Data out
  output logic                      m_push_o,
  output logic                      m_last_o,
  output logic [TAG_W-1:0]          m_tag_o,
  input  logic [4:0]                m_count_i,
  // Bus cycles
  output logic                      valid_o,
  input  logic                      ready_i,
  output logic [2:0]                cycle_o,
  output logic [1:0]                gap_o,
  output logic [7:0]                byte_o,
  output logic [$clog2(N_DIES)-1:0] die_o,
  output logic [15:0]               length_o,
  output logic                      twice_o,
  output logic                      early_o,
  input  logic                      missing_i,
  input  logic                      arrived_i,
  output logic [4:0]                in_count_o,
  output logic [7:0]                in_data_o,
  input  logic                      in_pop_i,
  input  logic                      out_valid_i,
  input  logic [7:0]                out_data_i
);

  localparam int DW = $clog2(N_DIES);

  typedef enum logic [4:0] {
    Idle, Load, Select, First, Addr, DataIn, Confirm, DataOut, StatusCommand, StatusAddr,
    StatusRead, StatusLook, Return, RawFetch, RawRun, Release, Leave
  } state_e;

  // ---- Choice of the next die ----
  logic            any;
  logic            take;
  logic            load;
  logic [WORD-1:0] head;
  logic [1:0]      head_visit;

  onfi_choice #(
    .N_DIES(N_DIES),
    .TAG_W (TAG_W),
    .WORD  (WORD)
  ) u_choice (
    .clk_i,
    .rst_ni,
    .want_i,
    .wants_in_i,
    .brief_i,
    .visits_i,
    .heads_i,
    .s_valid_i,
    .s_tag_i,
    .take_i     (take),
    .valid_o    (any),
    .grant_o,
    .die_o,
    .head_o     (head),
    .visit_o    (head_visit),
    .ask_valid_o,
    .ask_tag_o
  );

  // ---- The operation on the bus ----
  state_e                         state_q;
  state_e                         state_d;
  logic [1:0]                     visit_q;
  logic [TAG_W-1:0]               tag_q;
  logic [15:0]                    length_q;
  logic [39:0]                    where_q;    // row, column
  logic [4:0]                     op_q;
  logic [onfi_pkg::FormWidth-1:0] form;
  logic [7:0]                     first;
  logic [2:0]                     address;
  logic [2:0]                     data;
  logic                           confirms;
  logic [7:0]                     confirm;
  logic [1:0]                     busy;
  logic                           raw;
  logic                           data_in;
  logic                           data_out_now;  // before a busy time, if there is one
  logic                           by_row;        // the status is read with 78h

  assign form         = onfi_pkg::form({3'd0, op_q});
  assign first        = form[28:21];
  assign address      = form[20:18];
  assign data         = form[17:15];
  assign confirms     = form[14];
  assign confirm      = form[13:6];
  assign busy         = form[5:4];
  assign raw          = op_q == onfi_pkg::OpRaw;
  assign data_in      = data == onfi_pkg::DataInAdl || data == onfi_pkg::DataInCcs;
  assign data_out_now = data == onfi_pkg::DataOutWhr || data == onfi_pkg::DataOutCcs;
  assign by_row       = enhanced_i && address != onfi_pkg::AddrByte && first < 8'hf0;
  assign take         = state_q == Idle && any;
  assign load         = state_q == Load;

  always_ff @(posedge clk_i) begin
    if (load) begin
      visit_q                          <= head_visit;
      {tag_q, length_q, where_q, op_q} <= head;
    end
  end

  // ---- Address bytes, lowest first ----
  logic [39:0] shift_q;
  logic [2:0]  bytes_q;
  logic        status_addr;

  assign status_addr = state_q == StatusCommand;

  always_ff @(posedge clk_i) begin
    if ((state_q == First || status_addr) && ready_i) begin
      shift_q <= {16'd0, where_q[39:16]};
      bytes_q <= 3'd3;
      if (!status_addr && address == onfi_pkg::AddrByte) bytes_q <= 3'd1;
      if (!status_addr && (address == onfi_pkg::AddrFull || address == onfi_pkg::AddrCol)) begin
        shift_q <= where_q;
        bytes_q <= (address == onfi_pkg::AddrFull) ? 3'd5 : 3'd2;
      end
    end else if ((state_q == Addr || state_q == StatusAddr) && ready_i) begin
      shift_q <= {8'd0, shift_q[39:8]};
      bytes_q <= bytes_q - 3'd1;
    end
  end

  // ---- Raw sequences ----
  logic [7:0]  code;
  logic [7:0]  argument;
  logic [15:0] raw_length;
  logic [15:0] raw_left;
  logic        raw_fetch;
  logic        raw_data_pop;
  logic        raw_ask;
  logic        raw_pop;
  logic        raw_run;
  logic        raw_end;
  logic        raw_bad;    // unknown, more data than the sequence has, or half a pair of them

  assign raw_bad      = code[3:0] < onfi_pkg::RawCommand || code[3:0] > onfi_pkg::RawStatus
                        || (code[3:0] == onfi_pkg::RawDataIn && raw_length > raw_left)
                        || (ddr_i && raw_length[0] && !code[6] && (code[3:0] == onfi_pkg::RawDataIn
                            || code[3:0] == onfi_pkg::RawDataOut));
  assign raw_fetch    = state_q == RawFetch;
  assign raw_data_pop = raw && state_q == DataIn && in_pop_i;

  onfi_raw u_raw (
    .clk_i,
    .rst_ni,
    .start_i   (load && head_visit == onfi_pkg::VisitIssue),
    .bytes_i   (head[60:45]),
    .fetch_i   (raw_fetch),
    .valid_i   (in_count_o != 5'd0),
    .data_i    (in_data_o),
    .data_pop_i(raw_data_pop),
    .ask_o     (raw_ask),
    .pop_o     (raw_pop),
    .run_o     (raw_run),
    .end_o     (raw_end),
    .left_o    (raw_left),
    .code_o    (code),
    .argument_o(argument),
    .length_o  (raw_length)
  );

  // ---- Steps ----
  logic       after_addr;
  logic       judged;  // the status that ends the visit decides
  logic [1:0] verdict;
  logic [1:0] how_q;
  logic [1:0] how_d;
  logic [1:0] outcome_q;
  logic [1:0] outcome_d;
  logic [7:0] status_q;
  logic [2:0] limit_q;
  logic [2:0] limit_d;

  assign after_addr = (state_q == First && address == onfi_pkg::AddrNone)
                      || (state_q == Addr && bytes_q == 3'd1);
  assign judged     = visit_q == onfi_pkg::VisitFinish && busy == onfi_pkg::BusyStatus && !raw;

  // FAIL counts once the array is idle; FAILC, of the page before, after a program. A die that is
  // busy by its status and ready by R/B# tells nothing.
  always_comb begin
    verdict = outcome_q;
    if (outcome_q == onfi_pkg::OutcomeDone) begin
      if (!status_q[6]) verdict = onfi_pkg::OutcomeTimedOut;
      else if (status_q[0] && status_q[5]) verdict = onfi_pkg::OutcomeFailed;
      else if (status_q[1] && confirm[7:4] == 4'h1) verdict = onfi_pkg::OutcomeFailed;
    end
  end

  always_comb begin
    state_d   = state_q;
    how_d     = how_q;
    outcome_d = outcome_q;
    limit_d   = limit_q;
    unique case (state_q)
      // A die may have the bus.
      Idle: begin
        how_d     = onfi_pkg::LeaveDone;
        outcome_d = onfi_pkg::OutcomeDone;
        if (any) state_d = Load;
      end
      Load: state_d = Select;
      // CE# falls.
      Select: begin
        limit_d = form[3:1];
        if (ready_i) begin
          state_d = DataOut;
          if (raw) state_d = RawFetch;
          else if (visit_q == onfi_pkg::VisitIssue) state_d = First;
          else if (visit_q == onfi_pkg::VisitPoll || judged) state_d = StatusCommand;
        end
      end
      // First command and addresses.
      First, Addr: begin
        if (ready_i && after_addr) begin
          if (data_in) state_d = DataIn;
          else if (confirms) state_d = Confirm;
          else if (data_out_now) state_d = DataOut;
          else state_d = Release;
        end else if (ready_i) begin
          state_d = Addr;
        end
        if (busy != onfi_pkg::BusyNone) how_d = onfi_pkg::LeaveBusy;
      end
      // Data into the die.
      DataIn: begin
        if (ready_i && raw) state_d = RawFetch;
        else if (ready_i && confirms) state_d = Confirm;
        else if (ready_i) state_d = Release;
      end
      // Confirming command.
      Confirm: begin
        if (ready_i && data_out_now) state_d = DataOut;
        else if (ready_i) state_d = Release;
      end
      // Data out of the die, into the stream.
      DataOut: begin
        if (ready_i && raw) state_d = RawFetch;
        else if (ready_i) state_d = Release;
      end
      // 70h, or 78h and a row.
      StatusCommand, StatusAddr: begin
        if (ready_i && status_addr && by_row) state_d = StatusAddr;
        else if (ready_i && (status_addr || bytes_q == 3'd1)) state_d = StatusRead;
      end
      StatusRead: begin
        if (ready_i && judged) state_d = Release;
        else if (ready_i) state_d = StatusLook;
      end
      // What the status says, of a poll or a raw sequence.
      StatusLook: begin
        state_d = Release;
        if (raw) begin
          state_d = RawFetch;
          if (status_q[6:5] == 2'b11 && status_q[0]) outcome_d = onfi_pkg::OutcomeFailed;
        end else if (!status_q[6] && outcome_q == onfi_pkg::OutcomeDone) begin
          how_d = onfi_pkg::LeaveAgain;
        end else if (busy == onfi_pkg::BusyStatus) begin
          outcome_d = verdict;
        end else if (data == onfi_pkg::DataOutReady && outcome_q == onfi_pkg::OutcomeDone) begin
          state_d = Return;
        end
      end
      // 00h: data follow again instead of the status.
      Return: begin
        if (ready_i) state_d = DataOut;
      end
      // The next instruction of a raw sequence.
      RawFetch: begin
        how_d = onfi_pkg::LeaveDone;
        if (raw_end) state_d = Release;
        else if (raw_run) state_d = RawRun;
      end
      RawRun: begin
        unique case (code[3:0])
          onfi_pkg::RawCommand,
          onfi_pkg::RawAddress: if (ready_i) state_d = RawFetch;
          onfi_pkg::RawDataIn:  state_d = DataIn;
          onfi_pkg::RawDataOut: state_d = DataOut;
          onfi_pkg::RawStatus:  state_d = StatusRead;
          onfi_pkg::RawWait: begin
            how_d   = onfi_pkg::LeaveBusy;
            limit_d = argument[2:0];
            state_d = Release;
          end
          default:              state_d = Release;
        endcase
        if (raw_bad) begin
          outcome_d = onfi_pkg::OutcomeRefused;
          state_d   = Release;
        end
      end
      // CE# rises.
      Release: begin
        if (ready_i) state_d = Leave;
      end
      // The last byte arrives.
      Leave: begin
        if (arrived_i) state_d = Idle;
      end
      default: state_d = Idle;
    endcase
    if (missing_i) outcome_d = onfi_pkg::OutcomeTimedOut;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= Idle;
      how_q     <= onfi_pkg::LeaveDone;
      outcome_q <= onfi_pkg::OutcomeDone;
      limit_q   <= onfi_pkg::LimitShort;
    end else begin
      state_q   <= state_d;
      how_q     <= how_d;
      outcome_q <= outcome_d;
      limit_q   <= limit_d;
    end
  end

  // ---- Bus cycles ----
  logic out_open_q;  // the stream's last burst has left, so a new one may begin

  always_comb begin
    valid_o  = 1'b1;
    cycle_o  = onfi_pkg::CycleCommand;
    gap_o    = onfi_pkg::GapNext;
    byte_o   = first;
    length_o = length_q;
    twice_o  = form[0];
    unique case (state_q)
      Select:        cycle_o = onfi_pkg::CycleSelect;
      Addr, StatusAddr: begin
        cycle_o = onfi_pkg::CycleAddress;
        byte_o  = shift_q[7:0];
      end
      DataIn: begin
        cycle_o = onfi_pkg::CycleIn;
        gap_o   = (data == onfi_pkg::DataInCcs) ? onfi_pkg::GapCcs : onfi_pkg::GapAdl;
      end
      Confirm:       byte_o = confirm;
      DataOut: begin
        valid_o = out_open_q;
        cycle_o = onfi_pkg::CycleOut;
        gap_o   = (data == onfi_pkg::DataOutCcs) ? onfi_pkg::GapCcs : onfi_pkg::GapWhr;
      end
      StatusCommand: byte_o = by_row ? 8'h78 : 8'h70;
      StatusRead: begin
        cycle_o  = onfi_pkg::CycleOut;
        gap_o    = onfi_pkg::GapWhr;
        length_o = 16'd1;
        twice_o  = 1'b1;
      end
      Return:        byte_o = 8'h00;
      RawRun: begin
        valid_o = code[3:0] == onfi_pkg::RawCommand || code[3:0] == onfi_pkg::RawAddress;
        cycle_o = (code[3:0] == onfi_pkg::RawAddress) ? onfi_pkg::CycleAddress
                                                         : onfi_pkg::CycleCommand;
        byte_o  = argument;
      end
      Release:       cycle_o = onfi_pkg::CycleRelease;
      default:       valid_o = state_q == First;
    endcase
    if (raw && state_q != Select && state_q != Release) begin
      gap_o = code[5:4];
      if (state_q != StatusRead) begin
        length_o = raw_length;
        twice_o  = code[6];
      end
    end
  end

  // ---- Data in: what the visit needs, and no more ----
  logic        need;
  logic [15:0] need_length;
  always_comb begin
    need        = raw_ask;
    need_length = 16'd2;
    if (state_q == RawRun && code[3:0] == onfi_pkg::RawDataIn) begin
      need        = !raw_bad;
      need_length = raw_length;
    end else if (state_q == First) begin
      need        = data_in;
      need_length = length_q;
    end
  end

  onfi_feed #(
    .TAG_W(TAG_W)
  ) u_feed (
    .clk_i,
    .rst_ni,
    .need_i       (need),
    .need_length_i(need_length),
    .tag_i        (tag_q),
    .s_valid_i,
    .s_tag_i,
    .s_data_i,
    .s_take_o,
    .count_o      (in_count_o),
    .data_o       (in_data_o),
    .pop_i        (in_pop_i || raw_pop)
  );

  // ---- Data out ----
  logic [15:0]      out_left_q;
  logic [TAG_W-1:0] m_tag_q;
  logic             to_stream;
  logic             to_status;

  assign to_stream = state_q == DataOut;
  assign to_status = state_q == StatusRead || judged || op_q == onfi_pkg::OpReadStatus
                     || op_q == onfi_pkg::OpReadEnhanced;
  assign early_o   = (to_stream && !raw) || judged;
  assign m_push_o  = out_valid_i && state_q != StatusRead && !judged;
  assign m_last_o  = out_left_q == 16'd1;
  assign m_tag_o   = m_tag_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      out_open_q <= 1'b0;
      out_left_q <= 16'd0;
      m_tag_q    <= '0;
      status_q   <= 8'h00;
    end else begin
      out_open_q <= to_stream && !ready_i && (out_open_q || m_count_i == 5'd0);
      if (to_stream && !out_open_q && m_count_i == 5'd0) m_tag_q <= tag_q;
      if (to_stream && !out_open_q) out_left_q <= length_o;
      else if (m_push_o) out_left_q <= out_left_q - 16'd1;
      if (load) status_q <= 8'h00;
      else if (out_valid_i && to_status) status_q <= out_data_i;
    end
  end

  // ---- End of the visit ----
  logic leave;
  assign leave       = state_q == Leave && arrived_i;
  assign leave_how_o = how_q;
  assign outcome_o   = judged ? verdict : outcome_q;
  assign status_o    = status_q;
  assign limit_o     = limit_q;
  assign idle_o      = state_q == Idle && !any;
  assign deadline_o  = now_i + {{(TIME_W-26){1'b0}}, limit_clocks_i, 10'd0};

  always_comb begin
    for (int d = 0; d < N_DIES; d++) begin
      leave_o[d] = leave && die_o == DW'(d);
      reset_o[d] = leave_o[d] && op_q == onfi_pkg::OpReset && how_q == onfi_pkg::LeaveBusy;
    end
  end

  `ASSERT(StreamGetsItsLength_A, !m_push_o || out_left_q != 16'd0)
  `ASSERT(DataAllTaken_A, !leave || in_count_o == 5'd0)

endmodule
