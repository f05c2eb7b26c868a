# The examples of README.md whose output does not depend on the machine, sections "Fingerprints", "Keywords", "Passages", "Hamming search" and "A stream of documents": each command prints what stands there.
root=$(dirname "$2")/../..
cp "$root/doc/examples/notices.jsonl" .
sed -n '/^## Fingerprints$/,/^## Using/p' "$root/README.md" | sed -n '/^```$/,/^```$/p' | sed '/^```$/d' > told
neardup() { "$NEARDUP" "$@"; }
grep '^\$ ' told | while IFS= read -r line; do
    printf '%s\n' "$line"
    eval "${line#'$ '}"
done > printed
diff told printed
wc -l < told
