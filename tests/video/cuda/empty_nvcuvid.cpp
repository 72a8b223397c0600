// A library that isn't a decoder library.
extern "C" int not_a_decoder_library;
int not_a_decoder_library = 1;
