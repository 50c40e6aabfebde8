// Round robin: the next request after the one served last.
//
// Enters: requests, and which of them is served when. Leaves: the index of the first request behind
// the last one served, if there is any.
`include "prim_assert.svh"

module onfi_rotate #(
  parameter int N = 8
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic [N-1:0]         requests_i,
  input  logic                 taken_i,
  input  logic [$clog2(N)-1:0] taken_index_i,
  output logic                 valid_o,
  output logic [$clog2(N)-1:0] index_o
);

  localparam int IW = $clog2(N);

  logic [IW-1:0] last_q;
  logic [N-1:0]  behind;

  // Requests behind the last one served come first, the others after them; in each group the
  // lowest.
  always_comb begin
    for (int i = 0; i < N; i++) behind[i] = requests_i[i] && IW'(i) > last_q;
  end

  always_comb begin
    index_o = '0;
    for (int i = N - 1; i >= 0; i--) begin
      if (requests_i[i]) index_o = IW'(i);
    end
    for (int i = N - 1; i >= 0; i--) begin
      if (behind[i]) index_o = IW'(i);
    end
  end

  assign valid_o = requests_i != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) last_q <= '0;
    else if (taken_i) last_q <= taken_index_i;
  end

  `ASSERT_INIT(SeveralRequests_A, N > 1)
  `ASSERT(TakenIsRequested_A, !taken_i || requests_i[taken_index_i])

endmodule
