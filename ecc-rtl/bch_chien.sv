// Chien search: which P_C codeword positions of a word are roots of the error locator.
//
// Position b of a word, counted from its middle x, is a root where the sum over i of coefficient i
// times alpha^(i (x + b)) is zero. Register i holds coefficient i * alpha^((i - Still) x): a power
// of alpha that all terms have makes no difference to zero, so exponents may be counted from any
// coefficient. A step moves the registers P_C positions on. They are loaded for the first word,
// whose middle must be at alpha^0 (ORIGIN of bch_syndrome).
//
// The sum is a polynomial in alpha^b, and is evaluated as one: four coefficients at a time, whose
// factors are a few shifts shared along the positions, then three sums at a time with the factors
// 1, alpha^4b, alpha^8b, then 1, alpha^12b, alpha^24b, .. A single coefficient that is left over
// joins the first four.
//
// Above the middle, exponents are counted from the low end of the polynomial, and below it from
// its high end, so that the factors are shifts up on both sides. A shift up returns the top bit at
// the bottom, where it is many shifts from the top again, so a row of them is few gates deep; a
// shift down returns the bottom bit at the top and near the bottom. Only the first coefficient of
// a four is shifted down, at most P_C / 2 times, which shortens the way of the others.
// This takes less than half the gates of one constant multiplier per coefficient and position.
//
// The sums are registered in every clock; where a word has to wait, what its sums say is kept.
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

  localparam int Middle = P_C / 2;                                 // its b is 0
  localparam int Still  = T_MAX / 2;                               // coefficient that stays
  localparam int Extra  = (T_MAX >= 4 && T_MAX % 4 == 0) ? 1 : 0;  // in the first four
  localparam int Fours  = (T_MAX + 4 - Extra) / 4;

  // Nodes of a level: sums of four, then sums of three nodes of the level below.
  function automatic int nodes(input int level);
    nodes = Fours;
    for (int v = 0; v < level; v++) nodes = (nodes + 2) / 3;
  endfunction

  function automatic int count_levels();
    count_levels = 0;
    for (int n = Fours; n > 1; n = (n + 2) / 3) count_levels = count_levels + 1;
  endfunction

  // The coefficient from which a node counts its exponents, above the middle and below it.
  function automatic int origin(input int level, input int node, input logic above);
    int span;
    int four;
    span = 1;
    for (int v = 0; v < level; v++) span = 3 * span;
    four = node * span;
    if (!above) four = (four + span < Fours) ? four + span - 1 : Fours - 1;
    origin = 4 * four + ((above && four == 0) ? 1 : above ? Extra + 1 : Extra + 2);
  endfunction

  localparam int Levels = count_levels();

  // ---- Coefficients, and their multiples for the positions of a word ----
  for (genvar i = 0; i <= T_MAX; i++) begin : gen_coef
    localparam int Four = (i < 4 + Extra) ? 0 : (i - Extra) / 4;

    logic [M-1:0] coef_q;
    logic [M-1:0] moved;

    gf_scale #(.M(M), .E(P_C * (i - Still))) u_move (.x_i(coef_q), .y_o(moved));

    always_ff @(posedge clk_i) begin
      if (load_i) coef_q <= locator_i[M*i +: M];
      else if (step_i) coef_q <= moved;
    end

    // The multiple for a position, step by step from the middle outwards.
    for (genvar p = 0; p < P_C; p++) begin : gen_at
      logic [M-1:0] product;
      if (p == Middle) begin : gen_middle
        assign product = coef_q;
      end else if (p > Middle) begin : gen_above
        gf_scale #(
          .M(M),
          .E(i - origin(0, Four, 1'b1))
        ) u_shift (
          .x_i(gen_coef[i].gen_at[p-1].product),
          .y_o(product)
        );
      end else begin : gen_below
        gf_scale #(
          .M(M),
          .E(origin(0, Four, 1'b0) - i)
        ) u_shift (
          .x_i(gen_coef[i].gen_at[p+1].product),
          .y_o(product)
        );
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

  // ---- Sums of three sums, level by level: each by what is between its origin and theirs ----
  for (genvar v = 0; v <= Levels; v++) begin : gen_level
    for (genvar g = 0; g < nodes(v); g++) begin : gen_node
      for (genvar p = 0; p < P_C; p++) begin : gen_at
        logic [M-1:0] sum;
        if (v == 0) begin : gen_leaf
          assign sum = gen_four[g].gen_at[p].sum;
        end else begin : gen_parts
          logic [3*M-1:0] parts;
          for (genvar k = 0; k < 3; k++) begin : gen_part
            if (3 * g + k < nodes(v - 1)) begin : gen_used
              localparam int Apart = origin(v - 1, 3 * g + k, p > Middle) -
                                     origin(v, g, p > Middle);
              gf_scale #(
                .M(M),
                .E(Apart * (p - Middle))
              ) u_part (
                .x_i(gen_level[v-1].gen_node[3*g+k].gen_at[p].sum),
                .y_o(parts[M*k +: M])
              );
            end else begin : gen_none
              assign parts[M*k +: M] = '0;
            end
          end
          assign sum = parts[0 +: M] ^ parts[M +: M] ^ parts[2*M +: M];
        end
      end
    end
  end

  // ---- Roots ----
  logic [P_C-1:0] root;
  logic [P_C-1:0] kept_q;
  logic           fresh_q;  // a step was made: the sums are those of its word

  for (genvar p = 0; p < P_C; p++) begin : gen_root
    logic [M-1:0] sum_q;
    always_ff @(posedge clk_i) sum_q <= gen_level[Levels].gen_node[0].gen_at[p].sum;
    assign root[P_C-1-p] = sum_q == '0;
  end

  assign root_o = fresh_q ? root : kept_q;

  always_ff @(posedge clk_i) begin
    fresh_q <= step_i;
    kept_q  <= root_o;
  end

endmodule
