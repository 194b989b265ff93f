"""Perfect hashes: functions from the hash (high, low) of a key to its rank (FORMAT.md: perfect hash)."""

import struct

from basics import need

M64 = 2**64 - 1


def rotl(x, n):
    return ((x << n) | (x >> (64 - n))) & M64


def pilot(data, n):
    need(len(data) >= 32, "length")
    seed, parts, buckets, remaps, reserved = struct.unpack_from("<QIIII", data, 8)
    need(1 <= parts <= n and 1 <= buckets <= 65536, "parts or buckets")
    need(remaps <= min(n, 2**24 - 1) and reserved == 0, "remap count or reserved")
    remap_at = 32 + 8 * (parts + 1)
    pilots_at = remap_at + 2 * remaps
    need(len(data) == pilots_at + parts * buckets, "length")
    directory = struct.unpack_from(f"<{parts + 1}Q", data, 32)
    firsts = [entry & 0xFFFFFFFF for entry in directory]
    positions = [entry >> 32 & 0xFFFFFF for entry in directory]
    need(firsts[0] == positions[0] == 0 and directory[-1] == n | remaps << 32, "directory")
    for p in range(parts):
        k = firsts[p + 1] - firsts[p]
        need(1 <= k <= 65536 and 0 <= positions[p + 1] - positions[p] <= k, "part")

    def rank(high, low):
        h = (low ^ seed) * 0x9E3779B97F4A7C15 + rotl((high ^ seed) * 0xFF51AFD7ED558CCD & M64, 32)
        h &= M64
        t = (h >> 32) * parts
        part, x = t >> 32, (t & 0xFFFFFFFF) >> 1
        bucket = (((x * x >> 31) * (x + 2**31)) >> 32) * buckets >> 31
        k = firsts[part + 1] - firsts[part]
        slots = k + positions[part + 1] - positions[part]
        salt = data[pilots_at + part * buckets + bucket] | directory[part] >> 56 << 8
        mixed = (h ^ h >> 32 ^ salt * 0xC4CEB9FE1A85EC53 & M64) * 0xBF58476D1CE4E5B9 & M64
        slot = (mixed >> 32) * slots >> 32
        if slot >= k:
            at = remap_at + 2 * (positions[part] + slot - k)
            slot = min(struct.unpack_from("<H", data, at)[0], k - 1)
        return firsts[part] + slot

    return rank


MIX = ((2, 50, 3, 0), (3, 52, 0, 1), (0, 30, 1, 2), (1, 41, 2, 3), (2, 54, 3, 0), (3, 48, 0, 1))
MIX += ((0, 38, 1, 2), (1, 37, 2, 3), (2, 62, 3, 0), (3, 34, 0, 1), (0, 5, 1, 2), (1, 36, 2, 3))
END = ((3, 2, 15), (0, 3, 52), (1, 0, 26), (2, 1, 51), (3, 2, 28), (0, 3, 9), (1, 0, 47))
END += ((2, 1, 54), (3, 2, 32), (0, 3, 25), (1, 0, 63))


def mix(*s):
    s = [x & M64 for x in s]
    for a, turn, b, c in MIX:
        s[a] = rotl(s[a], turn) + s[b] & M64
        s[c] ^= s[a]
    return s


def sux4j(data, n):
    need(len(data) >= 24, "length")
    seed, groups, reserved = struct.unpack_from("<QII", data, 8)
    need(groups == n // 1500 + 1 and reserved == 0, "groups or reserved")
    values_at = 24 + 8 * (groups + 1)
    need(len(data) == values_at + 8 * ((n * 281 // 256 + 32) // 32), "length")
    directory = struct.unpack_from(f"<{groups + 1}Q", data, 24)
    firsts = [entry & 2**56 - 1 for entry in directory]
    need(firsts[0] == 0 and firsts[-1] == n, "directory")
    need(all(0 <= b - a <= 16384 for a, b in zip(firsts, firsts[1:])), "group")

    def value(v):
        return data[values_at + v // 4] >> v % 4 * 2 & 3

    def rank(high, low):
        k = 0x9E3779B97F4A7C13
        s = mix(seed, seed, k + high, k + low)
        s = [s[0] + 128 & M64, s[1], s[2] + k & M64, s[3] + k & M64]
        for a, b, turn in END:
            s[a] ^= s[b]
            s[b] = rotl(s[b], turn)
            s[a] = s[a] + s[b] & M64
        group = (s[0] & ~1) * groups >> 64
        first = firsts[group]
        start = first * 281 // 256
        vertices = firsts[group + 1] * 281 // 256 - start
        t = mix(directory[group] >> 56 << 56, k + s[0], k + s[1], k)
        z = 64 - vertices.bit_length()
        vertex = [(ti % 2**z) * vertices >> z for ti in t[:3]]
        own = vertex[sum(value(start + v) for v in vertex) % 3]
        return min(first + sum(value(start + v) != 0 for v in range(own)), n - 1)

    return rank
