//! What is proved, with which parameters, and the faults that each proof must notice.

use super::proof::{Fault, Proof};

const FRAMER: Proof = Proof {
    module: "bch_framer",
    params: &[],
    parts: &[],
    cuts: &[],
    base_steps: 3,
    cover_steps: 0,
    faults: &[],
};

pub(crate) fn framer_of_a_decoder() -> Proof {
    Proof {
        params: &[("M", 6), ("K_MAX", 32), ("T_MAX", 4), ("P", 8), ("PARITY", 1)],
        cover_steps: 12,
        faults: &[
            // A word dropped, repeated, marked wrongly.
            Fault {
                snippet: "s_ready_o  = busy_q && word_free",
                replacement: "s_ready_o  = busy_q",
                steps: 8,
            },
            Fault { snippet: "<= take || reject", replacement: "<= busy_q || reject", steps: 8 },
            Fault { snippet: "raw_o        <= s_data_i", replacement: "raw_o <= raw_o", steps: 8 },
            Fault {
                snippet: "word_first_o <= first_q",
                replacement: "word_first_o <= 1",
                steps: 8,
            },
            // One word too few or too many, in the data and in the parity.
            Fault { snippet: "17'(W - 1)", replacement: "17'(W)", steps: 9 },
            Fault { snippet: "16'(P - 1)", replacement: "16'(0)", steps: 9 },
            // A rejected command taken, a good one refused.
            Fault {
                snippet: "slot_total > MaxBytes",
                replacement: "slot_total >= MaxBytes",
                steps: 6,
            },
            Fault {
                snippet: "slot_bytes_q == 16'd0",
                replacement: "slot_bytes_q == 16'd1",
                steps: 6,
            },
            // Filling bits of the parity left in.
            Fault { snippet: "<< pad_q", replacement: "<< (pad_q >> 1)", steps: 9 },
            // No further command behind a rejected one.
            Fault {
                snippet: "slot_free  = load || reject",
                replacement: "slot_free  = load",
                steps: 8,
            },
            Fault {
                snippet: "slot_code == bch_pkg::StsOk &&\n                      (!busy_q ||",
                replacement: "slot_code == bch_pkg::StsOk &&\n                      (first_q ||",
                steps: 8,
            },
        ],
        ..FRAMER
    }
}

pub(crate) fn framer_of_an_encoder_with_crc() -> Proof {
    Proof {
        params: &[("M", 7), ("K_MAX", 80), ("T_MAX", 4), ("P", 16), ("PARITY", 0), ("CRC", 1)],
        cover_steps: 12,
        faults: &[
            Fault { snippet: "17'(4 * CRC)", replacement: "17'(3 * CRC)", steps: 6 },
            Fault { snippet: "first_q ? {P{1'b0}} : prev_q", replacement: "prev_q", steps: 8 },
            Fault {
                snippet: "-slot_total[SW-1:0]",
                replacement: "slot_total[SW-1:0] + 1'b1",
                steps: 8,
            },
        ],
        ..FRAMER
    }
}

pub(crate) fn framer_of_the_512_byte_code() -> Proof {
    Proof {
        params: &[("M", 13), ("K_MAX", 4096), ("T_MAX", 24), ("P", 32), ("PARITY", 1)],
        ..FRAMER
    }
}

pub(crate) fn framer_of_fixed_strength() -> Proof {
    Proof {
        params: &[("M", 6), ("K_MAX", 32), ("T_MAX", 4), ("P", 8), ("PARITY", 1), ("FIXED", 1)],
        faults: &[Fault {
            snippet: "FIXED != 0 && slot_strength_q",
            replacement: "FIXED == 0 && slot_strength_q",
            steps: 6,
        }],
        ..FRAMER
    }
}

const KEY_EQUATION: Proof = Proof {
    module: "bch_key_equation",
    params: &[],
    parts: &[],
    cuts: &["gf_mult", "gf_square"],
    base_steps: 3,
    cover_steps: 0,
    faults: &[],
};

pub(crate) fn key_equation_control_on_one_lane() -> Proof {
    Proof {
        params: &[("M", 4), ("T_MAX", 2), ("LANES", 1)],
        faults: &[Fault {
            snippet: "(LANES == 1) ? StRaise : StPass",
            replacement: "StPass",
            steps: 8,
        }],
        ..KEY_EQUATION
    }
}

pub(crate) fn key_equation_control_on_two_lanes() -> Proof {
    Proof {
        params: &[("M", 4), ("T_MAX", 3), ("LANES", 2)],
        cover_steps: 16,
        faults: &[
            // A pass too many, a slot too few, no way back.
            Fault {
                snippet: "pass_q + PassOne == strength_q",
                replacement: "pass_q == strength_q",
                steps: 9,
            },
            Fault {
                snippet: "last_q        <= slot_d == SlotMax",
                replacement: "last_q        <= slot_d == ZeroAt",
                steps: 9,
            },
            Fault { snippet: "if (done_o && taken_i)", replacement: "if (done_o)", steps: 6 },
            Fault {
                snippet: "if (start_i && skip_i) state_d",
                replacement: "if (skip_i) state_d",
                steps: 6,
            },
            // Syndromes beyond the strength counted, the last of it forgotten.
            Fault {
                snippet: "strength_q > j[TW-1:0]",
                replacement: "strength_q >= j[TW-1:0]",
                steps: 6,
            },
            // The locator changes between two offers.
            Fault { snippet: "pass_last ? One : update", replacement: "update", steps: 14 },
            Fault { snippet: "pass_last ? '0 : acc", replacement: "acc", steps: 14 },
            Fault {
                snippet: "inject_q      <= state_d != StDone && (",
                replacement: "inject_q      <= (",
                steps: 14,
            },
            Fault {
                snippet: "fresh = state_d == StPass && (",
                replacement: "fresh = (",
                steps: 14,
            },
            // A codeword without errors is not said to be one.
            Fault { snippet: "clean_o  = skip_q", replacement: "clean_o  = 1'b0", steps: 6 },
        ],
        ..KEY_EQUATION
    }
}

pub(crate) fn key_equation_control_on_three_lanes() -> Proof {
    Proof { params: &[("M", 4), ("T_MAX", 7), ("LANES", 3)], ..KEY_EQUATION }
}

const APPEND: Proof = Proof {
    module: "crc32_append",
    params: &[],
    parts: &[],
    cuts: &["crc32"],
    base_steps: 3,
    cover_steps: 0,
    faults: &[],
};

pub(crate) fn crc_behind_bytes() -> Proof {
    Proof { params: &[("P", 8)], cover_steps: 10, ..APPEND }
}

pub(crate) fn crc_behind_words() -> Proof {
    Proof {
        params: &[("P", 16)],
        cover_steps: 8,
        faults: &[
            Fault { snippet: "{~crc, ", replacement: "{crc, ", steps: 6 },
            Fault { snippet: "left_q <= Full", replacement: "left_q < Full", steps: 8 },
            Fault { snippet: "left_q - Full;", replacement: "left_q;", steps: 8 },
            Fault { snippet: "has_data && m_ready_i", replacement: "m_ready_i", steps: 8 },
            Fault { snippet: "has_data ? s_valid_i : 1'b1", replacement: "s_valid_i", steps: 8 },
            Fault { snippet: "~({P{1'b1}} >> {tail, 3'b000})", replacement: "{P{1'b1}}", steps: 8 },
            Fault {
                snippet: "if (begin_i) first_q",
                replacement: "if (has_data) first_q",
                steps: 8,
            },
            Fault {
                snippet: "rest_q <= joined[31:0]",
                replacement: "rest_q <= joined[P+31 -: 32]",
                steps: 8,
            },
        ],
        ..APPEND
    }
}

pub(crate) fn crc_behind_wide_words() -> Proof {
    Proof { params: &[("P", 64)], ..APPEND }
}

const CORRECT: Proof = Proof {
    module: "bch_correct",
    params: &[],
    parts: &[],
    cuts: &["bch_chien", "bch_buffer", "crc32"],
    base_steps: 3,
    cover_steps: 0,
    faults: &[],
};

pub(crate) fn correction_of_words_as_they_come() -> Proof {
    Proof {
        params: &[("M", 5), ("K_MAX", 16), ("T_MAX", 2), ("P", 8), ("P_C", 8)],
        cover_steps: 12,
        faults: &[
            // A status overwritten, repeated, wrong.
            Fault {
                snippet: "(sts_valid_o || (count_q && count_end_q))",
                replacement: "sts_valid_o",
                steps: 12,
            },
            Fault {
                snippet: "else if (sts_ready_i) sts_valid_o",
                replacement: "else if (m_ready_i) sts_valid_o",
                steps: 10,
            },
            Fault { snippet: "code_q == bch_pkg::StsOk && !good", replacement: "1'b0", steps: 10 },
            Fault { snippet: "if (follow) found_q", replacement: "if (load) found_q", steps: 12 },
            // The last word marked wrongly, the fill left in, roots behind the end counted.
            Fault {
                snippet: "assign is_last_payload = is_last_data",
                replacement: "assign is_last_payload = is_last",
                steps: 10,
            },
            Fault {
                snippet: "if (sum_tail_q != '0) in_code",
                replacement: "if (1'b0) in_code",
                steps: 10,
            },
            // Words dropped or repeated.
            Fault {
                snippet: "early     = count_q && count_after_q",
                replacement: "early     = count_q",
                steps: 10,
            },
            Fault {
                snippet: "!ahead_q && !load && !sts_valid_o",
                replacement: "!load && !sts_valid_o",
                steps: 12,
            },
            Fault {
                snippet: "(!search_q || (advance && is_last))",
                replacement: "(!search_q || is_last)",
                steps: 12,
            },
            // Words of the memory out of order.
            Fault {
                snippet: "(read_addr_q == AddrLast)",
                replacement: "(read_addr_q == AddrLast - AddrOne)",
                steps: 16,
            },
            // Nothing moves.
            Fault {
                snippet: "(!m_valid_o || m_ready_i)",
                replacement: "(out_q && m_ready_i)",
                steps: 14,
            },
        ],
        ..CORRECT
    }
}

pub(crate) fn correction_of_pairs_of_words() -> Proof {
    Proof {
        params: &[("M", 5), ("K_MAX", 16), ("T_MAX", 2), ("P", 8), ("P_C", 16)],
        faults: &[Fault {
            snippet: "data_last_i ? '0 : lane_q",
            replacement: "data_last_i ? LaneOne : lane_q",
            steps: 10,
        }],
        ..CORRECT
    }
}

pub(crate) fn correction_with_crc() -> Proof {
    Proof {
        params: &[("M", 7), ("K_MAX", 64), ("T_MAX", 3), ("P", 8), ("P_C", 16), ("CRC", 1)],
        faults: &[Fault {
            snippet: "PayloadGap = 32 * CRC",
            replacement: "PayloadGap = 16 * CRC",
            steps: 8,
        }],
        ..CORRECT
    }
}

pub(crate) fn memory_of_the_message() -> Proof {
    Proof {
        module: "bch_buffer",
        params: &[("WIDTH", 16), ("LANES", 2), ("DEPTH", 5)],
        cover_steps: 5,
        cuts: &[],
        faults: &[
            Fault { snippet: "if (read_i) data_q", replacement: "data_q", steps: 6 },
            Fault { snippet: "write_i && write_lane_i == l", replacement: "write_i", steps: 6 },
        ],
        ..CORRECT
    }
}
