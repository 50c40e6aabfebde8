// Properties of bch_buffer, bound into the module as the last thing in it: what is read at an
// address, any one, is what was written there last, lane by lane, a clock later.

  (* anyconst *) logic [AW-1:0] f_addr;
  logic [WIDTH-1:0] f_mem_q, f_known_q;      // what was written, and whether it was
  logic [WIDTH-1:0] f_hit_word_q, f_hit_known_q;
  logic             f_hit_q = 1'b0;
  logic [WIDTH-1:0] f_lane_mask;

  always_comb begin
    f_lane_mask = '0;
    for (int l = 0; l < LANES; l++) begin
      if (write_lane_i == l) f_lane_mask[WIDTH-1-LaneW*l -: LaneW] = '1;
    end
  end

  initial f_known_q = '0;
  always_ff @(posedge clk_i) begin
    if (write_i && write_addr_i == f_addr) begin
      f_mem_q   <= (f_mem_q & ~f_lane_mask) | ({LANES{write_data_i}} & f_lane_mask);
      f_known_q <= f_known_q | f_lane_mask;
    end
    if (read_i) begin
      f_hit_q       <= read_addr_i == f_addr;
      f_hit_word_q  <= f_mem_q;
      f_hit_known_q <= f_known_q;
    end
  end

  always @(posedge clk_i) begin
    assume (f_addr < DEPTH && write_addr_i < DEPTH && read_addr_i < DEPTH);
    if (f_hit_q) assert ((read_data_o & f_hit_known_q) == (f_hit_word_q & f_hit_known_q));
    cover (f_hit_q && &f_hit_known_q);
  end

  for (genvar l = 0; l < LANES; l++) begin : gen_f_lane
    logic [LaneW-1:0] f_known;
    assign f_known = f_known_q[WIDTH-1-LaneW*l -: LaneW];
    always @(posedge clk_i) begin
      assert ((gen_lane[l].mem[f_addr] & f_known) == (f_mem_q[WIDTH-1-LaneW*l -: LaneW] & f_known));
    end
  end
