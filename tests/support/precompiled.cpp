// CMake precompiles headers for a target, and other targets use them. This program is that target.
int main() {}
