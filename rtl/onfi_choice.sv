// Chooses the die that has the bus next, and names the data that are wanted next.
//
// Enters: which dies want the bus, for what, and whether they need data; the tag that the data
// stream offers. Leaves: the die whose turn it is, round robin among those that can go on, with its
// operation; and the tag that the stream should offer, round robin among those that need data.
//
// Brief visits, after which a die works on, go before bursts of data; otherwise all dies would wait
// for their next job behind the bursts of all others. After N_DIES of them in a row a burst is due.
module onfi_choice #(
  parameter int N_DIES = 8,
  parameter int TAG_W  = 6,
  parameter int WORD   = 67
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic [N_DIES-1:0]         want_i,
  input  logic [N_DIES-1:0]         wants_in_i,
  input  logic [N_DIES-1:0]         brief_i,
  input  logic [2*N_DIES-1:0]       visits_i,
  input  logic [N_DIES*WORD-1:0]    heads_i,
  input  logic                      s_valid_i,
  input  logic [TAG_W-1:0]          s_tag_i,
  input  logic                      take_i,
  output logic                      valid_o,
  output logic [N_DIES-1:0]         grant_o,      // with take_i
  output logic [$clog2(N_DIES)-1:0] die_o,        // who was granted the bus last
  output logic [WORD-1:0]           head_o,
  output logic [1:0]                visit_o,
  output logic                      ask_valid_o,
  output logic [TAG_W-1:0]          ask_tag_o
);

  localparam int DW = $clog2(N_DIES);

  logic [N_DIES-1:0] eligible;
  logic [N_DIES-1:0] brief;
  logic [N_DIES-1:0] bursts;
  logic [N_DIES-1:0] requests;
  logic [DW:0]       row_q;      // brief visits in a row
  logic [DW-1:0]     choice;
  logic [DW-1:0]     die_q;
  logic [DW-1:0]     ask_die;
  logic              grant_in;

  always_comb begin
    for (int d = 0; d < N_DIES; d++) begin
      eligible[d] = want_i[d] && (!wants_in_i[d] || (s_valid_i
                    && s_tag_i == heads_i[d*WORD + WORD-TAG_W +: TAG_W]));
    end
  end

  assign brief  = eligible & brief_i;
  assign bursts = eligible & ~brief_i;

  always_comb begin
    requests = brief;
    if (brief == '0 || (bursts != '0 && row_q == (DW+1)'(N_DIES))) requests = bursts;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) row_q <= '0;
    else if (take_i && !brief_i[choice]) row_q <= '0;
    else if (take_i && row_q != (DW+1)'(N_DIES)) row_q <= row_q + 1'b1;
  end

  onfi_rotate #(
    .N(N_DIES)
  ) u_turn (
    .clk_i,
    .rst_ni,
    .requests_i   (requests),
    .taken_i      (take_i),
    .taken_index_i(choice),
    .valid_o,
    .index_o      (choice)
  );

  assign grant_in = take_i && wants_in_i[choice];

  onfi_rotate #(
    .N(N_DIES)
  ) u_ask (
    .clk_i,
    .rst_ni,
    .requests_i   (want_i & wants_in_i),
    .taken_i      (grant_in),
    .taken_index_i(choice),
    .valid_o      (ask_valid_o),
    .index_o      (ask_die)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) die_q <= '0;
    else if (take_i) die_q <= choice;
  end

  assign die_o = die_q;

  always_comb begin
    for (int d = 0; d < N_DIES; d++) grant_o[d] = take_i && choice == DW'(d);
  end

  always_comb begin
    head_o    = heads_i[WORD-1:0];
    visit_o   = visits_i[1:0];
    ask_tag_o = heads_i[WORD-TAG_W +: TAG_W];
    for (int d = 1; d < N_DIES; d++) begin
      if (die_q == DW'(d)) begin
        head_o  = heads_i[d*WORD +: WORD];
        visit_o = visits_i[2*d +: 2];
      end
      if (ask_die == DW'(d)) ask_tag_o = heads_i[d*WORD + WORD-TAG_W +: TAG_W];
    end
  end

endmodule
