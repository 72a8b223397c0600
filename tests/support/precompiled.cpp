// A header is compiled as part of a program; this one has nothing else.
int main() {}
