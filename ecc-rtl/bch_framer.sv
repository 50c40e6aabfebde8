// From commands and stream words to codeword words that a linear machine can step on.
//
// Enters: a command per codeword (strength, data bytes) and its words, the last data word and,
// with PARITY, the last parity word left-aligned in P bits. Leaves: the same words, one clock
// later, with first/last marks, and with the data moved so that the *first* word is the short one:
// leading zeros do not change a codeword, trailing ones would. The next command waits in a slot of
// its own, so codewords of different strength and length follow each other without an idle clock.
//
// A command that can't be served leaves as a single word with its code and takes no input.
`include "prim_assert.svh"

module bch_framer #(
  parameter int M      = 13,
  parameter int K_MAX  = 4096,
  parameter int T_MAX  = 24,
  parameter int P      = 8,
  parameter int FIXED  = 0,
  parameter int PARITY = 1,  // the stream carries parity words after the data
  parameter int CRC    = 0,  // CRC bytes that follow the commanded data within the message
  parameter int TW     = $clog2(T_MAX + 1),
  parameter int BW     = $clog2(K_MAX / 8 + 1),
  parameter int RW     = $clog2((M * T_MAX + P - 1) / P + 1),
  parameter int SW     = (P > 8) ? $clog2(P / 8) : 1
) (
  input  logic          clk_i,
  input  logic          rst_ni,
  // One command per codeword.
  input  logic          cmd_valid_i,
  output logic          cmd_ready_o,
  input  logic [7:0]    cmd_strength_i,
  input  logic [15:0]   cmd_bytes_i,
  // Words as they come.
  input  logic          s_valid_i,
  output logic          s_ready_o,
  input  logic [P-1:0]  s_data_i,
  // Words to step on.
  output logic          word_valid_o,
  input  logic          word_ready_i,
  output logic [P-1:0]  word_o,         // data moved to the end of the word
  output logic [P-1:0]  raw_o,          // as it came
  output logic          word_first_o,
  output logic          word_last_o,
  output logic [2:0]    word_code_o,    // not StsOk: a rejected command
  output logic [TW-1:0] strength_o,
  output logic [BW-1:0] bytes_o,        // message length: data and CRC
  output logic [RW-1:0] parity_words_o,
  output logic [SW-1:0] shift_o,        // bytes that the first data word lacks
  // A codeword begins with the next word of s_data_i, and the data it was commanded with.
  output logic          begin_o,
  output logic [15:0]   begin_bytes_o,
  // A data word is being accepted from s_data_i.
  output logic          data_taken_o,
  output logic          data_taken_last_o
);

  localparam int W  = P / 8;  // bytes a word
  localparam int DW = $clog2((K_MAX + P - 1) / P + 1);
  localparam int LW = (DW > RW) ? DW : RW;

  localparam logic [LW-1:0] LW1         = 1;
  localparam logic [16:0]   MaxBytes    = 17'(K_MAX / 8);
  localparam logic [7:0]    MaxStrength = 8'(T_MAX);

  // ---- The next command, and all that follows from it ----
  logic        slot_valid_q;
  logic [7:0]  slot_strength_q;
  logic [15:0] slot_bytes_q;
  logic        slot_free;

  logic [2:0]  slot_code;
  logic [15:0] slot_strength;
  logic [16:0] slot_total;         // message bytes
  logic [16:0] slot_data_words;
  logic [15:0] slot_parity_bits;
  logic [15:0] slot_parity_words;

  always_comb begin
    slot_code = bch_pkg::StsOk;
    if (slot_bytes_q == 16'd0) slot_code = bch_pkg::StsLengthZero;
    else if (slot_total > MaxBytes) slot_code = bch_pkg::StsLengthOver;
    else if (slot_strength_q == 8'd0) slot_code = bch_pkg::StsStrengthRange;
    else if (slot_strength_q > MaxStrength) slot_code = bch_pkg::StsStrengthRange;
    else if (FIXED != 0 && slot_strength_q != MaxStrength) slot_code = bch_pkg::StsStrengthRange;
  end

  assign slot_strength     = (FIXED != 0) ? 16'(T_MAX) : {8'd0, slot_strength_q};
  assign slot_total        = {1'b0, slot_bytes_q} + 17'(4 * CRC);
  assign slot_data_words   = (slot_total + 17'(W - 1)) >> $clog2(W);
  assign slot_parity_bits  = 16'(M) * slot_strength;
  assign slot_parity_words = (slot_parity_bits + 16'(P - 1)) >> $clog2(P);

  assign cmd_ready_o = !slot_valid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) slot_valid_q <= 1'b0;
    else if (slot_free) slot_valid_q <= 1'b0;
    else if (cmd_valid_i) slot_valid_q <= 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (cmd_valid_i && cmd_ready_o) begin
      slot_strength_q <= cmd_strength_i;
      slot_bytes_q    <= cmd_bytes_i;
    end
  end

  // ---- The codeword that is coming in ----
  logic          busy_q;
  logic          in_parity_q;
  logic          first_q;
  logic [LW-1:0] left_q;          // words of this phase still to come
  logic [SW-1:0] shift_q;         // bytes by which data words move
  logic [TW-1:0] strength_q;
  logic [BW-1:0] bytes_q;
  logic [RW-1:0] parity_words_q;
  logic          word_free;
  logic          take;
  logic          phase_last;
  logic          word_last;
  logic          load;
  logic          reject;
  logic [LW-1:0] parity_left;

  always_comb begin
    parity_left         = '0;
    parity_left[RW-1:0] = parity_words_q;
  end

  assign word_free  = !word_valid_o || word_ready_i;
  assign s_ready_o  = busy_q && word_free;
  assign take       = s_valid_i && s_ready_o;
  assign phase_last = (left_q == LW1);
  assign word_last  = phase_last && (in_parity_q || PARITY == 0);
  assign load       = slot_valid_q && slot_code == bch_pkg::StsOk &&
                      (!busy_q || (take && word_last));
  assign reject     = slot_valid_q && slot_code != bch_pkg::StsOk && !busy_q && word_free;
  assign slot_free  = load || reject;

  assign begin_o       = load;
  assign begin_bytes_o = slot_bytes_q;

  assign data_taken_o      = take && !in_parity_q;
  assign data_taken_last_o = phase_last;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q      <= 1'b0;
      in_parity_q <= 1'b0;
    end else if (load) begin
      busy_q      <= 1'b1;
      in_parity_q <= 1'b0;
    end else if (take && phase_last) begin
      busy_q      <= !word_last;
      in_parity_q <= !word_last;
    end
  end

  always_ff @(posedge clk_i) begin
    if (load) begin
      first_q        <= 1'b1;
      left_q         <= slot_data_words[LW-1:0];
      shift_q        <= -slot_total[SW-1:0];
      strength_q     <= slot_strength[TW-1:0];
      bytes_q        <= slot_total[BW-1:0];
      parity_words_q <= slot_parity_words[RW-1:0];
    end else if (take) begin
      first_q <= 1'b0;
      left_q  <= left_q - LW1;
      if (phase_last) left_q <= parity_left;
    end
  end

  // Bits of the last parity word that belong to the code.
  logic [P-1:0] word_mask;
  if (PARITY != 0) begin : gen_mask
    logic [$clog2(P)-1:0] pad_q;
    always_ff @(posedge clk_i) begin
      if (load) pad_q <= -slot_parity_bits[$clog2(P)-1:0];
    end
    assign word_mask = (in_parity_q && phase_last) ? {P{1'b1}} << pad_q : {P{1'b1}};
  end else begin : gen_no_mask
    assign word_mask = {P{1'b1}};
  end

  // ---- The word that goes out ----
  logic [P-1:0] aligned;
  if (W > 1) begin : gen_shift
    logic [P-1:0]   prev_q;
    logic [2*P-1:0] both;
    logic [2*P-1:0] shifted;
    assign both    = {first_q ? {P{1'b0}} : prev_q, s_data_i};
    assign shifted = both >> {shift_q, 3'b000};
    assign aligned = in_parity_q ? s_data_i : shifted[P-1:0];
    always_ff @(posedge clk_i) begin
      if (take) prev_q <= s_data_i;
    end
  end else begin : gen_straight
    assign aligned = s_data_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) word_valid_o <= 1'b0;
    else if (word_free) word_valid_o <= take || reject;
  end

  always_ff @(posedge clk_i) begin
    if (word_free) begin
      word_o       <= aligned & word_mask;
      raw_o        <= s_data_i;
      word_first_o <= first_q;
      word_last_o  <= word_last;
      word_code_o  <= bch_pkg::StsOk;
      if (reject) begin
        word_first_o <= 1'b1;
        word_last_o  <= 1'b1;
        word_code_o  <= slot_code;
      end
      shift_o        <= shift_q;
      strength_o     <= strength_q;
      bytes_o        <= bytes_q;
      parity_words_o <= parity_words_q;
    end
  end

  `ASSERT_INIT(FieldRange_A, M >= 4 && M <= 16)
  `ASSERT_INIT(WordRange_A, P == 8 || P == 16 || P == 32 || P == 64)
  `ASSERT_INIT(CodeFits_A, K_MAX + M * T_MAX < (1 << M))
  `ASSERT(TakeNeedsWords_A, !take || left_q != '0)

endmodule
