"""TLSH as doc/internals/formats.md, "TLSH", defines it, with one line per fact and no thought of speed."""
import math

# The order of T: Pearson, "Fast hashing of variable-length text strings", 1990, table I.
T = bytes.fromhex(
    "0157310cb0b266a679c10654f9e62ca30ec5d5b5a155da5040ef18e2ec8e26c8"
    "6eb168678dfdff324d6551122d601fde196bbe4656edf02248f214d6f4e395eb"
    "61ea39163cfa52afd0057fc76f3e87f8aea9d33a429a6ac3f5ab11bbb6b300f3"
    "8438944b80859e64827e5b0d99f6d8db7744df4e5358c9637a0b5c208872340a"
    "8a1e30b79c233d1a8f4afb5e81a23f98aa0773a7f1ce0396373b97dc5a351783"
    "7dad0fee4f5f59106989e1e0d9a0257b7649029d2e74099186e4cfd4cad745e5"
    "1bbc437ca8fc2a041d6c15f713cd27cbe928ba93c6c09b21a4bf62cca5b4754c"
    "8c24d2ac29369f08b9e871c4e72f927833411c90fedd5dbdc28b702b476db8d1"
)
assert sorted(T) == list(range(256))


def triple(salt, a, b, c):
    return T[T[T[T[salt] ^ a] ^ b] ^ c]


def class_of(length):
    """The logarithm of the length, in the paper's steps. Above 189,000 bytes the tables of the
    reference are not exactly this formula, so it is not used there."""
    assert length < 189_000
    if length <= 656:
        return math.floor(math.log(length) / math.log(1.5))
    if length <= 3199:
        return math.floor(math.log(length) / math.log(1.3) - 8.72777)
    return math.floor(math.log(length) / math.log(1.1) - 62.5472)


def parts(data, buckets, checksum_bytes):
    """Checksum, class of the length, two ratios, and quarters of the buckets; None: no digest."""
    counts, checksum = [0] * 256, [0] * checksum_bytes
    for end in range(5, len(data) + 1):
        e, d, c, b, a = data[end - 5:end]
        for k in range(checksum_bytes):
            checksum[k] = triple(checksum[k - 1] if k else 0, a, b, checksum[k])
        for salt, x, y in ((2, b, c), (3, b, d), (5, c, d), (7, c, e), (11, b, e), (13, d, e)):
            counts[triple(salt, a, x, y)] += 1
    del counts[buckets:]
    filled = sum(n > 0 for n in counts)
    if len(data) < 50 or filled <= buckets // 2:
        return None
    ordered = sorted(counts)
    q1, q2, q3 = ordered[buckets // 4 - 1], ordered[buckets // 2 - 1], ordered[3 * buckets // 4 - 1]
    quarters = [(n > q1) + (n > q2) + (n > q3) for n in counts]
    return checksum, class_of(len(data)), 100 * q1 // q3 % 16, 100 * q2 // q3 % 16, quarters


def digest(data, buckets, checksum_bytes):
    made = parts(data, buckets, checksum_bytes)
    if not made:
        return "TNULL"
    checksum, length, ratio1, ratio2, quarters = made
    header = "".join(f"{x:02X}"[::-1] for x in (*checksum, length)) + f"{ratio1:X}{ratio2:X}"
    pairs = "".join(f"{quarters[i + 1] << 2 | quarters[i]:X}" for i in reversed(range(0, buckets, 2)))
    return "T1" + header + pairs


def circle(a, b, n):
    return min((a - b) % n, (b - a) % n)


def distance(x, y, with_length=True):
    """Of two results of parts()."""
    length, *ratios = (circle(x[i], y[i], n) for i, n in ((1, 256), (2, 16), (3, 16)))
    total = (length if length <= 1 else 12 * length) if with_length else 0
    total += sum(r if r <= 1 else 12 * (r - 1) for r in ratios)
    total += x[0] != y[0]
    return total + sum((0, 1, 2, 6)[abs(p - q)] for p, q in zip(x[4], y[4]))
