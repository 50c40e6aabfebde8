// Properties of bch_correct, bound into the module as the last thing in it. Search and memory are
// cut (cut/bch_chien.sv, cut/bch_buffer.sv): the proof is about words and statuses, whatever the
// roots. Two things are followed from any moment on: a codeword, from the clock in which the
// search takes it over to its status, and a word in the memory, from its writing to its reading.

  localparam int FW = XW + 2;
  // ---- What is promised by those who drive the inputs ----
  logic f_rejected;
  assign f_rejected = code_i != bch_pkg::StsOk;
  initial assume (!rst_ni);
  always @(posedge clk_i) begin
    if (start_i) begin
      assume (!(clean_i && fail_i));
      if (f_rejected) assume (clean_i && code_i >= 3'd4);
      else begin
        assume (bytes_i >= 1 + 4 * CRC && bytes_i <= K_MAX / 8);
        assume (strength_i >= 1 && strength_i <= T_MAX);
        if (!clean_i && !fail_i) assume (errors_i >= 1 && errors_i <= strength_i);
      end
    end
  end

  function automatic logic [FW-1:0] f_words(input int bits);
    f_words = (bits + P_C - 1) / P_C;
  endfunction

  function automatic logic [TW+3:0] f_count(input logic [P_C-1:0] bits);
    f_count = '0;
    for (int b = 0; b < P_C; b++) f_count = f_count + bits[b];
  endfunction

  function automatic logic [FW+2:0] f_turn(input logic [FW+2:0] address);
    f_turn = (address >= Depth) ? address - Depth : address;
  endfunction

  logic [XW-1:0] f_payload;  // words that still go out, this one included
  // ---- Words and statuses owed ----
  logic          f_m_beat, f_sts_beat;
  logic [FW-1:0] f_load_out;       // words that go out for the codeword being loaded
  logic [FW-1:0] f_m_owed_q;
  logic [2:0]    f_sts_owed_q;
  assign f_m_beat   = m_valid_o && m_ready_i;
  assign f_sts_beat = sts_valid_o && sts_ready_i;
  assign f_load_out = f_rejected ? '0 : f_words(8 * bytes_i - 32 * CRC);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_m_owed_q   <= '0;
      f_sts_owed_q <= '0;
    end else begin
      f_m_owed_q   <= f_m_owed_q - f_m_beat + (load ? f_load_out : '0);
      f_sts_owed_q <= f_sts_owed_q - f_sts_beat + load;
    end
  end
  // ---- The codeword that is followed ----
  (* anyseq *) logic f_pick;
  logic          f_take;
  logic          f_on_q;
  logic [2:0]    f_code_q;
  logic          f_clean_q, f_fail_q;
  logic [TW-1:0] f_errors_q;
  logic [FW-1:0] f_n_q, f_d_q, f_o_q;        // words searched at most, of the message, going out
  logic [BL-1:0] f_all_tail_q, f_out_tail_q;
  logic [FW-1:0] f_m_ahead_q, f_m_q;         // words of others before it; its own so far
  logic [2:0]    f_sts_ahead_q;
  // Where its words are, and their numbers.
  logic          f_ahead_q, f_open_q, f_status_q;
  logic          f_search_q, f_sum_q, f_out_q, f_cnt_q;
  logic [FW-1:0] f_i_q, f_sum_i_q, f_out_i_q, f_cnt_i_q, f_end_i_q;
  logic [TW+3:0] f_seen_q, f_roots_q;        // its roots that left the search, the output

  assign f_take = load && f_pick && !f_on_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_on_q     <= 1'b0;
      f_ahead_q  <= 1'b0;
      f_open_q   <= 1'b0;
      f_status_q <= 1'b0;
      f_search_q <= 1'b0;
      f_sum_q    <= 1'b0;
      f_out_q    <= 1'b0;
      f_cnt_q    <= 1'b0;
    end else begin
      if (f_take) begin
        f_on_q       <= 1'b1;
        f_ahead_q    <= 1'b1;
        f_code_q     <= code_i;
        f_clean_q    <= clean_i;
        f_fail_q     <= fail_i;
        f_errors_q   <= errors_i;
        f_d_q        <= f_rejected ? '0 : f_words(8 * bytes_i);
        f_o_q        <= f_load_out;
        f_n_q        <= f_rejected ? 1 : (clean_i || fail_i) ? f_words(8 * bytes_i) :
                        f_words(8 * bytes_i + M * strength_i);
        f_all_tail_q <= (8 * bytes_i + M * strength_i) % P_C;
        f_out_tail_q <= (8 * bytes_i) % P_C;
        if (CRC != 0) f_out_tail_q <= (8 * bytes_i - 32) % P_C;
        f_m_ahead_q   <= f_m_owed_q - f_m_beat;
        f_sts_ahead_q <= f_sts_owed_q - f_sts_beat;
        f_m_q         <= '0;
        f_seen_q      <= '0;
        f_roots_q     <= '0;
      end else if (f_on_q) begin
        if (f_m_beat && f_m_ahead_q != '0) f_m_ahead_q <= f_m_ahead_q - 1;
        else if (f_m_beat && f_m_q != f_o_q) f_m_q <= f_m_q + 1;
        if (f_sts_beat && f_sts_ahead_q != '0) f_sts_ahead_q <= f_sts_ahead_q - 1;
        if (follow && f_ahead_q) begin
          f_ahead_q <= 1'b0;
          f_open_q  <= 1'b1;
        end
        if (finish && f_open_q) begin
          f_open_q   <= 1'b0;
          f_status_q <= 1'b1;
          f_end_i_q  <= f_cnt_i_q;
        end
        if (f_sts_beat && f_status_q) begin
          f_status_q <= 1'b0;
          f_on_q     <= 1'b0;
        end
        if (advance && f_sum_q) f_seen_q <= f_seen_q + f_count(root & in_code);
        if (advance && f_out_q) f_roots_q <= f_roots_q + f_count(flip_q);
      end
      if (load) begin
        f_search_q <= f_take;
        f_i_q      <= '0;
      end else begin
        if (early || (advance && is_last)) f_search_q <= 1'b0;
        if (search_q && advance) f_i_q <= f_i_q + 1;
      end
      if (early) f_sum_q <= 1'b0;
      else if (advance) begin
        f_sum_q   <= search_q && f_search_q;
        f_sum_i_q <= f_i_q;
      end
      if (early) f_out_q <= 1'b0;
      else if (advance) begin
        f_out_q   <= f_sum_q;
        f_out_i_q <= f_sum_i_q;
      end
      f_cnt_q   <= f_out_q && advance && !early;
      f_cnt_i_q <= f_out_i_q;
    end
  end
  // A polynomial has no more roots than its degree.
  always @(posedge clk_i) if (f_sum_q) assume (f_seen_q + f_count(root & in_code) <= f_errors_q);
  // ---- Words out: its own, in order, the last one marked, filled with zeros ----
  logic [P_C-1:0] f_fill;
  assign f_fill = (f_out_tail_q == '0) ? '0 : {P_C{1'b1}} >> f_out_tail_q;
  always @(posedge clk_i) begin
    if (rst_ni) begin
      if (m_valid_o) assert (f_m_owed_q != '0);
      if (f_on_q && m_valid_o) assert (f_out_q == (f_m_ahead_q == '0 && f_m_q != f_o_q));
      if (f_on_q && m_valid_o && f_out_q) begin
        assert (f_out_i_q == f_m_q);
        assert (m_last_o == (f_m_q + 1 == f_o_q));
        if (m_last_o) assert ((m_data_o & f_fill) == '0);
        assert ((m_data_o | (m_last_o ? f_fill : '0)) ==
                ((stored ^ flip_q) | (m_last_o ? f_fill : '0)));
      end
      // Positions behind the codeword are no errors of it.
      if (f_sum_q && f_sum_i_q + 1 == f_n_q && !f_clean_q && !f_fail_q && f_all_tail_q != '0) begin
        assert ((in_code & ({P_C{1'b1}} >> f_all_tail_q)) == '0);
      end
    end
  end

  // ---- Status: one for each, behind its last word, with the right code ----
  logic f_found;
  assign f_found = f_roots_q == f_errors_q;
  always @(posedge clk_i) begin
    if (rst_ni) begin
      if (sts_valid_o) assert (f_sts_owed_q != '0);
      if (f_on_q && sts_valid_o) assert (f_status_q == (f_sts_ahead_q == '0));
      if (f_status_q) begin
        assert (sts_valid_o && f_m_q == f_o_q);
        if (f_code_q != bch_pkg::StsOk) begin
          assert (sts_data_o == {5'd0, f_code_q, 8'd0});
        end else if (f_fail_q || (!f_clean_q && !f_found)) begin
          assert (sts_data_o == 16'h0100);
          assert (f_end_i_q + 1 == f_n_q);
        end else begin
          assert (sts_data_o[7:0] == (f_clean_q ? 8'd0 : f_errors_q));
          assert (sts_data_o[15:8] == 8'd0 || (CRC != 0 && sts_data_o[15:8] == 8'd2));
          assert (f_end_i_q + 1 >= f_d_q);
        end
      end
    end
  end

  // ---- Memory: what is read is what was written, in order ----
  (* anyconst *) logic [AW-1:0] f_addr;      // the address that is watched
  (* anyseq *)   logic          f_pick_word;
  logic           f_read;
  logic [FW+2:0]  f_level_q;                 // words in the memory
  logic [FW+2:0]  f_reserved;                // of which the codewords in the search still read
  logic [P_C-1:0] f_mem_q, f_kept_q;         // what is at the address; the word that is followed
  logic           f_hit_q;                   // the output shows what was at the address
  logic [P_C-1:0] f_hit_word_q;
  logic           f_word_q, f_part_q;        // a word is followed; it is not yet complete
  logic           f_shown_q;                 // it is at the memory's output
  logic [FW+2:0]  f_word_ahead_q;
  logic [P_C-1:0] f_lanes_q;                 // its bits that were written
  logic [P_C-1:0] f_lane_mask;
  assign f_read     = sum_q && sum_data_q && advance;
  assign f_reserved = (search_q ? data_left_q : '0) + (sum_q && sum_data_q);
  always_comb begin
    f_lane_mask = '0;
    for (int l = 0; l < Lanes; l++) if (write_lane == l) f_lane_mask[P_C-1-P*l -: P] = '1;
  end

  always @(posedge clk_i) begin
    // The decoder takes no more codewords than the memory holds, and gives the search none whose
    // words have not all come.
    if (data_write_i) assume (f_level_q < Depth);
    if (start_i && !f_rejected) assume (f_level_q >= f_reserved + f_words(8 * bytes_i));
    // A memory.
    if (f_hit_q) assume (stored == f_hit_word_q);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_level_q <= '0;
      f_hit_q   <= 1'b0;
      f_word_q  <= 1'b0;
      f_part_q  <= 1'b0;
      f_shown_q <= 1'b0;
    end else begin
      f_level_q <= f_level_q + write_next - f_read;
      if (data_write_i && write_addr_q == f_addr) begin
        f_mem_q <= (f_mem_q & ~f_lane_mask) | ({Lanes{data_i}} & f_lane_mask);
      end
      if (advance) begin
        f_hit_q      <= read_addr_q == f_addr;
        f_hit_word_q <= f_mem_q;
        f_shown_q    <= f_read && f_word_q && f_word_ahead_q == '0;
        if (f_read && f_word_q && f_word_ahead_q == '0) f_word_q <= 1'b0;
      end
      if (f_read && f_word_ahead_q != '0) f_word_ahead_q <= f_word_ahead_q - 1;
      if (f_pick_word && !f_word_q && !f_shown_q && data_write_i && write_lane == '0 &&
          write_addr_q == f_addr) begin
        f_word_q       <= 1'b1;
        f_part_q       <= !write_next;
        f_word_ahead_q <= f_level_q - f_read;
        f_lanes_q      <= f_lane_mask;
        f_kept_q       <= {Lanes{data_i}} & f_lane_mask;
      end else if (f_part_q && data_write_i) begin
        f_part_q  <= !write_next;
        f_lanes_q <= f_lanes_q | f_lane_mask;
        f_kept_q  <= f_kept_q | ({Lanes{data_i}} & f_lane_mask);
      end
    end
  end

  // A message starts in the first part of a word.
  logic f_fresh_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_fresh_q <= 1'b1;
    else if (data_write_i) f_fresh_q <= data_last_i;
  end

  always @(posedge clk_i) begin
    if (rst_ni) begin
      if (f_read) assert (f_level_q != '0 && !(f_word_q && f_word_ahead_q == '0 && f_part_q));
      if (f_shown_q) assert ((stored & f_lanes_q) == f_kept_q);
      if (f_fresh_q) assert (write_lane == '0);
    end
  end

  // ---- No deadlock: clocks in which something is due, no neighbour holds it up, and nothing
  // comes. At most as many as the parity has words, and the stages ----
  localparam int FBound = (32 * CRC + M * T_MAX) / P_C + 6;
  logic          f_due, f_held, f_moves;
  logic [FW-1:0] f_stuck_q, f_to_go;
  assign f_due   = f_sts_owed_q != '0 || start_i;
  assign f_held  = (m_valid_o && !m_ready_i) || (sts_valid_o && !sts_ready_i);
  assign f_moves = load || f_m_beat || f_sts_beat;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_stuck_q <= '0;
    else if (!f_due || f_moves) f_stuck_q <= '0;
    else if (!f_held) f_stuck_q <= f_stuck_q + 1;
  end

  // Clocks to the next word or status, if nothing is held up: the oldest stage decides.
  always_comb begin
    if (m_valid_o || sts_valid_o) f_to_go = 0;
    else if (count_q && count_end_q) f_to_go = 1;
    else if (out_q && out_end_q) f_to_go = 2;
    else if (sum_q && sum_out_q) f_to_go = 1;
    else if (sum_q && sum_end_q) f_to_go = 3;
    else if (search_q && is_payload) f_to_go = 2;
    else if (search_q) f_to_go = left_q + 3;
    else f_to_go = 0;
  end
  always @(posedge clk_i) begin
    if (rst_ni) begin
      assert (f_stuck_q <= FBound);
      assert (f_stuck_q + f_to_go <= FBound);
    end
  end

  // ---- Invariants: order of the stages. A word belongs to the codeword that is counted, or to
  // the one ahead of the count ----
  logic f_as_q, f_au_q, f_ao_q;   // search, sum, output: of the codeword ahead
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_as_q <= 1'b0;
      f_au_q <= 1'b0;
      f_ao_q <= 1'b0;
    end else begin
      if (advance) begin
        f_au_q <= f_as_q;
        f_ao_q <= f_au_q;
      end
      if (load) f_as_q <= 1'b1;
      if (follow) begin
        f_as_q <= 1'b0;
        f_au_q <= 1'b0;
        f_ao_q <= 1'b0;
      end
    end
  end

  logic f_cs, f_cu, f_co, f_ns, f_nu, f_no;   // counted / next: in search, sum, output
  assign f_cs = search_q && !f_as_q;
  assign f_cu = sum_q && !f_au_q;
  assign f_co = out_q && !f_ao_q;
  assign f_ns = search_q && f_as_q;
  assign f_nu = sum_q && f_au_q;
  assign f_no = out_q && f_ao_q;
  logic f_same_su, f_same_uo, f_same_so;      // two stages hold the same codeword
  assign f_same_su = search_q && sum_q && f_as_q == f_au_q;
  assign f_same_uo = sum_q && out_q && f_au_q == f_ao_q;
  assign f_same_so = search_q && out_q && f_as_q == f_ao_q;
  always @(posedge clk_i) begin
    if (rst_ni) begin
      assert (f_sts_owed_q == sts_valid_o + open_q + ahead_q);
      assert (f_m_owed_q == (search_q && is_payload ? (CRC != 0 ? f_payload : data_left_q) : '0) +
              (sum_q && sum_out_q) + (out_q && out_data_q));
      if (!ahead_q) assert (!f_ns && !f_nu && !f_no);
      if (!open_q) assert (!f_cs && !f_cu && !f_co && !count_q);
      if (!open_q && ahead_q) assert (f_ns && !f_nu && !f_no);
      if (f_nu) assert (!f_cs);
      if (f_no) assert (!f_cs && !f_cu);
      if (open_q) begin
        assert (f_cs + (f_cu && sum_end_q) + (f_co && out_end_q) + (count_q && count_end_q) == 1);
      end
      if (ahead_q) assert (f_ns + (f_nu && sum_end_q) + (f_no && out_end_q) == 1);
      if (f_co && out_end_q) assert (!f_cu && !f_cs);
      if (f_no && out_end_q) assert (!f_nu && !f_ns);
      if (count_q && count_end_q) assert (!f_co && !f_cu && !f_cs && !sts_valid_o);
      if (search_q) begin
        assert (left_q != '0 && data_left_q <= left_q && left_q <= f_words(K_MAX + M * T_MAX));
        assert (data_left_q <= f_words(K_MAX) && left_q - data_left_q <= f_words(M * T_MAX) + 1);
        if (CRC != 0) assert (f_payload <= data_left_q && data_left_q <= f_payload + 32 / P_C + 1);
      end
      if (sum_q && sum_out_q) assert (sum_data_q);
      if (sum_q && sum_data_end_q) assert (sum_data_q);
      // Data come before parity.
      if (f_same_su && (!sum_data_q || sum_data_end_q)) assert (data_left_q == '0);
      if (f_same_uo && out_after_q) assert (!sum_data_q);
      if (f_same_so && out_after_q) assert (data_left_q == '0);
      if (count_q && count_after_q && f_co) assert (!out_data_q && out_after_q);
      if (count_q && count_after_q && f_cu) assert (!sum_data_q);
      if (count_q && count_after_q && f_cs) assert (data_left_q == '0);
      if (sum_q && sum_data_q && search_q && f_same_su) assert (!sum_end_q);
      assert (f_level_q >= f_reserved && f_level_q <= Depth);
      assert (read_addr_q < Depth && write_addr_q < Depth);
      assert (write_addr_q == f_turn(read_addr_q + f_level_q));
      if (f_word_q) begin
        assert (f_addr == f_turn(read_addr_q + f_word_ahead_q) && f_addr < Depth);
        assert (f_part_q ? f_word_ahead_q == f_level_q : f_word_ahead_q < f_level_q);
        assert ((f_mem_q & f_lanes_q) == f_kept_q);
        assert (!f_shown_q);
      end
      if (f_part_q) assert (f_word_q && write_lane != '0);
      if (f_shown_q) assert (f_hit_q && (f_hit_word_q & f_lanes_q) == f_kept_q);
      if (!f_part_q && f_word_q) assert (f_lanes_q != '0);
    end
  end

  if (CRC != 0) begin : gen_f_payload
    assign f_payload = gen_payload.payload_left_q;
    always @(posedge clk_i) begin
      if (rst_ni && f_search_q) assert (gen_payload.payload_tail_q == f_out_tail_q);
    end
  end else begin : gen_f_whole
    assign f_payload = data_left_q;
  end

  if (Lanes > 1) begin : gen_f_lanes
    always @(posedge clk_i) begin
      if (rst_ni && f_part_q) begin
        for (int l = 0; l < Lanes; l++) begin
          assert (f_lanes_q[P_C-1-P*l -: P] == ((l < gen_lanes.lane_q) ? {P{1'b1}} : {P{1'b0}}));
        end
      end
    end
  end

  // ---- Invariants: the codeword that is followed ----
  logic f_skip;
  assign f_skip = f_clean_q || f_fail_q;
  always @(posedge clk_i) begin
    if (rst_ni) begin
      assert (f_on_q == (f_ahead_q || f_open_q || f_status_q));
      assert (f_ahead_q + f_open_q + f_status_q <= 1);
      if (!f_ahead_q && !f_open_q) assert (!f_search_q && !f_sum_q && !f_out_q && !f_cnt_q);
      if (f_search_q) assert (search_q && f_i_q < f_n_q && left_q == f_n_q - f_i_q);
      if (f_sum_q) assert (sum_q);
      if (f_out_q) assert (out_q);
      if (f_cnt_q) assert (count_q);
      if (f_ahead_q) begin
        assert (ahead_q && next_skip_q == f_skip && next_errors_q == f_errors_q);
        assert (next_code_q == (f_fail_q ? bch_pkg::StsUncorrectable : f_code_q));
        assert (f_search_q == f_ns && f_sum_q == f_nu && f_out_q == f_no && !f_cnt_q);
        assert (f_sts_ahead_q == sts_valid_o + open_q);
        assert (f_roots_q == '0);
      end
      if (f_open_q) begin
        assert (open_q && skip_q == f_skip && errors_q == f_errors_q);
        assert (code_q == (f_fail_q ? bch_pkg::StsUncorrectable : f_code_q));
        assert (f_search_q == f_cs && f_sum_q == f_cu && f_out_q == f_co && f_cnt_q == count_q);
        assert (f_sts_ahead_q == sts_valid_o);
        assert (found_q + (count_q ? count_roots_q : '0) == f_roots_q);
      end
      if (f_status_q) assert (sts_valid_o && f_sts_ahead_q == '0);
      if (f_on_q) begin
        assert (f_d_q <= f_n_q && f_o_q <= f_d_q && f_n_q != '0);
        assert (f_n_q <= f_words(K_MAX + M * T_MAX));
        if (f_code_q != bch_pkg::StsOk) assert (f_clean_q && f_n_q == 1 && f_d_q == '0);
        else assert (f_o_q != '0 && (!f_skip || f_n_q == f_d_q));
        assert (!(f_clean_q && f_fail_q));
        assert (f_code_q == bch_pkg::StsOk || f_code_q >= 3'd4);
        if (!f_skip) assert (f_errors_q != '0 && f_errors_q <= T_MAX);
        assert (f_seen_q == f_roots_q + (f_out_q ? f_count(flip_q) : 0));
        if (f_skip) assert (f_seen_q == '0);
        else assert (f_seen_q <= f_errors_q);
        // Its words follow one another.
        if (f_search_q) begin
          assert ((f_i_q == '0) ? !f_sum_q && !f_out_q && !f_cnt_q :
                  f_sum_q && f_sum_i_q + 1 == f_i_q);
        end
        if (f_sum_q) begin
          assert ((f_sum_i_q == '0) ? !f_out_q && !f_cnt_q :
                  f_out_q && f_out_i_q + 1 == f_sum_i_q);
        end
        if (f_out_q && f_out_i_q == '0) assert (!f_cnt_q);
        if (f_search_q) begin
          assert (next_skip_q == f_skip);
          assert (data_left_q == ((f_i_q < f_d_q) ? f_d_q - f_i_q : '0));
          assert (f_payload == ((f_i_q < f_o_q) ? f_o_q - f_i_q : '0));
          if (f_code_q == bch_pkg::StsOk) begin
            assert (tail_q == f_all_tail_q || f_skip);
            if (CRC == 0) assert (data_tail_q == f_out_tail_q);
          end
        end
        if (f_sum_q) begin
          assert (f_sum_i_q < f_n_q && sum_look_q == !f_skip);
          assert (sum_data_q == (f_sum_i_q < f_d_q) && sum_data_end_q == (f_sum_i_q + 1 == f_d_q));
          assert (sum_end_q == (f_sum_i_q + 1 == f_n_q) && sum_out_q == (f_sum_i_q < f_o_q));
          assert (sum_out_end_q == (f_sum_i_q + 1 == f_o_q));
          if (f_code_q == bch_pkg::StsOk) begin
            assert (sum_out_tail_q == (sum_out_end_q ? f_out_tail_q : '0));
            if (!f_skip) assert (sum_tail_q == (sum_end_q ? f_all_tail_q : '0));
          end
        end
        if (f_out_q) begin
          assert (f_out_i_q < f_n_q && out_data_q == (f_out_i_q < f_o_q));
          assert (out_end_q == (f_out_i_q + 1 == f_n_q) && m_last_o == (f_out_i_q + 1 == f_o_q));
          assert (out_after_q == (f_out_i_q + 1 >= f_d_q));
          if (f_skip) assert (flip_q == '0);
          if (m_last_o && f_out_tail_q != '0) assert (keep_q == ~f_fill);
          else if (f_out_i_q < f_o_q) assert (keep_q == '1);
          assert (f_m_q == ((f_out_i_q < f_o_q) ? f_out_i_q : f_o_q) && f_m_ahead_q == '0);
        end
        if (f_cnt_q) begin
          assert (f_cnt_i_q < f_n_q && count_end_q == (f_cnt_i_q + 1 == f_n_q));
          assert (count_after_q == (f_cnt_i_q + 1 >= f_d_q));
          if (count_after_q) assert (f_m_q == f_o_q && f_m_ahead_q == '0);
          if (f_out_q) assert (f_out_i_q == f_cnt_i_q + 1);
        end
        if ((f_search_q && f_i_q == '0) || (f_sum_q && f_sum_i_q == '0)) begin
          assert (f_m_q == '0 && f_roots_q == '0);
          assert (f_m_ahead_q ==
                  (f_search_q && f_i_q == '0 && sum_q && sum_out_q) + (out_q && out_data_q));
        end
        if (f_status_q) assert (f_m_q == f_o_q && f_m_ahead_q == '0);
      end
    end
  end

  // ---- Reached at all ----
  always @(posedge clk_i) begin
    if (rst_ni) begin
      cover (f_status_q && !f_skip && f_found && f_end_i_q + 1 < f_n_q);
      cover (f_status_q && !f_skip && !f_found);
      cover (f_shown_q && m_valid_o);
    end
  end
