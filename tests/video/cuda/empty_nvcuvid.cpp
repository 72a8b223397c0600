// A library that is none.
extern "C" int not_a_decoder_library;
int not_a_decoder_library = 1;
