// Properties of bch_framer, bound into the module as the last thing in it.
//
// One command is followed from the clock in which it is accepted, any command at any time: its
// words are told by counting the words that the commands before it still owe. Of its words one is
// compared, at any index. What holds for it holds for all: no word is dropped, repeated or
// reordered, and each command takes and gives exactly its own number of words.

  // ---- What a command asks for ----
  localparam int FMaxBytes = K_MAX / 8 - 4 * CRC;

  function automatic logic [2:0] f_code(input logic [7:0] strength, input logic [15:0] bytes);
    f_code = 3'd0;
    if (strength < 8'd1 || strength > T_MAX || (FIXED != 0 && strength != T_MAX)) f_code = 3'd6;
    if (bytes > FMaxBytes) f_code = 3'd5;
    if (bytes < 16'd1) f_code = 3'd4;
  endfunction

  function automatic logic [15:0] f_data_words(input logic [15:0] bytes);
    f_data_words = (8 * (bytes + 4 * CRC) + P - 1) / P;
  endfunction

  function automatic logic [15:0] f_parity_words(input logic [7:0] strength);
    f_parity_words = (M * strength + P - 1) / P;
  endfunction

  // Words that the command takes, and words that leave for it.
  function automatic logic [15:0] f_takes(input logic [7:0] strength, input logic [15:0] bytes);
    f_takes = f_data_words(bytes) + ((PARITY != 0) ? f_parity_words(strength) : 16'd0);
    if (f_code(strength, bytes) != 3'd0) f_takes = 16'd0;
  endfunction

  function automatic logic [15:0] f_gives(input logic [7:0] strength, input logic [15:0] bytes);
    f_gives = f_takes(strength, bytes);
    if (f_code(strength, bytes) != 3'd0) f_gives = 16'd1;
  endfunction

  // ---- Words owed by all commands so far ----
  logic        f_accept, f_beat;
  logic [15:0] f_in_owed_q, f_out_owed_q;

  assign f_accept = cmd_valid_i && cmd_ready_o;
  assign f_beat   = word_valid_o && word_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_in_owed_q  <= '0;
      f_out_owed_q <= '0;
    end else begin
      f_in_owed_q  <= f_in_owed_q - take +
                      (f_accept ? f_takes(cmd_strength_i, cmd_bytes_i) : 16'd0);
      f_out_owed_q <= f_out_owed_q - f_beat +
                      (f_accept ? f_gives(cmd_strength_i, cmd_bytes_i) : 16'd0);
    end
  end

  // ---- The command that is followed ----
  (* anyseq *) logic          f_pick;
  (* anyconst *) logic [15:0] f_index;      // of the word that is compared

  logic         f_on_q;                     // from its acceptance to its last word out
  logic         f_slot_q;                   // it waits for its turn
  logic         f_in_q;                     // its words are coming in
  logic [7:0]   f_strength_q;
  logic [15:0]  f_bytes_q;
  logic [15:0]  f_in_ahead_q, f_in_count_q;    // words of others before it, its own so far
  logic [15:0]  f_out_ahead_q, f_out_count_q;
  logic [P-1:0] f_last_q;                   // its word before
  logic [P-1:0] f_word_q, f_before_q;       // its word number f_index, and the one before that
  logic         f_own_take, f_own_beat;
  logic [15:0]  f_data, f_parity, f_all, f_out_all;
  logic [2:0]   f_own_code;

  assign f_own_code = f_code(f_strength_q, f_bytes_q);
  assign f_data     = f_data_words(f_bytes_q);
  assign f_parity   = f_parity_words(f_strength_q);
  assign f_all      = f_takes(f_strength_q, f_bytes_q);
  assign f_out_all  = f_gives(f_strength_q, f_bytes_q);
  assign f_own_take = f_on_q && take && f_in_ahead_q == '0 && f_in_count_q < f_all;
  assign f_own_beat = f_on_q && f_beat && f_out_ahead_q == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_on_q   <= 1'b0;
      f_slot_q <= 1'b0;
      f_in_q   <= 1'b0;
    end else if (!f_on_q) begin
      f_on_q        <= f_accept && f_pick;
      f_slot_q      <= f_accept && f_pick;
      f_strength_q  <= cmd_strength_i;
      f_bytes_q     <= cmd_bytes_i;
      f_in_ahead_q  <= f_in_owed_q - take;
      f_out_ahead_q <= f_out_owed_q - f_beat;
      f_in_count_q  <= '0;
      f_out_count_q <= '0;
    end else begin
      if (take && f_in_ahead_q != '0) f_in_ahead_q <= f_in_ahead_q - 16'd1;
      if (f_beat && f_out_ahead_q != '0) f_out_ahead_q <= f_out_ahead_q - 16'd1;
      if (f_own_take) begin
        f_in_count_q <= f_in_count_q + 16'd1;
        f_last_q     <= s_data_i;
        if (f_in_count_q == f_index) begin
          f_word_q   <= s_data_i;
          f_before_q <= (f_in_count_q == '0) ? '0 : f_last_q;
        end
        if (f_in_count_q + 16'd1 == f_all) f_in_q <= 1'b0;
      end
      if (f_own_beat) begin
        f_out_count_q <= f_out_count_q + 16'd1;
        if (f_out_count_q + 16'd1 == f_out_all) f_on_q <= 1'b0;
      end
      if (f_slot_q && slot_free) begin
        f_slot_q <= 1'b0;
        f_in_q   <= load;
      end
    end
  end

  // The word as it must leave: data moved by the bytes that its last word lacks, parity cut.
  logic [2*P-1:0] f_moved;
  logic [P-1:0]   f_expected;
  always_comb begin
    f_moved    = {f_before_q, f_word_q} >> (P * f_data - 8 * (f_bytes_q + 4 * CRC));
    f_expected = f_moved[P-1:0];
    if (f_index >= f_data) begin
      f_expected = f_word_q;
      if (f_index == f_all - 16'd1) begin
        f_expected = f_word_q & ({P{1'b1}} << (P * f_parity - M * f_strength_q));
      end
    end
  end

  initial assume (!rst_ni);

  // ---- Words in ----
  always @(posedge clk_i) begin
    if (rst_ni) begin
      if (take) assert (f_in_owed_q != '0);
      if (f_own_take) begin
        assert (data_taken_o == (f_in_count_q < f_data));
        if (data_taken_o) assert (data_taken_last_o == (f_in_count_q == f_data - 16'd1));
      end
      if (f_on_q && f_own_code != 3'd0) assert (!f_own_take);
    end
  end

  // ---- Words out ----
  logic f_own_word;
  assign f_own_word = f_on_q && word_valid_o && f_out_ahead_q == '0;

  always @(posedge clk_i) begin
    if (rst_ni) begin
      if (word_valid_o) assert (f_out_owed_q != '0);
      if (f_own_word) begin
        assert (f_out_count_q < f_out_all);
        assert (word_code_o == f_own_code);
        assert (word_first_o == (f_out_count_q == '0));
        assert (word_last_o == (f_out_count_q == f_out_all - 16'd1));
      end
      if (f_own_word && f_own_code == 3'd0) begin
        assert (strength_o == f_strength_q);
        assert (bytes_o == f_bytes_q + 4 * CRC);
        assert (parity_words_o == f_parity);
        if (W > 1) assert (8 * shift_o == P * f_data - 8 * (f_bytes_q + 4 * CRC));
        if (f_out_count_q == f_index) begin
          assert (raw_o == f_word_q);
          assert (word_o == f_expected);
        end
      end
    end
  end

  // ---- No deadlock: clocks in which something is due, no neighbour holds it up, and nothing
  // moves. One is spent where a command goes from its slot to its words. ----
  logic       f_due, f_held, f_moves;
  logic [2:0] f_stuck_q;
  assign f_due   = f_out_owed_q != '0 || cmd_valid_i;
  assign f_held  = (word_valid_o && !word_ready_i) || (s_ready_o && !s_valid_i);
  assign f_moves = f_accept || take || f_beat;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_stuck_q <= '0;
    else if (!f_due || f_moves) f_stuck_q <= '0;
    else if (!f_held) f_stuck_q <= f_stuck_q + 3'd1;
  end
  always @(posedge clk_i) if (rst_ni) assert (f_stuck_q <= 3'd1);

  // ---- Invariants, which make the above inductive ----
  logic [15:0] f_running;   // words still to come of the codeword that is coming in
  logic        f_slot_bad;
  assign f_running  = !busy_q ? 16'd0 :
                      left_q + ((PARITY != 0 && !in_parity_q) ? parity_words_q : 16'd0);
  assign f_slot_bad = f_code(slot_strength_q, slot_bytes_q) != 3'd0;

  always @(posedge clk_i) begin
    if (rst_ni) begin
      if (busy_q) assert (left_q != '0);
      if (busy_q) assert (left_q <= f_data_words(FMaxBytes) + f_parity_words(T_MAX));
      if (busy_q) assert (parity_words_q != '0 && parity_words_q <= f_parity_words(T_MAX));
      if (PARITY == 0) assert (!in_parity_q);
      if (in_parity_q) assert (busy_q);
      if (f_stuck_q != '0) assert (!slot_valid_q || busy_q || (f_slot_bad && word_valid_o));
      assert (f_in_owed_q == f_running +
              (slot_valid_q ? f_takes(slot_strength_q, slot_bytes_q) : 16'd0));
      assert (f_out_owed_q == f_running + word_valid_o +
              (slot_valid_q ? f_gives(slot_strength_q, slot_bytes_q) : 16'd0));

      assert (!(f_slot_q && f_in_q));
      if (!f_on_q) assert (!f_slot_q && !f_in_q);
      if (f_on_q && f_slot_q) begin
        assert (slot_valid_q && slot_strength_q == f_strength_q && slot_bytes_q == f_bytes_q);
        assert (f_in_ahead_q == f_running && f_in_count_q == '0);
        assert (f_out_ahead_q == f_running + word_valid_o && f_out_count_q == '0);
      end
      if (f_on_q && f_in_q) begin
        assert (busy_q && f_own_code == 3'd0 && f_in_ahead_q == '0 && f_in_count_q < f_all);
        assert (strength_q == f_strength_q && bytes_q == f_bytes_q + 4 * CRC);
        assert (parity_words_q == f_parity);
        assert (in_parity_q == (f_in_count_q >= f_data));
        assert (left_q == (in_parity_q ? f_all : f_data) - f_in_count_q);
        assert (first_q == (f_in_count_q == '0));
        if (W > 1) assert (8 * shift_q == P * f_data - 8 * (f_bytes_q + 4 * CRC));
        if (f_in_count_q == '0) assert (f_out_ahead_q == word_valid_o && f_out_count_q == '0);
        else assert (f_out_ahead_q == '0 && f_out_count_q + word_valid_o == f_in_count_q);
      end
      if (f_on_q && !f_slot_q && !f_in_q) begin
        assert (word_valid_o && f_out_ahead_q == '0 && f_in_ahead_q == '0);
        assert (f_in_count_q == f_all && f_out_count_q == f_out_all - 16'd1);
      end
    end
  end

  if (PARITY != 0) begin : gen_f_pad
    always @(posedge clk_i) begin
      if (rst_ni && f_on_q && f_in_q) begin
        assert (gen_mask.pad_q == P * f_parity - M * f_strength_q);
      end
    end
  end
  if (W > 1) begin : gen_f_prev
    always @(posedge clk_i) begin
      if (rst_ni && f_on_q && f_in_q && f_in_count_q != '0) assert (gen_shift.prev_q == f_last_q);
    end
  end

  // ---- Reached at all ----
  always @(posedge clk_i) begin
    if (rst_ni) begin
      cover (f_own_beat && f_out_count_q == 16'd3 && f_index == 16'd3 && f_own_code == 3'd0);
      cover (f_own_beat && f_own_code == 3'd5);
    end
  end
