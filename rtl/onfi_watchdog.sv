// Time: the clock count, the time-outs of busy dies, and when the next of them will be.
//
// Enters: the dies' deadlines; a number of clocks for which clk_i stood still. Leaves: the count;
// a pulse for a die that is past its deadline; and, once nothing has moved for long enough to have
// looked at all dies, quiet_o with the earliest deadline. While quiet_o is high clk_i may stop
// until an input changes or that deadline, and skip_i then makes up for it.
//
// One die is looked at per clock, in two steps, so a time-out may be late by N_DIES + 2 clocks.
`include "prim_assert.svh"

module onfi_watchdog #(
  parameter int N_DIES = 8,
  parameter int TIME_W = 32
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     skip_i,
  input  logic [TIME_W-1:0]        skip_clocks_i,
  input  logic [N_DIES-1:0]        waiting_i,
  input  logic [N_DIES*TIME_W-1:0] deadlines_i,
  input  logic                     still_i,
  output logic [TIME_W-1:0]        now_o,
  output logic [N_DIES-1:0]        expire_o,
  output logic                     quiet_o,
  output logic                     wake_valid_o,
  output logic [TIME_W-1:0]        wake_o
);

  localparam int DW = $clog2(N_DIES);

  logic [TIME_W-1:0] now_q;
  logic [DW-1:0]     scan_q;
  logic              waiting;
  logic [TIME_W-1:0] deadline;

  // The die that is looked at.
  logic [DW-1:0]     die_q;
  logic              waiting_q;
  logic [TIME_W-1:0] deadline_q;
  logic [TIME_W-1:0] remaining;
  logic [TIME_W-1:0] sooner;
  logic              first;
  logic [N_DIES-1:0] expire_q;

  logic              earliest_valid_q;  // among the dies of this round so far
  logic [TIME_W-1:0] earliest_q;
  logic              wake_valid_q;      // among all of the last round
  logic [TIME_W-1:0] wake_q;
  logic [DW+1:0]     still_q;           // clocks without change

  always_comb begin
    waiting  = waiting_i[0];
    deadline = deadlines_i[TIME_W-1:0];
    for (int d = 1; d < N_DIES; d++) begin
      if (scan_q == DW'(d)) begin
        waiting  = waiting_i[d];
        deadline = deadlines_i[d*TIME_W +: TIME_W];
      end
    end
  end

  assign first     = die_q == '0;
  assign remaining = deadline_q - now_q;
  assign sooner    = deadline_q - earliest_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      now_q            <= '0;
      scan_q           <= '0;
      die_q            <= '0;
      waiting_q        <= 1'b0;
      expire_q         <= '0;
      earliest_valid_q <= 1'b0;
      wake_valid_q     <= 1'b0;
      still_q          <= '0;
    end else begin
      now_q     <= now_q + (skip_i ? skip_clocks_i : '0) + 1'b1;
      scan_q    <= (scan_q == DW'(N_DIES - 1)) ? '0 : scan_q + 1'b1;
      die_q     <= scan_q;
      waiting_q <= waiting;
      for (int d = 0; d < N_DIES; d++) begin
        expire_q[d] <= die_q == DW'(d) && waiting_q
                       && (remaining[TIME_W-1] || remaining == '0);
      end
      earliest_valid_q <= waiting_q || (earliest_valid_q && !first);
      if (first) wake_valid_q <= earliest_valid_q;
      if (!still_i) still_q <= '0;
      else if (!quiet_o) still_q <= still_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    deadline_q <= deadline;
    if (waiting_q && (first || !earliest_valid_q || sooner[TIME_W-1])) earliest_q <= deadline_q;
    if (first) wake_q <= earliest_q;
  end

  assign expire_o     = expire_q;
  assign now_o        = now_q;
  assign quiet_o      = still_i && still_q >= (DW+2)'(2 * N_DIES + 2);
  assign wake_valid_o = wake_valid_q;
  assign wake_o       = wake_q;

  `ASSERT(SkipsOnlyWhileQuiet_A, !skip_i || quiet_o)

endmodule
