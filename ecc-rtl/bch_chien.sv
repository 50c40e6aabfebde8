// Chien search: which P_C codeword positions of a word are roots of the error locator.
//
// Register i holds coefficient i times alpha^(i x), x the position of the word's middle; a step
// moves all of them P_C positions on. Position b of the word is P_C/2 before to P_C/2 - 1 behind
// the middle, so the constants in between stay small: alpha^(i b), |b| <= P_C/2.
//
// The sum over i of alpha^(i b) * coefficient i is a polynomial in alpha^b, and is evaluated as
// one: four coefficients at a time, whose factors alpha^b, alpha^2b, alpha^3b are a few shifts
// shared along the positions, and then pairs of sums with the factors alpha^4b, alpha^8b, ..
// That is less than half the gates of one constant multiplier per coefficient and position.
// A single coefficient that is left over joins the last four.
module bch_chien #(
  parameter int M     = 13,
  parameter int T_MAX = 24,
  parameter int P_C   = 8
) (
  input  logic                   clk_i,
  input  logic                   load_i,
  input  logic                   step_i,
  input  logic [(T_MAX+1)*M-1:0] locator_i,
  output logic [P_C-1:0]         root_o     // first position on top, as in a word
);

  localparam int Middle = P_C / 2;
  localparam int Fours  = (T_MAX < 4) ? 1 : (T_MAX % 4 == 0) ? T_MAX / 4 : T_MAX / 4 + 1;
  localparam int Levels = $clog2(Fours);

  // ---- Coefficients, and their multiples for the positions of a word ----
  for (genvar i = 0; i <= T_MAX; i++) begin : gen_coef
    localparam int Place = (i / 4 < Fours) ? i % 4 : 4;  // within its four

    logic [M-1:0] coef_q;

    if (i == 0) begin : gen_constant
      always_ff @(posedge clk_i) begin
        if (load_i) coef_q <= locator_i[0 +: M];
      end
    end else begin : gen_moving
      logic [M-1:0] moved;
      gf_scale #(.M(M), .E(P_C * i)) u_move (.x_i(coef_q), .y_o(moved));
      always_ff @(posedge clk_i) begin
        if (load_i) coef_q <= locator_i[M*i +: M];
        else if (step_i) coef_q <= moved;
      end
    end

    // product = coef_q * alpha^(Place b), step by step away from the middle.
    for (genvar p = 0; p < P_C; p++) begin : gen_at
      logic [M-1:0] product;
      if (p == Middle || Place == 0) begin : gen_middle
        assign product = coef_q;
      end else if (p > Middle) begin : gen_behind
        gf_scale #(.M(M), .E(Place)) u_shift (.x_i(gen_coef[i].gen_at[p-1].product), .y_o(product));
      end else begin : gen_ahead
        gf_scale #(.M(M), .E(-Place)) u_shift (.x_i(gen_coef[i].gen_at[p+1].product), .y_o(product));
      end
    end
  end

  // ---- Sums of four coefficients ----
  for (genvar g = 0; g < Fours; g++) begin : gen_four
    localparam int Count = (g < Fours - 1) ? 4 : T_MAX + 1 - 4 * g;
    for (genvar p = 0; p < P_C; p++) begin : gen_at
      logic [M-1:0] low, high, sum;
      assign low = gen_coef[4*g].gen_at[p].product ^ gen_coef[4*g+1].gen_at[p].product;
      if (Count == 5) begin : gen_five
        assign high = gen_coef[4*g+2].gen_at[p].product ^ gen_coef[4*g+3].gen_at[p].product ^
                      gen_coef[4*g+4].gen_at[p].product;
      end else if (Count == 4) begin : gen_full
        assign high = gen_coef[4*g+2].gen_at[p].product ^ gen_coef[4*g+3].gen_at[p].product;
      end else if (Count == 3) begin : gen_three
        assign high = gen_coef[4*g+2].gen_at[p].product;
      end else begin : gen_two
        assign high = '0;
      end
      assign sum = low ^ high;
    end
  end

  // ---- Pairs of sums, level by level: sum = even + alpha^(4 * 2^level * b) * odd ----
  for (genvar v = 0; v <= Levels; v++) begin : gen_level
    for (genvar g = 0; g < ((Fours + (1 << v) - 1) >> v); g++) begin : gen_node
      for (genvar p = 0; p < P_C; p++) begin : gen_at
        logic [M-1:0] sum;
        if (v == 0) begin : gen_leaf
          assign sum = gen_four[g].gen_at[p].sum;
        end else if (((2 * g + 1) << (v - 1)) >= Fours) begin : gen_single
          assign sum = gen_level[v-1].gen_node[2*g].gen_at[p].sum;
        end else begin : gen_pair
          logic [M-1:0] odd;
          gf_scale #(
            .M(M),
            .E((2 << v) * (p - Middle))
          ) u_odd (
            .x_i(gen_level[v-1].gen_node[2*g+1].gen_at[p].sum),
            .y_o(odd)
          );
          assign sum = gen_level[v-1].gen_node[2*g].gen_at[p].sum ^ odd;
        end
      end
    end
  end

  for (genvar p = 0; p < P_C; p++) begin : gen_root
    assign root_o[P_C-1-p] = gen_level[Levels].gen_node[0].gen_at[p].sum == '0;
  end

endmodule
