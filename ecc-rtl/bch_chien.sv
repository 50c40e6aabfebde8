// Chien search: which P_C codeword positions of a word are roots of the error locator.
//
// Register i holds coefficient i times alpha^(i x), x the word's first position; a step moves all
// of them P_C positions on. Position b of the word needs another alpha^(i b).
//
// The sum over i of alpha^(i b) * coefficient i is a polynomial in alpha^b, and is evaluated as
// one: four coefficients at a time, whose factors alpha^b, alpha^2b, alpha^3b are a few shifts
// shared along the positions, and then pairs of sums with the factors alpha^4b, alpha^8b, ..
// That is less than half the gates of one constant multiplier per coefficient and position.
// A single coefficient that is left over joins the first four, which have the shortest way.
module bch_chien #(
  parameter int M     = 13,
  parameter int T_MAX = 24,
  parameter int P_C   = 8
) (
  input  logic                   clk_i,
  input  logic                   load_i,
  input  logic                   step_i,
  input  logic [(T_MAX+1)*M-1:0] locator_i,
  output logic [P_C-1:0]         root_o     // a step later; first position on top, as in a word
);

  localparam int Extra  = (T_MAX >= 4 && T_MAX % 4 == 0) ? 1 : 0;  // in the first four
  localparam int Fours  = (T_MAX + 4 - Extra) / 4;
  localparam int Levels = $clog2(Fours);

  // ---- Coefficients, and their multiples for the positions of a word ----
  for (genvar i = 0; i <= T_MAX; i++) begin : gen_coef
    localparam int Place = (i < 4 + Extra) ? i : (i - Extra) % 4;  // within its four

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

    // product = coef_q * alpha^(Place b), step by step along the positions.
    for (genvar p = 0; p < P_C; p++) begin : gen_at
      logic [M-1:0] product;
      if (p == 0 || Place == 0) begin : gen_first
        assign product = coef_q;
      end else begin : gen_next
        gf_scale #(.M(M), .E(Place)) u_shift (.x_i(gen_coef[i].gen_at[p-1].product), .y_o(product));
      end
    end
  end

  // ---- Sums of four coefficients ----
  for (genvar g = 0; g < Fours; g++) begin : gen_four
    localparam int First = (g == 0) ? 0 : 4 * g + Extra;
    localparam int Count = (g == 0 && T_MAX >= 3) ? 4 + Extra :
                           (T_MAX + 1 - First < 4) ? T_MAX + 1 - First : 4;
    for (genvar p = 0; p < P_C; p++) begin : gen_at
      logic [M-1:0] low, high, sum;
      if (Count == 1) begin : gen_low_one
        assign low = gen_coef[First].gen_at[p].product;
      end else begin : gen_low_two
        assign low = gen_coef[First].gen_at[p].product ^ gen_coef[First+1].gen_at[p].product;
      end
      if (Count == 5) begin : gen_five
        assign high = gen_coef[First+2].gen_at[p].product ^ gen_coef[First+3].gen_at[p].product ^
                      gen_coef[First+4].gen_at[p].product;
      end else if (Count == 4) begin : gen_four
        assign high = gen_coef[First+2].gen_at[p].product ^ gen_coef[First+3].gen_at[p].product;
      end else if (Count == 3) begin : gen_three
        assign high = gen_coef[First+2].gen_at[p].product;
      end else begin : gen_few
        assign high = '0;
      end
      assign sum = low ^ high;
    end
  end

  // ---- Pairs of sums, level by level: sum = even + alpha^(Apart b) * odd ----
  for (genvar v = 0; v <= Levels; v++) begin : gen_level
    for (genvar g = 0; g < ((Fours + (1 << v) - 1) >> v); g++) begin : gen_node
      localparam int Apart = (2 << v) + ((g == 0) ? Extra : 0);  // coefficients between the two
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
            .E(Apart * p)
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
    logic [M-1:0] sum_q;
    always_ff @(posedge clk_i) begin
      if (step_i) sum_q <= gen_level[Levels].gen_node[0].gen_at[p].sum;
    end
    assign root_o[P_C-1-p] = sum_q == '0;
  end

endmodule
