// One die: its queue of operations, and where the one in front stands.
//
// Enters: operations; the bus sequencer's word on each visit of the bus; R/B#. Leaves: the request
// for the next visit, and one completion for each operation, in order.
//
// Where the status is polled in place of R/B#, Set Features is taken to last one interval between
// polls, as the die may no longer talk in the old interface.
//
// FFh and FCh reset the die at once, whatever it does: they wait beside the queue while what was
// asked for before them ends as timed out, without a bus cycle unless it is on the bus. Until that
// is over no other operation comes in.
//
// A die that stayed busy beyond its time-out is stuck: until a reset of it has ended, only resets
// and status reads go to it, and what else waits for it times out at once, without a bus cycle.
`include "prim_assert.svh"

module onfi_slot #(
  parameter int QUEUE  = 2,
  parameter int WORD   = 68,  // operation: tag, length, column, row, code
  parameter int TIME_W = 32
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              push_i,
  input  logic [WORD-1:0]   push_data_i,
  input  logic              push_reset_i,  // the operation is FFh or FCh
  output logic              full_o,        // for this operation
  output logic [WORD-1:0]   head_o,
  // Requests and visits
  output logic              want_o,
  output logic [1:0]        visit_o,
  output logic              wants_in_o,   // the visit needs data from the stream
  output logic              brief_o,      // it is short, and the die's next job waits for it
  input  logic              grant_i,
  input  logic              leave_i,
  input  logic [1:0]        leave_how_i,
  input  logic [1:0]        outcome_i,
  input  logic [7:0]        status_i,
  input  logic [9:0]        settle_i,     // tWB
  input  logic [TIME_W-1:0] deadline_i,
  // Busy
  input  logic              rb_ni,
  input  logic              poll_i,
  input  logic [15:0]       interval_i,
  input  logic              expire_i,
  output logic              waiting_o,    // under a time-out
  output logic [TIME_W-1:0] deadline_o,
  output logic              still_o,      // nothing happens until R/B# or time moves on
  // Completion
  input  logic [TIME_W-1:0] now_i,
  output logic              done_o,
  output logic [1:0]        outcome_o,
  output logic [7:0]        status_o,
  output logic [TIME_W-1:0] started_o,
  output logic [TIME_W-1:0] finished_o,
  input  logic              taken_i
);

  typedef enum logic [2:0] {Idle, Want, Visit, Settle, Busy, Done} state_e;

  // ---- Queue, and the place beside it for a reset ----
  logic             any;
  logic             queue_full;
  logic             queue_push;
  logic [WORD-1:0]  queue_data;
  logic             reset_q;        // a reset waits: what is in front makes way
  logic             synchronous_q;
  logic [WORD-62:0] reset_tag_q;

  assign full_o     = reset_q || (!push_reset_i && queue_full);
  assign queue_push = reset_q ? !any : push_i && !(push_reset_i && any);
  assign queue_data = reset_q ? {reset_tag_q, push_data_i[60:5], 4'd0, synchronous_q}
                              : push_data_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) reset_q <= 1'b0;
    else if (push_i && push_reset_i && any) reset_q <= 1'b1;
    else if (!any) reset_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (push_i && push_reset_i) begin
      reset_tag_q   <= push_data_i[WORD-1:61];
      synchronous_q <= push_data_i[0];
    end
  end

  onfi_queue #(
    .WIDTH(WORD),
    .DEPTH(QUEUE)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .push_i (queue_push),
    .data_i (queue_data),
    .pop_i  (taken_i),
    .valid_o(any),
    .full_o (queue_full),
    .data_o (head_o)
  );

  // ---- What the operation in front is ----
  logic [onfi_pkg::FormWidth-1:0] form;
  logic [4:0]                     op;
  logic [2:0]                     data;
  logic [1:0]                     busy;
  logic                           raw;
  logic                           is_reset;
  logic                           is_silent;  // may change the interface: not to be polled
  logic                           is_rescue;  // what a stuck die still takes

  assign op        = head_o[4:0];
  assign form      = onfi_pkg::form({3'd0, op});
  assign data      = form[17:15];
  assign busy      = form[5:4];
  assign raw       = op == onfi_pkg::OpRaw;
  assign is_reset  = op == onfi_pkg::OpReset || op == onfi_pkg::OpSynchronousReset
                     || op == onfi_pkg::OpResetLun;
  assign is_silent = op == onfi_pkg::OpSetFeatures;
  assign is_rescue = is_reset || op == onfi_pkg::OpReadStatus || op == onfi_pkg::OpReadEnhanced;

  // ---- R/B#, through two registers ----
  logic [1:0] ready_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) ready_q <= 2'b00;
    else ready_q <= {ready_q[0], rb_ni};
  end


  // ---- State ----
  state_e            state_q;
  state_e            state_d;
  logic [1:0]        visit_q;
  logic [1:0]        visit_d;
  logic [15:0]       count_q;      // clocks of tWB or of the poll interval left
  logic [15:0]       count_d;
  logic              fell_q;       // R/B# has been low since the last command
  logic              fell_d;
  logic              stuck_q;
  logic              stuck_d;
  logic [1:0]        outcome_q;
  logic [1:0]        outcome_d;
  logic [7:0]        status_q;
  logic [7:0]        status_d;
  logic              wants_in_q;
  logic              brief_q;
  logic              start;
  logic              finish;
  logic              finishes;     // there is something to do after the busy time
  logic [TIME_W-1:0] started_q;
  logic [TIME_W-1:0] finished_q;
  logic [TIME_W-1:0] deadline_q;

  assign finishes = busy == onfi_pkg::BusyStatus || data == onfi_pkg::DataOutReady || raw;

  always_comb begin
    state_d   = state_q;
    visit_d   = visit_q;
    count_d   = (count_q == 16'd0) ? 16'd0 : count_q - 16'd1;
    fell_d    = fell_q || !ready_q[1];
    stuck_d   = stuck_q;
    outcome_d = outcome_q;
    status_d  = status_q;
    start     = 1'b0;
    finish    = 1'b0;
    unique case (state_q)
      // The next operation comes to the front.
      Idle: begin
        visit_d  = onfi_pkg::VisitIssue;
        status_d = 8'h00;
        if (any) begin
          if (reset_q || (stuck_q && !is_rescue)) begin
            start     = 1'b1;
            finish    = 1'b1;
            outcome_d = onfi_pkg::OutcomeTimedOut;
            state_d   = Done;
          end else begin
            state_d = Want;
          end
        end
      end
      // It waits for the bus.
      Want: begin
        if (grant_i) begin
          start   = visit_q == onfi_pkg::VisitIssue;
          state_d = Visit;
        end else if (reset_q) begin
          start     = visit_q == onfi_pkg::VisitIssue;
          finish    = 1'b1;
          outcome_d = onfi_pkg::OutcomeTimedOut;
          state_d   = Done;
        end
      end
      // It has the bus.
      Visit: begin
        if (leave_i) begin
          status_d  = status_i;
          outcome_d = outcome_i;
          unique case (leave_how_i)
            onfi_pkg::LeaveBusy: begin
              count_d = {6'd0, settle_i} + 16'd3;  // R/B# takes two registers
              fell_d  = 1'b0;
              state_d = Settle;
            end
            onfi_pkg::LeaveAgain: begin
              count_d = interval_i;
              state_d = Busy;
            end
            default: begin
              finish  = 1'b1;
              stuck_d = stuck_q && !is_reset;
              state_d = Done;
            end
          endcase
        end
      end
      // tWB: the die need not show yet that it is busy.
      Settle: begin
        if (count_q == 16'd0) begin
          if (is_silent) count_d = interval_i;
          state_d = Busy;
        end
      end
      // The die is busy.
      Busy: begin
        if (poll_i && is_silent) begin
          if (count_q == 16'd0) begin
            finish    = 1'b1;
            outcome_d = onfi_pkg::OutcomeDone;
            state_d   = Done;
          end
        end else if (poll_i) begin
          visit_d = onfi_pkg::VisitPoll;
          if (count_q == 16'd0) state_d = Want;
        end else if (ready_q[1]) begin
          visit_d = onfi_pkg::VisitFinish;
          if (finishes) begin
            state_d = Want;
          end else begin
            finish    = 1'b1;
            outcome_d = onfi_pkg::OutcomeDone;
            stuck_d   = stuck_q && !is_reset;
            state_d   = Done;
          end
          // A die that was never busy has not heard the command. Where the status is read, that
          // tells more.
          if (!fell_q && busy == onfi_pkg::BusyWait) begin
            finish    = 1'b1;
            outcome_d = onfi_pkg::OutcomeTimedOut;
            stuck_d   = stuck_q;
            state_d   = Done;
          end
        end
        if (reset_q || expire_i) begin
          finish    = 1'b1;
          outcome_d = onfi_pkg::OutcomeTimedOut;
          stuck_d   = stuck_q || expire_i;
          state_d   = Done;
        end
      end
      // The completion waits to be taken.
      Done: begin
        if (taken_i) state_d = Idle;
      end
      default: state_d = Idle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= Idle;
      visit_q   <= onfi_pkg::VisitIssue;
      count_q   <= 16'd0;
      fell_q    <= 1'b0;
      stuck_q   <= 1'b0;
      outcome_q <= onfi_pkg::OutcomeDone;
      status_q  <= 8'h00;
    end else begin
      state_q   <= state_d;
      visit_q   <= visit_d;
      count_q   <= count_d;
      fell_q    <= fell_d;
      stuck_q   <= stuck_d;
      outcome_q <= outcome_d;
      status_q  <= status_d;
    end
  end

  // What the next visit is like, in registers for the sake of the choice between dies.
  always_ff @(posedge clk_i) begin
    wants_in_q <= visit_d == onfi_pkg::VisitIssue
                  && (data == onfi_pkg::DataInAdl || data == onfi_pkg::DataInCcs);
    brief_q    <= (visit_d == onfi_pkg::VisitFinish)
                  ? busy == onfi_pkg::BusyStatus
                  : visit_d == onfi_pkg::VisitIssue && busy != onfi_pkg::BusyNone
                    && (data == onfi_pkg::DataNone || data == onfi_pkg::DataOutReady);
  end

  always_ff @(posedge clk_i) begin
    if (start) started_q <= now_i;
    if (finish) finished_q <= now_i;
    if (leave_i && leave_how_i == onfi_pkg::LeaveBusy) deadline_q <= deadline_i;
  end

  assign want_o     = state_q == Want;
  assign visit_o    = visit_q;
  assign wants_in_o = wants_in_q;
  assign brief_o    = brief_q;
  assign waiting_o  = state_q == Busy;
  assign deadline_o = deadline_q;
  assign still_o    = (state_q == Idle && !any)
                      || (state_q == Busy && !poll_i && ready_q == 2'b00 && !rb_ni);
  assign done_o     = state_q == Done;
  assign outcome_o  = outcome_q;
  assign status_o   = status_q;
  assign started_o  = started_q;
  assign finished_o = finished_q;

  `ASSERT(GrantIsWanted_A, !grant_i || state_q == Want)
  `ASSERT(LeaveEndsAVisit_A, !leave_i || state_q == Visit)
  `ASSERT(TakenIsDone_A, !taken_i || state_q == Done)
  `ASSERT(NoPushWhileFull_A, !push_i || !full_o)

endmodule
