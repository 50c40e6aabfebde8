// Timing and control registers.
//
// Enters: writes of 16 bits. Leaves: the timing of the bank that bank_i names, the time-out that
// limit_i names, and the settings.
//
// A bank holds the timing of one mode; each die points to a bank, so that dies in different modes
// share the bus. Bank 0 stays at SDR mode 0, where a die falls back with FFh: reset_i moves it
// there. After reset all banks hold SDR mode 0 for a clock of 5 ns or longer.
//
// Addresses: {2'b00, bank[1:0], index[4:0]} a field of a bank (onfi_pkg::Time*); 80h-84h time-outs
// in units of 1024 clocks, in the order of onfi_pkg::Limit*; 85h bit 0 polls the status in place of
// R/B#, bit 1 reads it with 78h, bit 2 pulls WP# low; 86h clocks between two polls, tITC at least;
// 90h + die the die's bank.
`include "prim_assert.svh"

module onfi_timing #(
  parameter int N_DIES  = 8,
  parameter int N_BANKS = 4
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  write_i,
  input  logic [8:0]            addr_i,
  input  logic [15:0]           data_i,
  input  logic [N_DIES-1:0]     reset_i,
  input  logic [1:0]            bank_i,
  output logic [19*10-1:0]      timing_o,
  output logic [2*N_DIES-1:0]   banks_o,  // of each die
  output logic [N_BANKS-1:0]    ddr_o,    // of each bank
  input  logic [2:0]            limit_i,
  output logic [15:0]           limit_o,  // units of the time-out limit_i
  output logic                  poll_o,
  output logic                  enhanced_o,
  output logic                  protect_o,
  output logic [15:0]           interval_o
);

  localparam int BW = onfi_pkg::TimeCount * onfi_pkg::TimeWidth;

  // SDR mode 0, last register first; see onfi_pkg for the names.
  localparam logic [BW-1:0] SafeTiming = {
    10'd4,    // tDQSHZ  20 ns
    10'd0,    // tCKWR
    10'd4,    // tWRCK
    10'd0,    // SDR
    10'd40,   // tWB   200 ns
    10'd40,   // tRHW  200 ns
    10'd90,   // tCCS  500 ns less tWP
    10'd100,  // tCCS  500 ns
    10'd70,   // tADL  400 ns less tWP
    10'd24,   // tWHR  120 ns
    10'd4,    // tCEH   20 ns
    10'd4,    // tCH    20 ns
    10'd20,   // tCR2  100 ns, which covers tCHZ and tRR
    10'd10,   // tCS3  100 ns less tWP
    10'd9,    // tREA   40 ns, and a clock more
    10'd10,   // tRC   100 ns less tRP
    10'd10,   // tRP    50 ns
    10'd10,   // tWC   100 ns less tWP
    10'd10    // tWP    50 ns
  };

  // Time-outs: 50 us, 250 ms, 2 ms, 10 ms, 65 ms at 5 ns.
  localparam logic [79:0] SafeLimits = {16'd12700, 16'd1954, 16'd391, 16'd48829, 16'd10};

  logic [N_BANKS*BW-1:0] banks_q;
  logic [2*N_DIES-1:0]   die_banks_q;
  logic [79:0]           limits_q;
  logic [2:0]            control_q;
  logic [15:0]           interval_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      banks_q <= {N_BANKS{SafeTiming}};
    end else if (write_i) begin
      for (int b = 0; b < N_BANKS; b++) begin
        for (int k = 0; k < onfi_pkg::TimeCount; k++) begin
          if (addr_i == 9'(32 * b + k)) begin
            banks_q[b*BW + k*onfi_pkg::TimeWidth +: onfi_pkg::TimeWidth]
                <= data_i[onfi_pkg::TimeWidth-1:0];
          end
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      limits_q    <= SafeLimits;
      control_q   <= 3'd0;
      interval_q  <= 16'd200;
      die_banks_q <= '0;
    end else begin
      for (int k = 0; k < 5; k++) begin
        if (write_i && addr_i == 9'(128 + k)) limits_q[16*k +: 16] <= data_i;
      end
      if (write_i && addr_i == 9'h085) control_q <= data_i[2:0];
      if (write_i && addr_i == 9'h086) interval_q <= data_i;
      for (int d = 0; d < N_DIES; d++) begin
        if (write_i && addr_i == 9'(144 + d)) die_banks_q[2*d +: 2] <= data_i[1:0];
        if (reset_i[d]) die_banks_q[2*d +: 2] <= 2'd0;
      end
    end
  end

  always_comb begin
    timing_o = banks_q[BW-1:0];
    for (int b = 1; b < N_BANKS; b++) begin
      if (bank_i == 2'(b)) timing_o = banks_q[b*BW +: BW];
    end
  end

  always_comb begin
    unique case (limit_i)
      onfi_pkg::LimitReset: limit_o = limits_q[31:16];
      onfi_pkg::LimitRead:  limit_o = limits_q[47:32];
      onfi_pkg::LimitProg:  limit_o = limits_q[63:48];
      onfi_pkg::LimitErase: limit_o = limits_q[79:64];
      default:              limit_o = limits_q[15:0];
    endcase
  end

  always_comb begin
    for (int b = 0; b < N_BANKS; b++) begin
      ddr_o[b] = banks_q[b*BW + onfi_pkg::TimeHalf*onfi_pkg::TimeWidth +: 10] != 10'd0;
    end
  end

  assign banks_o    = die_banks_q;
  assign poll_o     = control_q[0];
  assign enhanced_o = control_q[1];
  assign protect_o  = control_q[2];
  assign interval_o = interval_q;

  `ASSERT_INIT(BanksInRange_A, N_BANKS >= 1 && N_BANKS <= 4)
  `ASSERT_INIT(DiesInRange_A, N_DIES >= 1 && N_DIES <= 16)

endmodule
