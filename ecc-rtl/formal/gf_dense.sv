// Self-checking bench of the arithmetic of a large field, against a table of powers of alpha in
// powers.hex: every element squared, scaled by the constants that the codec uses and those around
// a turn of the field, and multiplied by each power of two, by single elements, and by a sequence
// that visits every element.
module gf_dense #(
  parameter int M = 13
);

  localparam int Order = (1 << M) - 1;
  localparam int Scales = 48;

  // -8, -16, -32, -64; 0 and its neighbours; short shifts; and long ones, spread over the field.
  function automatic int exponent(input int i);
    exponent = (i < 4) ? -(8 << i) : (i < 24) ? i - 5 : (i < 40) ? 8 * (i - 22) :
               Order - 2 + (i - 40) * (i - 39) * 211;
  endfunction

  logic [M-1:0] powers [Order];
  int           logs [1 << M];

  logic         clk = 1'b0;
  logic [M-1:0] a, b, product, square;
  logic [M*Scales-1:0] scaled;
  longint       checks = 0;

  always #1 clk = !clk;

  gf_mult   #(.M(M)) u_mult   (.a_i(a), .b_i(b), .y_o(product));
  gf_square #(.M(M)) u_square (.x_i(a), .y_o(square));
  for (genvar i = 0; i < Scales; i++) begin : gen_scale
    gf_scale #(.M(M), .E(exponent(i))) u_scale (.x_i(a), .y_o(scaled[M*i +: M]));
  end

  function automatic logic [M-1:0] times_power(input logic [M-1:0] x, input int e);
    times_power = (x == '0) ? '0 : powers[(logs[x] + e + Order) % Order];
  endfunction

  task automatic expect_equal(input string what, input logic [M-1:0] is, input logic [M-1:0] want);
    checks++;
    if (is != want) begin
      $display("%s: a=%0d b=%0d is %0d, not %0d", what, a, b, is, want);
      $fatal(1);
    end
  endtask

  task automatic multiply(input logic [M-1:0] x, input logic [M-1:0] y);
    @(negedge clk);
    a = x;
    b = y;
    @(posedge clk);
    expect_equal("product", product, (y == '0) ? '0 : times_power(x, logs[y]));
  endtask

  initial begin
    $readmemh("powers.hex", powers);
    for (int i = 0; i < Order; i++) logs[powers[i]] = i;
    for (int x = 0; x <= Order; x++) begin
      multiply(x[M-1:0], M'(x * 40503 + 12829));
      expect_equal("square", square, (x == 0) ? '0 : times_power(a, logs[a]));
      for (int i = 0; i < Scales; i++) begin
        expect_equal("scaled", scaled[M*i +: M], times_power(a, exponent(i)));
      end
      for (int k = 0; k < M; k++) multiply(x[M-1:0], M'(1 << k));
      multiply(x[M-1:0], '0);
      multiply(x[M-1:0], '1);
      multiply(M'(x * 27), x[M-1:0]);
    end
    $display("%0d checks, all equal", checks);
    $finish;
  end

endmodule
