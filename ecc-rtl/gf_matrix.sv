// A constant linear map over GF(2): y = sum of the columns that x selects.
//
// Field k of COLUMNS (16 bits) is the image of x[k]. Four columns at a time are summed before they
// meet the others: rows that agree on those four inputs then share the gates, which saves about a
// quarter of them against a plain sum, and keeps the depth logarithmic.
module gf_matrix #(
  parameter int            ROWS    = 13,
  parameter int            COLS    = 13,
  parameter logic [1279:0] COLUMNS = 1280'd0
) (
  input  logic [COLS-1:0] x_i,
  output logic [ROWS-1:0] y_o
);

  localparam int Padded = 16 * ((COLS + 15) / 16);

  logic [Padded-1:0] x;

  // Sum of columns k .. k+3.
  function automatic logic [ROWS-1:0] quad(input logic [3:0] bits, input logic [63:0] columns);
    quad = (({ROWS{bits[0]}} & columns[0+:ROWS]) ^ ({ROWS{bits[1]}} & columns[16+:ROWS])) ^
           (({ROWS{bits[2]}} & columns[32+:ROWS]) ^ ({ROWS{bits[3]}} & columns[48+:ROWS]));
  endfunction

  always_comb begin
    x            = '0;
    x[COLS-1:0]  = x_i;
    y_o          = '0;
    for (int k = 0; k < Padded; k += 16) begin
      y_o = y_o ^ ((quad(x[k+:4], COLUMNS[16*k+:64]) ^
                    quad(x[k+4+:4], COLUMNS[16*(k+4)+:64])) ^
                   (quad(x[k+8+:4], COLUMNS[16*(k+8)+:64]) ^
                    quad(x[k+12+:4], COLUMNS[16*(k+12)+:64])));
    end
  end

endmodule
