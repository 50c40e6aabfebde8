// Systematic encoder for a binary BCH code whose strength and length change with every codeword.
//
// Enters: a command per codeword (strength t, bytes of data) and the data words. Leaves: the same
// words (with CRC, the four bytes of the check value behind them), then ceil(m t / P) parity
// words, first bit on top, the last one filled with zeros; and one status per command. A word
// enters and leaves every clock.
`include "prim_assert.svh"

module bch_encoder #(
  parameter int M     = 13,
  parameter int K_MAX = 4096,
  parameter int T_MAX = 24,
  parameter int P     = 8,
  parameter int FIXED = 0,
  parameter int CRC   = 0
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         cmd_valid_i,
  output logic         cmd_ready_o,
  input  logic [7:0]   cmd_strength_i,
  input  logic [15:0]  cmd_bytes_i,
  input  logic         s_valid_i,
  output logic         s_ready_o,
  input  logic [P-1:0] s_data_i,
  output logic         m_valid_o,
  input  logic         m_ready_i,
  output logic [P-1:0] m_data_o,
  output logic         m_last_o,
  output logic         sts_valid_o,
  input  logic         sts_ready_i,
  output logic [15:0]  sts_data_o
);

  localparam int TW = $clog2(T_MAX + 1);
  localparam int RW = $clog2((M * T_MAX + P - 1) / P + 1);

  localparam logic [RW-1:0] RW1 = 1;

  logic          word_valid;
  logic          word_ready;
  logic [P-1:0]  word;
  logic [P-1:0]  raw;
  logic          word_last;
  logic [2:0]    word_code;
  logic [TW-1:0] word_strength;
  logic [RW-1:0] word_parity_words;

  // ---- The check value joins the data ----
  logic         framer_begin;
  logic [15:0]  framer_begin_bytes;
  logic         msg_valid;
  logic         msg_ready;
  logic [P-1:0] msg_data;

  if (CRC != 0) begin : gen_crc
    crc32_append #(
      .P(P)
    ) u_crc_append (
      .clk_i,
      .rst_ni,
      .begin_i  (framer_begin),
      .bytes_i  (framer_begin_bytes),
      .s_valid_i,
      .s_ready_o,
      .s_data_i,
      .m_valid_o(msg_valid),
      .m_ready_i(msg_ready),
      .m_data_o (msg_data)
    );
  end else begin : gen_no_crc
    assign msg_valid = s_valid_i;
    assign s_ready_o = msg_ready;
    assign msg_data  = s_data_i;
  end

  bch_framer #(
    .M     (M),
    .K_MAX (K_MAX),
    .T_MAX (T_MAX),
    .P     (P),
    .FIXED (FIXED),
    .PARITY(0),
    .CRC   (CRC)
  ) u_framer (
    .clk_i,
    .rst_ni,
    .cmd_valid_i,
    .cmd_ready_o,
    .cmd_strength_i,
    .cmd_bytes_i,
    .s_valid_i        (msg_valid),
    .s_ready_o        (msg_ready),
    .s_data_i         (msg_data),
    .word_valid_o     (word_valid),
    .word_ready_i     (word_ready),
    .word_o           (word),
    .raw_o            (raw),
    .word_first_o     (),
    .word_last_o      (word_last),
    .word_code_o      (word_code),
    .strength_o       (word_strength),
    .bytes_o          (),
    .parity_words_o   (word_parity_words),
    .shift_o          (),
    .begin_o          (framer_begin),
    .begin_bytes_o    (framer_begin_bytes),
    .data_taken_o     (),
    .data_taken_last_o()
  );

  // ---- Data words pass, then the register is shifted out ----
  logic          shifting_q;   // the parity is going out
  logic [RW-1:0] left_q;       // parity words still to go
  logic [TW-1:0] strength_q;   // of the parity that is going out
  logic          rejected;
  logic          out_free;
  logic          sts_free;
  logic          step_data;
  logic          step_parity;
  logic          last_parity;
  logic          clear_q;
  logic [P-1:0]  parity;

  assign rejected    = word_code != bch_pkg::StsOk;
  assign out_free    = !m_valid_o || m_ready_i;
  assign sts_free    = !sts_valid_o || sts_ready_i;
  assign last_parity = left_q == RW1;
  assign step_data   = word_valid && !rejected && !shifting_q && out_free;
  assign step_parity = shifting_q && out_free && (!last_parity || sts_free);
  assign word_ready  = !shifting_q && (rejected ? sts_free : out_free);

  bch_parity #(
    .M    (M),
    .T_MAX(T_MAX),
    .P    (P)
  ) u_parity (
    .clk_i,
    .clear_i    (clear_q),
    .step_i     (step_data || step_parity),
    .shift_out_i(shifting_q),
    .strength_i (shifting_q ? strength_q : word_strength),
    .word_i     (word),
    .parity_o   (parity)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      shifting_q  <= 1'b0;
      clear_q     <= 1'b1;
      m_valid_o   <= 1'b0;
      sts_valid_o <= 1'b0;
    end else begin
      clear_q <= 1'b0;
      if (step_data && word_last) shifting_q <= 1'b1;
      else if (step_parity && last_parity) shifting_q <= 1'b0;
      if (out_free) m_valid_o <= step_data || step_parity;
      if (sts_free) begin
        sts_valid_o <= (step_parity && last_parity) || (word_valid && rejected && !shifting_q);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (step_data) begin
      strength_q <= word_strength;
      left_q     <= word_parity_words;
    end else if (step_parity) begin
      left_q <= left_q - RW1;
    end
    if (out_free) begin
      m_data_o <= shifting_q ? parity : raw;
      m_last_o <= shifting_q && last_parity;
    end
    if (sts_free) sts_data_o <= {5'd0, shifting_q ? bch_pkg::StsOk : word_code, 8'd0};
  end


endmodule
