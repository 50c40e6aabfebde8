// CRC-32 register: polynomial 0x04C11DB7, most significant bit first, starting from all ones. The
// check value that is sent is its complement (the algorithm known as CRC-32/BZIP2), and behind a
// message with its check value the register always holds the same number, RESIDUE.
//
// A step takes the first bytes_i bytes of a word. Bytes go through one after the other, so the
// depth grows with the word; a tail of any length is a tap in that chain.
module crc32 #(
  parameter int P  = 8,
  parameter int BW = $clog2(P / 8 + 1)
) (
  input  logic          clk_i,
  input  logic          step_i,
  input  logic          first_i,  // the word starts a message
  input  logic [BW-1:0] bytes_i,  // 1 .. P/8
  input  logic [P-1:0]  word_i,
  output logic [31:0]   next_o,   // after this word
  output logic          good_o    // the register holds RESIDUE
);

  localparam logic [31:0] Poly    = 32'h04c11db7;
  localparam logic [31:0] Residue = 32'hc704dd7b;

  logic [31:0] crc_q;
  logic [31:0] chain;

  always_comb begin
    chain  = first_i ? 32'hffffffff : crc_q;
    next_o = chain;
    for (int k = 0; k < P / 8; k++) begin
      chain = chain ^ {word_i[P-1-8*k -: 8], 24'd0};
      for (int b = 0; b < 8; b++) chain = {chain[30:0], 1'b0} ^ (Poly & {32{chain[31]}});
      if (bytes_i > k[BW-1:0]) next_o = chain;
    end
  end

  always_ff @(posedge clk_i) begin
    if (step_i) crc_q <= next_o;
  end

  assign good_o = crc_q == Residue;

endmodule
