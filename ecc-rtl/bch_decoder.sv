// Decoder for a binary BCH code whose strength and length change with every codeword.
//
// Enters: a command per codeword (strength t, bytes of data) and its words, message then parity;
// the message is the data, with CRC followed by its check value. Leaves: the data words in order,
// corrected, P_C bits wide; and one status per command with the number of corrected bits, those in
// the parity included.
//
// Three codewords are under way at once: one comes in and has its syndromes summed, one is in the
// key-equation solver, one is searched for its errors while it goes out. A codeword without errors
// skips the solver and the search. The message waits for its turn in a memory (bch_buffer).
//
// Uncorrectable: the solver finds more errors than t, or the search finds fewer than the solver
// said. In the second case some words have left with wrong flips; the status says so, after them.
`include "prim_assert.svh"

module bch_decoder #(
  parameter int M         = 13,
  parameter int K_MAX     = 4096,
  parameter int T_MAX     = 24,
  parameter int P         = 8,
  parameter int P_C       = 8,
  parameter int KES_LANES = 2,
  parameter int FIXED     = 0,
  parameter int CRC       = 0
) (
  input  logic           clk_i,
  input  logic           rst_ni,
  input  logic           cmd_valid_i,
  output logic           cmd_ready_o,
  input  logic [7:0]     cmd_strength_i,
  input  logic [15:0]    cmd_bytes_i,
  input  logic           s_valid_i,
  output logic           s_ready_o,
  input  logic [P-1:0]   s_data_i,
  output logic           m_valid_o,
  input  logic           m_ready_i,
  output logic [P_C-1:0] m_data_o,
  output logic           m_last_o,
  output logic           sts_valid_o,
  input  logic           sts_ready_i,
  output logic [15:0]    sts_data_o
);

  localparam int TW = $clog2(T_MAX + 1);
  localparam int BW = $clog2(K_MAX / 8 + 1);
  localparam int SW = (P > 8) ? $clog2(P / 8) : 1;

  // ---- Words in; the message goes to the memory as well ----
  logic          word_valid;
  logic          word_ready;
  logic [P-1:0]  word;
  logic          word_first;
  logic          word_last;
  logic [2:0]    word_code;
  logic [TW-1:0] word_strength;
  logic [BW-1:0] word_bytes;
  logic [SW-1:0] word_shift;
  logic          data_taken;
  logic          data_taken_last;

  bch_framer #(
    .M     (M),
    .K_MAX (K_MAX),
    .T_MAX (T_MAX),
    .P     (P),
    .FIXED (FIXED),
    .PARITY(1),
    .CRC   (CRC)
  ) u_framer (
    .clk_i,
    .rst_ni,
    .cmd_valid_i,
    .cmd_ready_o,
    .cmd_strength_i,
    .cmd_bytes_i,
    .s_valid_i,
    .s_ready_o,
    .s_data_i,
    .word_valid_o     (word_valid),
    .word_ready_i     (word_ready),
    .word_o           (word),
    .raw_o            (),
    .word_first_o     (word_first),
    .word_last_o      (word_last),
    .word_code_o      (word_code),
    .strength_o       (word_strength),
    .bytes_o          (word_bytes),
    .parity_words_o   (),
    .shift_o          (word_shift),
    .begin_o          (),
    .begin_bytes_o    (),
    .data_taken_o     (data_taken),
    .data_taken_last_o(data_taken_last)
  );

  // ---- Syndromes, which leave with the last word; that word waits for the solver ----
  logic               flush_q;  // first clock after reset
  logic               step;
  logic               kes_start;
  logic               kes_idle;
  logic [T_MAX*M-1:0] syndromes;
  logic [M-1:0]       scale;

  assign word_ready = !flush_q && (!word_last || kes_idle);
  assign step       = word_valid && word_ready;
  assign kes_start  = step && word_last;

  bch_syndrome #(
    .M     (M),
    .T_MAX (T_MAX),
    .P     (P),
    .ORIGIN(P_C / 2)  // the search counts from the middle of a word
  ) u_syndrome (
    .clk_i,
    .step_i     (step),
    .clear_i    (kes_start || flush_q),
    .first_i    (word_first),
    .shift_i    (word_shift),
    .word_i     (word),
    .syndromes_o(syndromes),
    .scale_o    (scale)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) flush_q <= 1'b1;
    else flush_q <= 1'b0;
  end

  // ---- Key equation ----
  logic                   kes_done;
  logic                   kes_taken;
  logic                   kes_clean;
  logic                   kes_fail;
  logic [TW-1:0]          kes_errors;
  logic [(T_MAX+1)*M-1:0] locator;
  logic [2:0]             kes_code_q;
  logic [TW-1:0]          kes_strength_q;
  logic [BW-1:0]          kes_bytes_q;

  bch_key_equation #(
    .M    (M),
    .T_MAX(T_MAX),
    .LANES(KES_LANES)
  ) u_key_equation (
    .clk_i,
    .rst_ni,
    .start_i    (kes_start),
    .skip_i     (word_code != bch_pkg::StsOk),
    .strength_i (word_strength),
    .syndromes_i(syndromes),
    .scale_i    (scale),
    .idle_o     (kes_idle),
    .done_o     (kes_done),
    .taken_i    (kes_taken),
    .clean_o    (kes_clean),
    .fail_o     (kes_fail),
    .errors_o   (kes_errors),
    .locator_o  (locator)
  );

  always_ff @(posedge clk_i) begin
    if (kes_start) begin
      kes_code_q     <= word_code;
      kes_strength_q <= word_strength;
      kes_bytes_q    <= word_bytes;
    end
  end

  // ---- Search, correction and status ----
  bch_correct #(
    .M    (M),
    .K_MAX(K_MAX),
    .T_MAX(T_MAX),
    .P    (P),
    .P_C  (P_C),
    .CRC  (CRC)
  ) u_correct (
    .clk_i,
    .rst_ni,
    .start_i        (kes_done),
    .started_o      (kes_taken),
    .code_i         (kes_code_q),
    .clean_i        (kes_clean),
    .fail_i         (kes_fail),
    .errors_i       (kes_errors),
    .strength_i     (kes_strength_q),
    .bytes_i        (kes_bytes_q),
    .locator_i      (locator),
    .data_write_i   (data_taken),
    .data_last_i    (data_taken_last),
    .data_i         (s_data_i),
    .m_valid_o,
    .m_ready_i,
    .m_data_o,
    .m_last_o,
    .sts_valid_o,
    .sts_ready_i,
    .sts_data_o
  );

endmodule
