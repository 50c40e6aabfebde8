// Search, correction and status: the way out of the decoder.
//
// Enters: a codeword's error locator, offered by start_i until started_o; and, long before, its
// message words as they came, which wait in the memory. Leaves: the corrected words and the status.
//
// A codeword passes three stages. Search: the roots among P_C positions a clock, message first,
// then parity. Output: the word from the memory, roots flipped. Count: the roots are summed, and
// when as many are found as the locator has, or no position is left, the status goes out. The
// search stops there, so a codeword whose errors are all in the message is done with its last
// word. A codeword without errors, and one that the solver gave up, goes out without a search.
`include "prim_assert.svh"

module bch_correct #(
  parameter int M     = 13,
  parameter int K_MAX = 4096,
  parameter int T_MAX = 24,
  parameter int P     = 8,
  parameter int P_C   = 8,
  parameter int TW    = $clog2(T_MAX + 1),
  parameter int BW    = $clog2(K_MAX / 8 + 1)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  // From the key-equation solver.
  input  logic                   start_i,
  output logic                   started_o,
  input  logic [2:0]             code_i,
  input  logic                   clean_i,
  input  logic                   fail_i,
  input  logic [TW-1:0]          errors_i,
  input  logic [TW-1:0]          strength_i,
  input  logic [BW-1:0]          bytes_i,
  input  logic [(T_MAX+1)*M-1:0] locator_i,
  // Message words on their way in.
  input  logic                   data_write_i,
  input  logic                   data_last_i,
  input  logic [P-1:0]           data_i,
  // Out.
  output logic                   m_valid_o,
  input  logic                   m_ready_i,
  output logic [P_C-1:0]         m_data_o,
  output logic                   m_last_o,
  output logic                   sts_valid_o,
  input  logic                   sts_ready_i,
  output logic [15:0]            sts_data_o
);

  localparam int NW = $clog2(K_MAX + M * T_MAX + P_C);  // bits of a position
  localparam int BL = $clog2(P_C);                      // bits of a position within a word
  localparam int XW = NW - BL;                          // bits of a word index

  localparam int MW = M;
  localparam int RoundUp = P_C - 1;

  localparam logic [XW-1:0] One = 1;

  // ---- Extent of the codeword, in words of P_C positions ----
  logic [NW-1:0] data_bits;
  logic [NW-1:0] all_bits;
  logic [NW-1:0] data_round;
  logic [NW-1:0] all_round;
  logic          no_search;
  logic [2:0]    verdict_code;

  assign data_bits  = {{(NW-BW-3){1'b0}}, bytes_i, 3'b000};
  assign all_bits   = data_bits + MW[NW-1:0] * {{(NW-TW){1'b0}}, strength_i};
  assign data_round = data_bits + RoundUp[NW-1:0];
  assign all_round  = all_bits + RoundUp[NW-1:0];
  assign no_search  = clean_i || fail_i || code_i != bch_pkg::StsOk;

  // What the status says of a codeword that is not searched; the search may still overrule it.
  assign verdict_code = (code_i == bch_pkg::StsOk && fail_i && !clean_i) ?
      bch_pkg::StsUncorrectable : code_i;

  // ---- Search stage ----
  logic           search_q;         // a word of the codeword is being searched
  logic           skip_q;           // no flips
  logic [TW+3:0]  verdict_q;        // skip, code, number of errors
  logic [XW-1:0]  data_left_q;      // words of the message still to go, this one included
  logic [XW-1:0]  left_q;           // words still to go, this one included
  logic [BL-1:0]  data_tail_q;      // bits of the last message word, 0: all
  logic [BL-1:0]  tail_q;           // bits of the last word, 0: all
  logic           is_data;
  logic           is_last_data;
  logic           is_last;
  logic           load;
  logic           advance;          // the pipeline moves
  logic           abort;            // all roots found
  logic [1:0]     open_q;           // codewords whose status has not been taken
  logic           sts_taken;
  logic [P_C-1:0] root;
  logic [P_C-1:0] in_code;          // positions of this word that belong to the codeword
  logic [P_C-1:0] in_data;          // .. and to the message

  assign is_data      = data_left_q != '0;
  assign is_last_data = data_left_q == One;
  assign is_last      = left_q == One;
  assign load         = start_i && !open_q[1] && (!search_q || (advance && is_last));
  assign started_o    = load;

  bch_chien #(
    .M    (M),
    .T_MAX(T_MAX),
    .P_C  (P_C)
  ) u_chien (
    .clk_i,
    .load_i   (load),
    .step_i   (advance),
    .locator_i,
    .root_o   (root)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      search_q <= 1'b0;
      open_q   <= 2'd0;
    end else begin
      if (load) search_q <= 1'b1;
      else if (abort || (advance && is_last)) search_q <= 1'b0;
      open_q <= open_q + {1'b0, load} - {1'b0, sts_taken};
    end
  end

  always_ff @(posedge clk_i) begin
    if (load) begin
      skip_q      <= no_search;
      verdict_q   <= {no_search, verdict_code, clean_i ? {TW{1'b0}} : errors_i};
      data_tail_q <= data_bits[BL-1:0];
      tail_q      <= all_bits[BL-1:0];
      data_left_q <= data_round[NW-1:BL];
      left_q      <= no_search ? data_round[NW-1:BL] : all_round[NW-1:BL];
      if (code_i != bch_pkg::StsOk) begin
        data_left_q <= '0;
        left_q      <= One;
      end
    end else if (search_q && advance) begin
      left_q <= left_q - One;
      if (is_data) data_left_q <= data_left_q - One;
    end
  end

  always_comb begin
    in_code = {P_C{!skip_q}};
    in_data = {P_C{is_data}};
    if (is_last && tail_q != '0) in_code = in_code & ~({P_C{1'b1}} >> tail_q);
    if (is_last_data && data_tail_q != '0) in_data = in_data & ~({P_C{1'b1}} >> data_tail_q);
  end

  // ---- Output stage ----
  logic           out_q;            // something is in this stage
  logic           out_data_q;       // .. a message word
  logic           out_after_q;      // .. the last message word, or beyond it
  logic           out_end_q;        // .. the last word of the codeword
  logic [TW+3:0]  out_verdict_q;
  logic [P_C-1:0] flip_q;
  logic [P_C-1:0] keep_q;           // bits that are message
  logic [P_C-1:0] stored;
  logic           out_taken;

  assign advance   = !out_q || !out_data_q || m_ready_i;
  assign out_taken = out_q && advance;
  assign m_valid_o = out_q && out_data_q;
  assign m_data_o  = (stored ^ flip_q) & keep_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) out_q <= 1'b0;
    else if (advance) out_q <= search_q && !abort;
  end

  always_ff @(posedge clk_i) begin
    if (advance) begin
      out_data_q  <= is_data;
      out_after_q <= !is_data || is_last_data;
      out_end_q   <= is_last;
      out_verdict_q <= verdict_q;
      m_last_o    <= is_last_data;
      flip_q      <= root & in_code;
      keep_q      <= in_data;
    end
  end

  // ---- Memory ----
  localparam int Lanes = P_C / P;
  localparam int Depth = 3 * ((K_MAX + P_C - 1) / P_C) + 1;  // three codewords and a word
  localparam int AW    = $clog2(Depth);
  localparam int LW    = (Lanes > 1) ? $clog2(Lanes) : 1;
  localparam int AMax  = Depth - 1;

  localparam logic [AW-1:0] AddrOne  = 1;
  localparam logic [AW-1:0] AddrLast = AMax[AW-1:0];
  localparam logic [LW-1:0] LaneOne  = 1;

  logic [AW-1:0] write_addr_q;
  logic [LW-1:0] write_lane;
  logic          write_next;
  logic [AW-1:0] read_addr_q;

  if (Lanes > 1) begin : gen_lanes
    logic [LW-1:0] lane_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) lane_q <= '0;
      else if (data_write_i) lane_q <= data_last_i ? '0 : lane_q + LaneOne;
    end
    assign write_lane = lane_q;
    assign write_next = data_write_i && (data_last_i || (&lane_q));
  end else begin : gen_one_lane
    assign write_lane = '0;
    assign write_next = data_write_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_addr_q <= '0;
      read_addr_q  <= '0;
    end else begin
      if (write_next) write_addr_q <= (write_addr_q == AddrLast) ? '0 : write_addr_q + AddrOne;
      if (search_q && is_data && advance) begin
        read_addr_q <= (read_addr_q == AddrLast) ? '0 : read_addr_q + AddrOne;
      end
    end
  end

  bch_buffer #(
    .WIDTH(P_C),
    .LANES(Lanes),
    .DEPTH(Depth)
  ) u_buffer (
    .clk_i,
    .write_i     (data_write_i),
    .write_addr_i(write_addr_q),
    .write_lane_i(write_lane),
    .write_data_i(data_i),
    .read_i      (advance),
    .read_addr_i (read_addr_q),
    .read_data_o (stored)
  );

  // ---- Count stage and status ----
  logic          count_q;           // something is in this stage
  logic          count_after_q;
  logic          count_end_q;
  logic [TW-1:0] count_roots_q;
  logic [TW+3:0] count_verdict_q;   // skip, code, number of errors
  logic          count_skip;
  logic [2:0]    count_code;
  logic [TW-1:0] count_errors;
  logic [TW-1:0] roots;
  logic [TW-1:0] found_q;           // in the words before
  logic [TW-1:0] found;
  logic          all_found;
  logic          finish;
  logic [2:0]    code;
  logic [7:0]    corrected;

  always_comb begin
    roots = '0;
    for (int b = 0; b < P_C; b++) roots = roots + {{(TW-1){1'b0}}, flip_q[b]};
  end

  assign found     = found_q + count_roots_q;
  assign all_found = count_after_q && !count_skip && found == count_errors;
  // With all roots found the search ends early, unless the last word is in the output stage and
  // ends it anyway. The words dropped from there and from the search stage are both parity.
  assign abort     = count_q && all_found && !count_end_q && !out_end_q;
  assign finish    = abort || (count_q && count_end_q);

  assign count_skip   = count_verdict_q[TW+3];
  assign count_code   = count_verdict_q[TW+2:TW];
  assign count_errors = count_verdict_q[TW-1:0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= 1'b0;
      found_q <= '0;
    end else begin
      count_q <= out_taken && !abort;
      if (finish) found_q <= '0;
      else if (count_q) found_q <= found;
    end
  end

  always_ff @(posedge clk_i) begin
    count_after_q   <= out_after_q;
    count_end_q     <= out_end_q;
    count_roots_q   <= roots;
    count_verdict_q <= out_verdict_q;
  end

  assign code = (count_skip || found == count_errors) ? count_code : bch_pkg::StsUncorrectable;

  // Two statuses can wait: as many as codewords may be open.
  logic          wait_valid_q;
  logic [10:0]   wait_q;
  logic [10:0]   first_q;
  logic [10:0]   status;

  assign status    = {code, (code == bch_pkg::StsOk) ? corrected : 8'd0};
  assign sts_taken = sts_valid_o && sts_ready_i;
  assign sts_data_o = {5'd0, first_q};

  always_comb begin
    corrected         = '0;
    corrected[TW-1:0] = found;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sts_valid_o  <= 1'b0;
      wait_valid_q <= 1'b0;
    end else begin
      if (!sts_valid_o || sts_ready_i) begin
        sts_valid_o  <= wait_valid_q || finish;
        wait_valid_q <= wait_valid_q && finish;
      end else if (finish) begin
        wait_valid_q <= 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!sts_valid_o || sts_ready_i) first_q <= wait_valid_q ? wait_q : status;
    if (finish) wait_q <= status;
  end

  `ASSERT(StatusHasRoom_A, !(finish && wait_valid_q && sts_valid_o && !sts_ready_i))
  `ASSERT(LanesFit_A, P_C % P == 0)

endmodule
