// The bindings' own test top: gives back what it is given, by the port convention of the codec.
//
// A command of b bytes takes ceil(8 b / P) words from s_* and repeats them on m_*; then a status
// with the command's strength in its low byte follows. A command of zero bytes is rejected with
// code 4. A mixing register of StateBits bits follows the words, so that a clock costs about what
// one of a small codec costs. The fail_* inputs end the simulation in each possible way.
//
// Comb = 0: words pass through a queue of registers, so ready and valid depend on state alone.
// Comb = 1: words pass straight through, so m_valid_o follows s_valid_i and s_ready_o follows
//           m_ready_i within the clock.

module echo #(
  parameter int P         = 8,    // bits per word
  parameter int StateBits = 400,  // size of the mixing register, at least 96 and at least P
  parameter int Comb      = 0     // 1: the word path has no register
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // commands
  input  logic                 cmd_valid_i,
  output logic                 cmd_ready_o,
  input  logic [7:0]           cmd_strength_i,
  input  logic [15:0]          cmd_bytes_i,
  // words in
  input  logic                 s_valid_i,
  output logic                 s_ready_o,
  input  logic [P-1:0]         s_data_i,
  // words out
  output logic                 m_valid_o,
  input  logic                 m_ready_i,
  output logic [P-1:0]         m_data_o,
  output logic                 m_last_o,
  // statuses
  output logic                 sts_valid_o,
  input  logic                 sts_ready_i,
  output logic [15:0]          sts_data_o,
  // wide ports
  input  logic [95:0]          key_i,
  output logic [StateBits-1:0] digest_o,
  // ways to fail
  input  logic                 fail_assert_i,
  input  logic                 fail_error_i,
  input  logic                 fail_fatal_i,
  input  logic                 fail_stop_i,
  input  logic                 fail_finish_i,
  input  logic                 say_i,
  input  logic                 hang_i
);

  localparam int DepthLog2 = 4;

  typedef enum logic [1:0] {Idle, Pass, Report} state_e;

  state_e                 state_q, state_d;
  logic [7:0]             strength_q;
  logic                   rejected_q;
  logic [18:0]            words_in_q;   // words still to take
  logic [18:0]            words_out_q;  // words still to give
  logic                   cmd_beat, s_beat, m_beat, sts_beat;
  logic [18:0]            cmd_words;

  assign cmd_beat  = cmd_valid_i & cmd_ready_o;
  assign s_beat    = s_valid_i & s_ready_o;
  assign m_beat    = m_valid_o & m_ready_i;
  assign sts_beat  = sts_valid_o & sts_ready_i;
  assign cmd_words = 19'(({13'd0, cmd_bytes_i, 3'd0} + P - 1) / P);

  // ---- control ----
  always_comb begin
    state_d = state_q;
    unique case (state_q)
      // Waits for a command.
      Idle: begin
        if (cmd_beat & (cmd_bytes_i == 16'd0)) state_d = Report;
        if (cmd_beat & (cmd_bytes_i != 16'd0)) state_d = Pass;
      end
      // Passes the words on.
      Pass:    if (m_beat & m_last_o) state_d = Report;
      // Waits until the status is taken.
      Report:  if (sts_beat) state_d = Idle;
      default: state_d = Idle;
    endcase
  end

  assign cmd_ready_o = (state_q == Idle) & ~hang_i;
  assign sts_valid_o = (state_q == Report);
  assign sts_data_o  = {5'b0, rejected_q, 2'b0, strength_q};
  assign m_last_o    = (words_out_q == 19'd1);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q     <= Idle;
      strength_q  <= 8'd0;
      rejected_q  <= 1'b0;
      words_in_q  <= 19'd0;
      words_out_q <= 19'd0;
    end else begin
      state_q <= state_d;
      if (cmd_beat) begin
        strength_q  <= cmd_strength_i;
        rejected_q  <= (cmd_bytes_i == 16'd0);
        words_in_q  <= cmd_words;
        words_out_q <= cmd_words;
      end else begin
        if (s_beat) words_in_q  <= words_in_q - 19'd1;
        if (m_beat) words_out_q <= words_out_q - 19'd1;
      end
    end
  end

  // ---- word path ----
  if (Comb != 0) begin : gen_comb
    assign s_ready_o = (words_in_q != 19'd0) & m_ready_i & ~hang_i;
    assign m_valid_o = (words_in_q != 19'd0) & s_valid_i & ~hang_i;
    assign m_data_o  = s_data_i;
  end else begin : gen_queue
    logic [P-1:0]         queue_q [0:(1 << DepthLog2)-1];
    logic [DepthLog2-1:0] head_q, tail_q;
    logic [DepthLog2:0]   level_q;

    assign s_ready_o = (words_in_q != 19'd0) & ~level_q[DepthLog2] & ~hang_i;
    assign m_valid_o = (level_q != '0);
    assign m_data_o  = queue_q[tail_q];

    always_ff @(posedge clk_i) begin
      if (s_beat) queue_q[head_q] <= s_data_i;
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        head_q  <= '0;
        tail_q  <= '0;
        level_q <= '0;
      end else begin
        if (s_beat) head_q <= head_q + 1'b1;
        if (m_beat) tail_q <= tail_q + 1'b1;
        if (s_beat & ~m_beat) level_q <= level_q + 1'b1;
        if (m_beat & ~s_beat) level_q <= level_q - 1'b1;
      end
    end
  end

  // ---- mixing register: one masked XOR per input bit, as an unrolled code's encoder has ----
  logic [StateBits-1:0] digest_q, digest_d;

  always_comb begin
    digest_d = {digest_q[StateBits-P-1:0], digest_q[StateBits-1:StateBits-P]};
    for (int i = 0; i < P; i++) begin
      if (s_data_i[i] ^ digest_q[StateBits-1-i]) begin
        digest_d = digest_d ^ ({{(StateBits-96){1'b0}}, 96'h9e3779b97f4a7c15f39cc060}
                               << ((i * 37) % (StateBits-96)));
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      digest_q <= '0;
    end else if (cmd_beat) begin
      digest_q <= {{(StateBits-96){1'b0}}, key_i};
    end else if (s_beat) begin
      digest_q <= digest_d;
    end
  end

  assign digest_o = digest_q;

  // ---- ways to fail ----
`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (say_i)         $display("echo says %0d", s_data_i);
    if (fail_fatal_i)  $fatal(1, "fatal with data %0d", s_data_i);
    if (fail_stop_i)   $stop;
    if (fail_finish_i) $finish;
  end
`ifdef VERILATOR
  always @(posedge clk_i) begin
    if (fail_error_i) $error("error with data %0d", s_data_i);
  end

  Trip_A: assert property (@(posedge clk_i) disable iff (!rst_ni) !fail_assert_i)
      else $error("tripped with data %0d", s_data_i);
`endif
`endif

endmodule
