// Lists the fuzz targets. A target gives an input to parsers of ours, and throws if a parser breaks
// a promise. Each target is in targets/NAME.cpp, and its first inputs are in corpus/NAME/.
#pragma once

#include "tests/fuzz/fuzzing.h"

namespace facepipe::fuzz {

void fuzz_acf(Bytes input);
void fuzz_card(Bytes input);
void fuzz_cascade(Bytes input);
void fuzz_command_line(Bytes input);
void fuzz_config(Bytes input);
void fuzz_decision_log(Bytes input);
void fuzz_headers(Bytes input);
void fuzz_http(Bytes input);
void fuzz_i8_ranges(Bytes input);
void fuzz_job(Bytes input);
void fuzz_labels(Bytes input);
void fuzz_lines(Bytes input);
void fuzz_onnx(Bytes input);
void fuzz_part_file(Bytes input);
void fuzz_part_plan(Bytes input);
void fuzz_pictures(Bytes input);
void fuzz_python_literal(Bytes input);
void fuzz_record(Bytes input);
void fuzz_report(Bytes input);
void fuzz_review(Bytes input);
void fuzz_segments(Bytes input);
void fuzz_subtitles(Bytes input);
void fuzz_text(Bytes input);
void fuzz_tracks(Bytes input);
void fuzz_unchanged(Bytes input);
void fuzz_values(Bytes input);
void fuzz_worker(Bytes input);

}  // namespace facepipe::fuzz
