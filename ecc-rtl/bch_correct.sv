// Search, correction and status: the way out of the decoder.
//
// Enters: a codeword's error locator, offered by start_i until started_o; and, long before, its
// message words as they came, which wait in the memory. Leaves: the corrected words and the status.
//
// Four stages. Search: P_C positions a clock, message first, then parity. Sum: the locator's
// values there. Output: the word from the memory, roots flipped. Count: roots are summed, and when
// as many are found as the locator has, or no position is left, the status goes out. The search
// stops there, so a codeword whose errors are all in the message is done with its last word. A
// codeword without errors, and one that the solver gave up, goes out without a search. The next
// codeword enters the search behind the last word of this one.
`include "prim_assert.svh"

module bch_correct #(
  parameter int M     = 13,
  parameter int K_MAX = 4096,
  parameter int T_MAX = 24,
  parameter int P     = 8,
  parameter int P_C   = 8,
  parameter int CRC   = 0,
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
  localparam int PayloadGap = 32 * CRC;

  localparam logic [XW-1:0] One = 1;

  // ---- Extent of the codeword, in words of P_C positions ----
  logic [NW-1:0] data_bits;
  logic [NW-1:0] all_bits;
  logic [NW-1:0] data_round;
  logic [NW-1:0] all_round;
  logic [NW-1:0] payload_bits;     // what goes out: the message without its check value
  logic [NW-1:0] payload_round;

  assign payload_bits  = data_bits - PayloadGap[NW-1:0];
  assign payload_round = payload_bits + RoundUp[NW-1:0];
  assign data_bits  = {{(NW-BW-3){1'b0}}, bytes_i, 3'b000};
  assign all_bits   = data_bits + MW[NW-1:0] * {{(NW-TW){1'b0}}, strength_i};
  assign data_round = data_bits + RoundUp[NW-1:0];
  assign all_round  = all_bits + RoundUp[NW-1:0];

  // ---- What is known of the codeword in the search stage, and of the one being counted ----
  logic          ahead_q;          // the search is on a codeword that is not yet counted
  logic          next_skip_q;      // of the search: no roots to look for
  logic [2:0]    next_code_q;
  logic [TW-1:0] next_errors_q;
  logic          open_q;           // the count is on a codeword
  logic          skip_q;           // of the count: the same
  logic [2:0]    code_q;
  logic [TW-1:0] errors_q;
  logic          load;
  logic          follow;           // the count goes on to the codeword in the search stage
  logic          early;            // all roots found before the last word
  logic          finish;

  assign load      = start_i && !ahead_q && (!search_q || (advance && is_last));
  assign started_o = load;
  // finish, but not the early one: that one only comes where nothing follows.
  assign follow    = ahead_q && (!open_q || (count_q && count_end_q));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ahead_q <= 1'b0;
      open_q  <= 1'b0;
    end else begin
      if (load) ahead_q <= 1'b1;
      else if (follow) ahead_q <= 1'b0;
      if (follow) open_q <= 1'b1;
      else if (finish) open_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (load) begin
      next_skip_q   <= clean_i || fail_i;
      next_errors_q <= errors_i;
      next_code_q   <= fail_i ? bch_pkg::StsUncorrectable : code_i;
    end
    if (follow) begin
      skip_q   <= next_skip_q;
      errors_q <= next_errors_q;
      code_q   <= next_code_q;
    end
  end

  // ---- Search stage ----
  logic           search_q;         // a word of the codeword is being searched
  logic [XW-1:0]  data_left_q;      // words of the message still to go, this one included
  logic [XW-1:0]  left_q;           // words still to go, this one included
  logic [BL-1:0]  data_tail_q;      // bits of the last message word, 0: all
  logic [BL-1:0]  tail_q;           // bits of the last word, 0: all
  logic           is_data;
  logic           is_last_data;
  logic           is_last;
  logic           advance;          // the pipeline moves

  // What goes out ends with the message, or four bytes earlier where those are its check value.
  logic is_payload;
  logic is_last_payload;
  logic [BL-1:0] payload_tail;      // bits of the last word that goes out, 0: all
  if (CRC != 0) begin : gen_payload
    logic [XW-1:0] payload_left_q;
    logic [BL-1:0] payload_tail_q;
    always_ff @(posedge clk_i) begin
      if (load) begin
        payload_tail_q <= payload_bits[BL-1:0];
        payload_left_q <= (code_i != bch_pkg::StsOk) ? '0 : payload_round[NW-1:BL];
      end else if (search_q && advance && is_payload) begin
        payload_left_q <= payload_left_q - One;
      end
    end
    assign is_payload      = payload_left_q != '0;
    assign is_last_payload = payload_left_q == One;
    assign payload_tail    = payload_tail_q;
  end else begin : gen_whole_message
    assign is_payload      = is_data;
    assign is_last_payload = is_last_data;
    assign payload_tail    = data_tail_q;
  end

  assign is_data      = data_left_q != '0;
  assign is_last_data = data_left_q == One;
  assign is_last      = left_q == One;

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
    if (!rst_ni) search_q <= 1'b0;
    else if (load) search_q <= 1'b1;
    else if (early || (advance && is_last)) search_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (load) begin
      data_tail_q <= data_bits[BL-1:0];
      tail_q      <= all_bits[BL-1:0];
      data_left_q <= data_round[NW-1:BL];
      left_q      <= (clean_i || fail_i) ? data_round[NW-1:BL] : all_round[NW-1:BL];
      // A rejected command has no words; its status takes the place of one.
      if (code_i != bch_pkg::StsOk) begin
        data_left_q <= '0;
        left_q      <= One;
      end
    end else if (search_q && advance) begin
      left_q <= left_q - One;
      if (is_data) data_left_q <= data_left_q - One;
    end
  end

  // ---- Sum stage ----
  logic           sum_q;            // something is in this stage
  logic           sum_look_q;       // .. whose roots count
  logic           sum_data_q;       // .. a message word
  logic           sum_data_end_q;   // .. the last message word
  logic           sum_end_q;        // .. the last word of the codeword
  logic           sum_out_q;        // .. one that goes out
  logic           sum_out_end_q;    // .. the last one that goes out
  logic [BL-1:0]  sum_out_tail_q;   // bits of this word that go out, 0: all
  logic [BL-1:0]  sum_tail_q;       // bits of this word that are codeword, 0: all
  logic [P_C-1:0] root;
  logic [P_C-1:0] in_code;
  logic [P_C-1:0] in_data;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sum_q <= 1'b0;
    else if (early) sum_q <= 1'b0;
    else if (advance) sum_q <= search_q;
  end

  always_ff @(posedge clk_i) begin
    if (advance) begin
      sum_look_q      <= !next_skip_q;
      sum_data_q      <= is_data;
      sum_data_end_q  <= is_last_data;
      sum_end_q       <= is_last;
      sum_out_q       <= is_payload;
      sum_out_end_q   <= is_last_payload;
      sum_out_tail_q  <= is_last_payload ? payload_tail : '0;
      sum_tail_q      <= is_last ? tail_q : '0;
    end
  end

  always_comb begin
    in_code = {P_C{sum_look_q}};
    in_data = {P_C{1'b1}};
    if (sum_tail_q != '0) in_code = in_code & ~({P_C{1'b1}} >> sum_tail_q);
    if (sum_out_tail_q != '0) in_data = ~({P_C{1'b1}} >> sum_out_tail_q);
  end

  // ---- Output stage ----
  logic           out_q;            // something is in this stage
  logic           out_data_q;       // .. a word that goes out
  logic           out_after_q;      // .. the last message word, or beyond it
  logic           out_end_q;        // .. the last word of the codeword
  logic [P_C-1:0] flip_q;
  logic [P_C-1:0] keep_q;           // bits that go out
  logic [P_C-1:0] stored;
  logic           out_wait;         // the status register is not free for this codeword

  assign out_wait  = out_q && out_end_q && (sts_valid_o || (count_q && count_end_q));
  assign advance   = !out_wait && (!m_valid_o || m_ready_i);
  assign m_valid_o = out_q && out_data_q && !out_wait;
  assign m_data_o  = (stored ^ flip_q) & keep_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) out_q <= 1'b0;
    else if (early) out_q <= 1'b0;
    else if (advance) out_q <= sum_q;
  end

  always_ff @(posedge clk_i) begin
    if (advance) begin
      out_data_q  <= sum_out_q;
      out_after_q <= !sum_data_q || sum_data_end_q;
      out_end_q   <= sum_end_q;
      m_last_o    <= sum_out_end_q;
      flip_q      <= root & in_code;
      keep_q      <= in_data;
    end
  end

  // ---- Check value of the corrected message ----
  logic crc_good;
  if (CRC != 0) begin : gen_crc
    localparam int            W     = P_C / 8;
    localparam int            CB    = $clog2(W + 1);
    localparam logic [CB-1:0] Whole = W[CB-1:0];

    logic           out_msg_q;      // a message word
    logic           out_msg_end_q;
    logic [CB-1:0]  out_bytes_q;
    logic           crc_first_q;
    logic           crc_step;

    assign crc_step = out_q && out_msg_q && advance;

    // Bytes of a message word: whole, but for the tail.
    logic [CB-1:0] sum_bytes_q;
    logic [CB-1:0] tail_bytes;
    if (W > 1) begin : gen_tail
      assign tail_bytes = {1'b0, data_tail_q[BL-1:3]};
    end else begin : gen_no_tail
      assign tail_bytes = Whole;
    end
    always_ff @(posedge clk_i) begin
      if (advance) begin
        sum_bytes_q   <= (is_last_data && data_tail_q != '0) ? tail_bytes : Whole;
        out_msg_q     <= sum_data_q;
        out_msg_end_q <= sum_data_end_q;
        out_bytes_q   <= sum_bytes_q;
      end
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) crc_first_q <= 1'b1;
      else if (crc_step) crc_first_q <= out_msg_end_q;
    end

    crc32 #(
      .P(P_C)
    ) u_crc (
      .clk_i,
      .step_i (crc_step),
      .first_i(crc_first_q),
      .bytes_i(out_bytes_q),
      .word_i (stored ^ flip_q),
      .next_o (),
      .good_o (crc_good)
    );
  end else begin : gen_no_crc
    assign crc_good = 1'b1;
  end

  // ---- Memory ----
  localparam int Lanes = P_C / P;  // words as they come in a word as it goes out
  // Three codewords, and the last word of the one before them: it is read as it leaves the sum
  // stage, and the next codeword may be in the search, and all of a third taken, before it does.
  localparam int Depth = 3 * ((K_MAX + P_C - 1) / P_C) + 1;
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
      if (sum_q && sum_data_q && advance) begin
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
  logic [TW-1:0] roots;
  logic [TW-1:0] found_q;           // in the words before
  logic [TW-1:0] found;
  logic          all_found;
  logic          good;

  always_comb begin
    roots = '0;
    for (int b = 0; b < P_C; b++) roots = roots + {{(TW-1){1'b0}}, flip_q[b]};
  end

  assign found     = found_q + count_roots_q;
  assign all_found = !skip_q && found == errors_q;
  assign good      = code_q == bch_pkg::StsOk && (skip_q || all_found);
  // Words of this codeword in the stages before are parity, and are dropped; there are none of
  // the next codeword yet.
  assign early     = count_q && count_after_q && all_found && !count_end_q &&
                     !ahead_q && !load && !sts_valid_o;
  assign finish    = early || (count_q && count_end_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= 1'b0;
    else count_q <= out_q && advance && !early;
  end

  always_ff @(posedge clk_i) begin
    count_after_q <= out_after_q;
    count_end_q   <= out_end_q;
    count_roots_q <= roots;
    if (follow) found_q <= '0;
    else if (count_q) found_q <= found;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sts_valid_o <= 1'b0;
    else if (finish) sts_valid_o <= 1'b1;
    else if (sts_ready_i) sts_valid_o <= 1'b0;
  end

  logic [2:0]    status_code_q;
  logic [TW-1:0] corrected_q;

  always_ff @(posedge clk_i) begin
    if (finish) begin
      status_code_q <= code_q;
      if (code_q == bch_pkg::StsOk && !good) status_code_q <= bch_pkg::StsUncorrectable;
      if (good && !crc_good) status_code_q <= bch_pkg::StsCrcMismatch;
      corrected_q   <= (good && !skip_q) ? found : '0;
    end
  end

  always_comb begin
    sts_data_o         = '0;
    sts_data_o[10:8]   = status_code_q;
    sts_data_o[TW-1:0] = corrected_q;
  end

  `ASSERT(StatusHasRoom_A, !(finish && sts_valid_o && !sts_ready_i))
  `ASSERT_INIT(LanesFit_A, P_C % P == 0)

endmodule
