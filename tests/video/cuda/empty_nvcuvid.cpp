// Tests load this library instead of the driver's decoder library. It has none of the driver's
// functions.
extern "C" int not_a_decoder_library;
int not_a_decoder_library = 1;
