// Instructions of a raw sequence, two bytes each: what to do, and its argument.
//
// Enters: the length of the sequence in bytes, and its bytes, fetched while fetch_i is high.
// Leaves: an instruction (onfi_pkg::Raw*) with run_o, and how many bytes are left.
module onfi_raw (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,
  input  logic [15:0] bytes_i,
  input  logic        fetch_i,
  input  logic        valid_i,
  input  logic [7:0]  data_i,
  input  logic        data_pop_i,  // a byte has gone into the die
  output logic        ask_o,       // an instruction is wanted from the stream
  output logic        pop_o,
  output logic        run_o,       // the instruction is whole with the next clock edge
  output logic        end_o,       // no further instruction comes
  output logic [15:0] left_o,
  output logic [7:0]  code_o,
  output logic [7:0]  argument_o,
  output logic [15:0] length_o     // the argument as a number of bytes, 0 being 256
);

  logic        second_q;  // the argument comes next
  logic        fetch_q;
  logic [15:0] left_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      second_q <= 1'b0;
      fetch_q  <= 1'b0;
      left_q   <= 16'd0;
    end else begin
      fetch_q <= fetch_i;
      if (start_i) left_q <= bytes_i;
      else if (pop_o || data_pop_i) left_q <= left_q - 16'd1;
      if (pop_o) second_q <= !second_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (pop_o && !second_q) code_o <= data_i;
    if (pop_o && second_q) argument_o <= data_i;
  end

  assign ask_o    = fetch_i && !fetch_q && !end_o;
  assign pop_o    = fetch_i && valid_i && !end_o;
  assign run_o    = pop_o && second_q;
  assign end_o    = left_q < 16'd2 && !second_q;
  assign left_o   = left_q;
  assign length_o = {7'd0, argument_o == 8'd0, argument_o};

endmodule
