// Operations and registers of the ONFI channel controller.
//
// An operation is a line of one table (function form), which the HAL holds in the same order: first
// command, address cycles, data, confirming command, busy time. A new operation is a new line.
package onfi_pkg;

  // ---- Operations ----
  localparam logic [4:0] OpReset            = 5'd0;
  localparam logic [4:0] OpSynchronousReset = 5'd1;
  localparam logic [4:0] OpResetLun         = 5'd2;
  localparam logic [4:0] OpSetFeatures      = 5'd7;
  localparam logic [4:0] OpReadStatus       = 5'd8;
  localparam logic [4:0] OpReadEnhanced     = 5'd9;
  localparam logic [4:0] OpRaw              = 5'd28;

  // Address cycles: none, one byte, column and row, row, column.
  localparam logic [2:0] AddrNone = 3'd0;
  localparam logic [2:0] AddrByte = 3'd1;
  localparam logic [2:0] AddrFull = 3'd2;
  localparam logic [2:0] AddrRow  = 3'd3;
  localparam logic [2:0] AddrCol  = 3'd4;

  // Data, and what they wait for.
  localparam logic [2:0] DataNone     = 3'd0;
  localparam logic [2:0] DataInAdl    = 3'd1;
  localparam logic [2:0] DataInCcs    = 3'd2;
  localparam logic [2:0] DataOutWhr   = 3'd3;
  localparam logic [2:0] DataOutCcs   = 3'd4;
  localparam logic [2:0] DataOutReady = 3'd5;

  // What the die does after the last command or data cycle.
  localparam logic [1:0] BusyNone   = 2'd0;
  localparam logic [1:0] BusyWait   = 2'd1;
  localparam logic [1:0] BusyStatus = 2'd2;

  // Which of the time-outs bounds the busy time.
  localparam logic [2:0] LimitShort = 3'd0;
  localparam logic [2:0] LimitReset = 3'd1;
  localparam logic [2:0] LimitRead  = 3'd2;
  localparam logic [2:0] LimitProg  = 3'd3;
  localparam logic [2:0] LimitErase = 3'd4;

  // In NV-DDR, register bytes (ID, status, features) cross the bus twice each.
  localparam logic Array = 1'b0;
  localparam logic Twice = 1'b1;

  localparam logic [8:0] NoConfirm = 9'h000;

  // {known, first, address, data, {has confirm, confirm}, busy, limit, twice}
  localparam int FormWidth = 30;

  function automatic logic [29:0] form(input logic [7:0] op);
    case (op)
      8'd0:    form = {9'h1ff, AddrNone, DataNone,     NoConfirm, BusyWait,   LimitReset, Array};
      8'd1:    form = {9'h1fc, AddrNone, DataNone,     NoConfirm, BusyWait,   LimitReset, Array};
      8'd2:    form = {9'h1fa, AddrRow,  DataNone,     NoConfirm, BusyWait,   LimitReset, Array};
      8'd3:    form = {9'h190, AddrByte, DataOutWhr,   NoConfirm, BusyNone,   LimitShort, Twice};
      8'd4:    form = {9'h1ec, AddrByte, DataOutReady, NoConfirm, BusyWait,   LimitRead,  Array};
      8'd5:    form = {9'h1ed, AddrByte, DataOutReady, NoConfirm, BusyWait,   LimitRead,  Array};
      8'd6:    form = {9'h1ee, AddrByte, DataOutReady, NoConfirm, BusyWait,   LimitShort, Twice};
      8'd7:    form = {9'h1ef, AddrByte, DataInAdl,    NoConfirm, BusyWait,   LimitShort, Twice};
      8'd8:    form = {9'h170, AddrNone, DataOutWhr,   NoConfirm, BusyNone,   LimitShort, Twice};
      8'd9:    form = {9'h178, AddrRow,  DataOutWhr,   NoConfirm, BusyNone,   LimitShort, Twice};
      8'd10:   form = {9'h100, AddrFull, DataOutReady, 9'h130,    BusyWait,   LimitRead,  Array};
      8'd11:   form = {9'h100, AddrFull, DataNone,     9'h130,    BusyWait,   LimitRead,  Array};
      8'd12:   form = {9'h100, AddrFull, DataNone,     9'h132,    BusyWait,   LimitShort, Array};
      8'd13:   form = {9'h131, AddrNone, DataOutReady, NoConfirm, BusyWait,   LimitRead,  Array};
      8'd14:   form = {9'h100, AddrFull, DataOutReady, 9'h131,    BusyWait,   LimitRead,  Array};
      8'd15:   form = {9'h13f, AddrNone, DataOutReady, NoConfirm, BusyWait,   LimitRead,  Array};
      8'd16:   form = {9'h105, AddrCol,  DataOutCcs,   9'h1e0,    BusyNone,   LimitShort, Array};
      8'd17:   form = {9'h106, AddrFull, DataOutCcs,   9'h1e0,    BusyNone,   LimitShort, Array};
      8'd18:   form = {9'h180, AddrFull, DataInAdl,    9'h110,    BusyStatus, LimitProg,  Array};
      8'd19:   form = {9'h180, AddrFull, DataInAdl,    9'h115,    BusyStatus, LimitProg,  Array};
      8'd20:   form = {9'h180, AddrFull, DataInAdl,    9'h111,    BusyWait,   LimitShort, Array};
      8'd21:   form = {9'h180, AddrFull, DataInAdl,    NoConfirm, BusyNone,   LimitShort, Array};
      8'd22:   form = {9'h185, AddrCol,  DataInCcs,    NoConfirm, BusyNone,   LimitShort, Array};
      8'd23:   form = {9'h185, AddrCol,  DataInCcs,    9'h110,    BusyStatus, LimitProg,  Array};
      8'd24:   form = {9'h160, AddrRow,  DataNone,     9'h1d0,    BusyStatus, LimitErase, Array};
      8'd25:   form = {9'h160, AddrRow,  DataNone,     9'h1d1,    BusyWait,   LimitShort, Array};
      8'd26:   form = {9'h100, AddrFull, DataNone,     9'h135,    BusyWait,   LimitRead,  Array};
      8'd27:   form = {9'h185, AddrFull, DataNone,     9'h110,    BusyStatus, LimitProg,  Array};
      // A raw sequence: commands, addresses and data come as instructions in its data.
      8'd28:   form = {9'h100, AddrNone, DataInAdl,    NoConfirm, BusyNone,   LimitShort, Array};
      default: form = {9'h000, AddrNone, DataNone,     NoConfirm, BusyNone,   LimitShort, Array};
    endcase
  endfunction

  // Instructions of a raw sequence, bits 3:0 of the first of their two bytes; bits 5:4 are the gap
  // before, bit 6 says that data cross the bus twice. The second byte is the argument.
  localparam logic [3:0] RawCommand = 4'd1;  // command cycle
  localparam logic [3:0] RawAddress = 4'd2;  // address cycle
  localparam logic [3:0] RawDataIn  = 4'd3;  // so many of the following bytes into the die
  localparam logic [3:0] RawDataOut = 4'd4;  // so many bytes out of the die
  localparam logic [3:0] RawWait    = 4'd5;  // busy time; the argument is the time-out's number
  localparam logic [3:0] RawStatus  = 4'd6;  // one byte out of the die into the completion

  // ---- Completions ----
  localparam logic [1:0] OutcomeDone     = 2'd0;
  localparam logic [1:0] OutcomeFailed   = 2'd1;
  localparam logic [1:0] OutcomeTimedOut = 2'd2;
  localparam logic [1:0] OutcomeRefused  = 2'd3;

  // ---- Visits of the bus: what a die wants it for, and how it leaves ----
  localparam logic [1:0] VisitIssue  = 2'd0;  // the operation up to its busy time
  localparam logic [1:0] VisitFinish = 2'd1;  // what comes after the busy time
  localparam logic [1:0] VisitPoll   = 2'd2;  // look whether it is busy still
  localparam logic [1:0] LeaveDone   = 2'd0;
  localparam logic [1:0] LeaveBusy   = 2'd1;
  localparam logic [1:0] LeaveAgain  = 2'd2;  // still busy, to be polled again

  // ---- Cycles of the bus ----
  localparam logic [2:0] CycleSelect  = 3'd0;
  localparam logic [2:0] CycleCommand = 3'd1;
  localparam logic [2:0] CycleAddress = 3'd2;
  localparam logic [2:0] CycleIn      = 3'd3;
  localparam logic [2:0] CycleOut     = 3'd4;
  localparam logic [2:0] CycleRelease = 3'd5;

  // What a cycle waits for, after the one before.
  localparam logic [1:0] GapNext = 2'd0;
  localparam logic [1:0] GapWhr  = 2'd1;
  localparam logic [1:0] GapAdl  = 2'd2;
  localparam logic [1:0] GapCcs  = 2'd3;

  // ---- Timing registers of a bank, in clocks (onfi_timing) ----
  localparam int TimeWidth = 10;
  localparam int TimeCount = 19;
  localparam int TimeWp    = 0;   // WE# low
  localparam int TimeNext  = 1;   // WE# high between cycles; NV-DDR: tCAD
  localparam int TimeRp    = 2;   // RE# low
  localparam int TimeReh   = 3;   // RE# high between cycles
  localparam int TimeCap   = 4;   // RE# fall to capture
  localparam int TimeCs    = 5;   // CE# fall to WE# fall
  localparam int TimeCr    = 6;   // CE# fall to RE# fall
  localparam int TimeCh    = 7;   // last strobe to CE# rise, and to CLE, ALE and DQ at rest
  localparam int TimeCeh   = 8;   // CE# high
  localparam int TimeWhr   = 9;   // WE# rise to RE# fall
  localparam int TimeAdl   = 10;  // WE# rise of an address to WE# fall of data
  localparam int TimeCcsR  = 11;  // WE# rise of a column change to RE# fall
  localparam int TimeCcsW  = 12;  // WE# rise of a column change to WE# fall of data
  localparam int TimeRhw   = 13;  // RE# rise to WE# fall
  localparam int TimeWb    = 14;  // WE# rise of a confirmation until R/B# means something
  localparam int TimeHalf  = 15;  // NV-DDR: half a period of CLK; 0 makes the bank an SDR one
  localparam int TimeWrck  = 16;  // NV-DDR: W/R# fall to the first data-out cycle
  localparam int TimeCkwr  = 17;  // NV-DDR: last data-out cycle to W/R# rise
  localparam int TimeFree  = 18;  // NV-DDR: W/R# rise until the host may drive (tDQSHZ)

endpackage
