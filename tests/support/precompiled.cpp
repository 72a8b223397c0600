// Precompiled headers need a program that compiles them; this one does nothing else.
int main() {}
