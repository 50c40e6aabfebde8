// Adds the check value of CRC-32 to a message on its way into the encoder.
//
// Enters: begin_i with the length of the data, then its words, the last one left-aligned. Leaves:
// the same words with the four bytes of the check value right behind the last byte of the data,
// and the rest filled with zeros.
module crc32_append #(
  parameter int P  = 8,
  parameter int LB = 16  // bits of a length
) (
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic          begin_i,   // a message starts with the next word
  input  logic [LB-1:0] bytes_i,
  input  logic          s_valid_i,
  output logic          s_ready_o,
  input  logic [P-1:0]  s_data_i,
  output logic          m_valid_o,
  input  logic          m_ready_i,
  output logic [P-1:0]  m_data_o
);

  localparam int W  = P / 8;
  localparam int BW = $clog2(W + 1);

  localparam int            WordBytes = W;
  localparam logic [LB-1:0] Full      = WordBytes[LB-1:0];

  logic [LB-1:0] left_q;       // bytes of data still to come
  logic          first_q;
  logic [31:0]   rest_q;       // bytes of the check value that did not fit, first on top
  logic [31:0]   crc;
  logic          has_data;
  logic          is_tail;      // the last word of the data
  logic [BW-1:0] tail;         // its bytes
  logic          take;
  logic [P+31:0] joined;       // tail, then check value

  assign has_data  = left_q != '0;
  assign is_tail   = left_q <= Full;
  assign tail      = is_tail ? left_q[BW-1:0] : Full[BW-1:0];
  assign m_valid_o = has_data ? s_valid_i : 1'b1;
  assign s_ready_o = has_data && m_ready_i;
  assign take      = m_valid_o && m_ready_i;

  crc32 #(
    .P(P)
  ) u_crc (
    .clk_i,
    .step_i (take && has_data),
    .first_i(first_q),
    .bytes_i(tail),
    .word_i (s_data_i),
    .next_o (crc),
    .good_o ()
  );

  always_comb begin
    joined = {s_data_i & ~({P{1'b1}} >> {tail, 3'b000}), 32'd0} |
             ({~crc, {P{1'b0}}} >> {tail, 3'b000});
    if (!is_tail) joined = {s_data_i, 32'd0};
    if (!has_data) joined = {rest_q, {P{1'b0}}};
  end

  assign m_data_o = joined[P+31 -: P];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) left_q <= '0;
    else if (begin_i) left_q <= bytes_i;
    else if (take && has_data) left_q <= is_tail ? '0 : left_q - Full;
  end

  always_ff @(posedge clk_i) begin
    if (begin_i) first_q <= 1'b1;
    else if (take) first_q <= 1'b0;
    if (take) rest_q <= joined[31:0];
  end

endmodule
