// Properties of crc32_append, bound into the module as the last thing in it. The check value is
// cut (cut/crc32.sv): the proof is about where its bytes go.
//
// One byte of the stream that leaves is compared, at any index: it is the data's byte of that
// index, or a byte of the check value as it was after the last data word, or zero.

  localparam int FMaxBytes = 1 << (LB - 2);

  (* anyconst *) logic [LB-1:0] f_index;  // of the byte that is compared
  logic          f_on_q;                  // a message is under way
  logic [LB-1:0] f_bytes_q;               // its data
  logic [LB-1:0] f_count_q;               // words that have left
  logic [31:0]   f_crc_q;                 // after the last data word
  logic [LB-1:0] f_data_words, f_all_words;

  assign f_data_words = (f_bytes_q + W - 1) / W;
  assign f_all_words  = (f_bytes_q + 4 + W - 1) / W;

  logic f_last;
  assign f_last = f_on_q && f_count_q + 1 == f_all_words;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_on_q <= 1'b0;
    end else begin
      if (take) f_count_q <= f_count_q + 1;
      if (take && f_last) f_on_q <= 1'b0;
      if (take && f_count_q + 1 == f_data_words) f_crc_q <= crc;
      if (begin_i) begin
        f_on_q    <= 1'b1;
        f_bytes_q <= bytes_i;
        f_count_q <= '0;
      end
    end
  end

  // The framer begins a message with or after the last word of the one before, and takes words
  // only within a message (proved there).
  initial assume (!rst_ni);
  always @(posedge clk_i) begin
    assume (!begin_i || !f_on_q || (take && f_last));
    assume (!begin_i || (bytes_i >= 1 && bytes_i <= FMaxBytes));
    assume (!m_ready_i || f_on_q);
  end

  // ---- The byte that leaves ----
  logic [LB-1:0] f_at;        // where it is in its word
  logic [7:0]    f_is;
  logic [7:0]    f_should_be;
  logic [LB-1:0] f_behind;    // its distance from the end of the data
  logic [31:0]   f_crc;
  logic [31:0]   f_crc_moved;

  assign f_at        = f_index % W;
  assign f_behind    = f_index - f_bytes_q;
  assign f_crc       = (f_count_q + 1 == f_data_words) ? ~crc : ~f_crc_q;
  assign f_crc_moved = f_crc << (8 * f_behind);

  always_comb begin
    f_is = 8'd0;
    for (int k = 0; k < W; k++) if (f_at == k) f_is = m_data_o[P-1-8*k -: 8];
    f_should_be = 8'd0;
    if (f_index < f_bytes_q) begin
      for (int k = 0; k < W; k++) if (f_at == k) f_should_be = s_data_i[P-1-8*k -: 8];
    end else if (f_behind < 4) begin
      f_should_be = f_crc_moved[31:24];
    end
  end

  always @(posedge clk_i) begin
    if (rst_ni && f_on_q) begin
      if (m_valid_o && f_count_q == f_index / W) assert (f_is == f_should_be);
      // Data words pass, one in for one out; behind them nothing is taken.
      if (f_count_q < f_data_words) begin
        assert (m_valid_o == s_valid_i && s_ready_o == m_ready_i);
        assert (first_q == (f_count_q == '0));
        assert (tail == ((f_bytes_q - W * f_count_q < W) ? f_bytes_q - W * f_count_q : W));
      end else begin
        assert (m_valid_o && !s_ready_o);
      end
    end
    if (rst_ni && !f_on_q) assert (!s_ready_o);
  end

  // ---- Invariants ----
  always @(posedge clk_i) begin
    if (rst_ni) begin
      if (f_on_q) begin
        assert (f_bytes_q >= 1 && f_bytes_q <= FMaxBytes && f_count_q < f_all_words);
        assert (left_q == ((f_count_q < f_data_words) ? f_bytes_q - W * f_count_q : 0));
        if (f_count_q >= f_data_words) begin
          assert (rest_q == (~f_crc_q << (8 * (W * f_count_q - f_bytes_q))));
        end
      end else begin
        assert (left_q == '0);
      end
      cover (f_on_q && take && f_last && f_bytes_q == 3);
    end
  end
