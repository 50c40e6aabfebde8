// Constants of a binary BCH code, computed at elaboration.
//
// Fields GF(2^m) in polynomial basis: bit i of an element is the coefficient of alpha^i, and the
// primitive polynomials are the usual ones (m = 13: x^13 + x^4 + x^3 + x + 1, and so on), so a
// codeword made here is one that common software codecs make.
//
// Power series are top coefficient first: bit 0 of a series is the coefficient of the highest
// power of the polynomial. A monic polynomial of degree d is x^d * series(1/x), so its series
// starts with a one, has an inverse, and products of polynomials are products of series.
//
// Tools evaluate these functions by interpretation, so only word-wide loops stand here; and none
// calls another, because Icarus accepts no nested constant functions from a package.
package bch_pkg;

  // Codes of a status word.
  localparam logic [2:0] StsOk            = 3'd0;
  localparam logic [2:0] StsUncorrectable = 3'd1;
  localparam logic [2:0] StsCrcMismatch   = 3'd2;
  localparam logic [2:0] StsLengthZero    = 3'd4;
  localparam logic [2:0] StsLengthOver    = 3'd5;
  localparam logic [2:0] StsStrengthRange = 3'd6;

  // Primitive polynomial of GF(2^m), without its leading term x^m.
  function automatic logic [15:0] prim_poly(input int m);
    case (m)
      4:       prim_poly = 16'h0003;
      5:       prim_poly = 16'h0005;
      6:       prim_poly = 16'h0003;
      7:       prim_poly = 16'h0003;
      8:       prim_poly = 16'h001d;
      9:       prim_poly = 16'h0011;
      10:      prim_poly = 16'h0009;
      11:      prim_poly = 16'h0005;
      12:      prim_poly = 16'h0053;
      13:      prim_poly = 16'h001b;
      14:      prim_poly = 16'h002b;
      15:      prim_poly = 16'h0003;
      default: prim_poly = 16'h100b;
    endcase
  endfunction

  // alpha^e for any integer e: square, and multiply by alpha where the exponent has a one.
  function automatic logic [15:0] gf_pow(input int m, input logic [15:0] poly, input int e);
    int          order;
    int          rest;
    logic [15:0] factor;
    logic [15:0] square;
    order  = (1 << m) - 1;
    rest   = ((e % order) + order) % order;
    gf_pow = 16'd1;
    for (int i = m - 1; i >= 0; i--) begin
      factor = gf_pow;
      square = 16'd0;
      for (int k = 0; k < m; k++) begin
        if (gf_pow[k]) square = square ^ factor;
        factor = factor[m-1] ? ({factor[14:0], 1'b0} ^ poly) : {factor[14:0], 1'b0};
      end
      gf_pow = square;
      if (((rest >> i) & 1) == 1) begin
        gf_pow = square[m-1] ? ({square[14:0], 1'b0} ^ poly) : {square[14:0], 1'b0};
      end
      gf_pow = gf_pow & ~(16'hffff << m);
    end
  endfunction

  // Columns of a linear map as one vector of 16-bit fields: field k is first * ratio^k.
  function automatic logic [1279:0] gf_columns(input int m, input logic [15:0] poly,
                                               input logic [15:0] first,
                                               input logic [15:0] ratio, input int count);
    logic [15:0] column;
    logic [15:0] factor;
    logic [15:0] product;
    gf_columns = 1280'd0;
    column     = first;
    for (int i = 0; i < count; i++) begin
      gf_columns[16*i +: 16] = column;
      if (ratio == 16'd2) begin  // the usual case, and tools interpret this slowly
        product = column[m-1] ? ({column[14:0], 1'b0} ^ poly) : {column[14:0], 1'b0};
      end else begin
        factor  = column;
        product = 16'd0;
        for (int k = 0; k < m; k++) begin
          if (ratio[k]) product = product ^ factor;
          factor = factor[m-1] ? ({factor[14:0], 1'b0} ^ poly) : {factor[14:0], 1'b0};
        end
      end
      column = product & ~(16'hffff << m);
    end
  endfunction

  // Series of the generators of strength 0 .. t_max, cut to 64 terms: field t (64 bits) is the
  // product of the minimal polynomials of alpha, alpha^3, .. alpha^(2t-1). Each of those is the
  // shortest recurrence of one coordinate of the powers of its root, found by Berlekamp-Massey
  // over GF(2) on 2m terms (window: bit k is the term k steps ago).
  function automatic logic [8191:0] generator_series(input int m, input logic [15:0] poly,
                                                     input int t_max);
    logic [15:0] beta;
    logic [15:0] power;
    logic [15:0] factor;
    logic [15:0] product;
    logic [31:0] window;
    logic [31:0] conn;
    logic [31:0] prev;
    logic [31:0] saved;
    int          len;
    logic [63:0] series;
    logic [63:0] next;
    generator_series = 8192'd1;
    series           = 64'd1;
    beta             = 16'd2;
    for (int t = 1; t <= t_max; t++) begin
      power  = 16'd1;
      window = 32'd0;
      conn   = 32'd1;
      prev   = 32'd2;
      len    = 0;
      for (int n = 0; n < 2 * m; n++) begin
        window = {window[30:0], power[0]};
        if (^(conn & window)) begin
          saved = conn;
          conn  = conn ^ prev;
          if (2 * len <= n) begin
            len  = n + 1 - len;
            prev = saved;
          end
        end
        prev    = prev << 1;
        factor  = power;
        product = 16'd0;
        for (int k = 0; k < m; k++) begin
          if (beta[k]) product = product ^ factor;
          factor = factor[m-1] ? ({factor[14:0], 1'b0} ^ poly) : {factor[14:0], 1'b0};
        end
        power = product & ~(16'hffff << m);
      end
      next = 64'd0;
      for (int k = 0; k <= m; k++) begin
        if (conn[k]) next = next ^ (series << k);
      end
      series = next;
      generator_series[64*t +: 64] = series;
      for (int k = 0; k < 2; k++) begin
        beta = (beta[m-1] ? ({beta[14:0], 1'b0} ^ poly) : {beta[14:0], 1'b0}) & ~(16'hffff << m);
      end
    end
  endfunction

  // Quotient of two series that start with a one, cut to 64 terms.
  function automatic logic [63:0] series_div(input logic [63:0] a, input logic [63:0] b);
    logic [63:0] rest;
    rest       = a;
    series_div = 64'd0;
    for (int i = 0; i < 64; i++) begin
      series_div[i] = rest[0];
      if (rest[0]) rest = rest ^ b;
      rest = rest >> 1;
    end
  endfunction

endpackage
