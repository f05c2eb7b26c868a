# Version, libraries, instruction set, Unicode version.
"$NEARDUP" --version | sed -E 's/^(features|instruction set): [a-z].*/\1: SOME/'
ND_DISABLE_CPU=avx2,avx512,neon "$NEARDUP" --version | grep instruction
