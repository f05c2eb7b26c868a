# The version, the libraries, the instruction set, the Unicode version.
"$NEARDUP" --version | sed -E 's/^(features|instruction set): [a-z].*/\1: SOME/'
ND_DISABLE_CPU=avx2,avx512,neon "$NEARDUP" --version | grep instruction
