"""Key order within a partition (FORMAT.md: key order)."""

import struct

from basics import need

FANOUT = 16


def bits(data, at, width):
    """The numbers of a bit array, the lowest bit first."""
    word = int.from_bytes(data[at // 8 : at // 8 + 8], "little")
    return word >> at % 8 & 2**width - 1


def head(key, skip):
    return int.from_bytes(key[skip : skip + 8].ljust(8, b"\0"), "big")


class Order:
    """Where the keys of a partition stand."""

    def __init__(self, section, partition, bound):
        """bound: the lower bound of the manifest."""
        self.partition, self.n = partition, partition.n
        blocks = len(partition.firsts) - 1
        need(len(section) >= 16, "order index")
        count, first, last = struct.unpack_from("<III", section)
        need(count == blocks and 1 <= first <= 65535 and 1 <= last <= 65535, "order index")
        self.first, self.last = section[16 : 16 + first], section[16 + first : 16 + first + last]
        self.entries = [blocks]  # of each level, from the highest down
        while self.entries[0] > FANOUT:
            self.entries.insert(0, -(-self.entries[0] // FANOUT))
        nodes = sum(-(-entries // FANOUT) for entries in self.entries)
        at = -(-(16 + first + last) // 8) * 8
        need(len(section) == at + (128 + 2) * nodes, "length of the order index")
        heads = struct.unpack_from(f">{FANOUT * nodes}Q", section, at)
        self.heads = [heads[16 * i : 16 * i + 16] for i in range(nodes)]
        self.skips = struct.unpack_from(f"<{nodes}H", section, at + 128 * nodes)
        number = 0
        for entries in self.entries:
            for start in range(0, entries, FANOUT):
                used = self.heads[number][: entries - start]
                need(all(a <= b for a, b in zip(used, used[1:])), "heads descend")
                number += 1
        need(not bound or bound == self.first, "lower bound")
        need(self.first <= self.last, "first and last key")
        self.record_heads = None

    def open_heads(self, section):
        firsts = self.partition.firsts
        blocks = len(firsts) - 1
        need(len(section) == 2 * blocks + -(-15 * self.n // 8) + 4, "length of the heads")
        self.record_skips = struct.unpack_from(f"<{blocks}H", section)
        self.record_heads = [bits(section, 16 * blocks + 15 * i, 15) for i in range(self.n)]
        for start, end in zip(firsts, firsts[1:]):
            of_block = self.record_heads[start:end]
            need(all(a <= b for a, b in zip(of_block, of_block[1:])), "heads descend")

    def block(self, key):
        """The block whose first key is the last one not above a key between first and last."""
        node, number = 0, 0
        for level, entries in enumerate(self.entries):
            span = FANOUT ** (len(self.entries) - 1 - level)
            heads = self.heads[number + node][: entries - FANOUT * node]
            wanted = head(key, self.skips[number + node])
            low = max(0, sum(h < wanted for h in heads) - 1)
            high = max(1, sum(h <= wanted for h in heads))
            while high - low > 1:
                middle = (low + high) // 2
                entry = (FANOUT * node + middle) * span
                if self.key(self.partition.firsts[entry]) > key:
                    high = middle
                else:
                    low = middle
            number += -(-entries // FANOUT)
            node = FANOUT * node + low
        return node

    def key(self, record):
        return self.partition.record(record)[0]

    def count(self, key, through):
        """How many keys are below a key or, if through, not above it."""
        if self.n == 0 or key < self.first:
            return 0
        if key > self.last:
            return self.n
        block = self.block(key)
        low, high = self.partition.firsts[block : block + 2]
        if self.record_heads:
            skip = self.record_skips[block]
            wanted = head(key, skip // 8) >> 49 - skip % 8 & 2**15 - 1
            heads = self.record_heads[low:high]
            low, high = low + sum(h < wanted for h in heads), low + sum(h <= wanted for h in heads)
        while low < high:
            middle = (low + high) // 2
            other = self.key(middle)
            if other < key or through and other == key:
                low = middle + 1
            else:
                high = middle
        return low

    def verify(self, upper):
        """upper: the lower bound of the next partition, None if there is none."""
        before = None
        for i in range(self.n):
            key = self.key(i)
            need(before is None or before < key, "keys do not ascend")
            need(self.first <= key <= self.last and self.count(key, True) == i + 1, "not found by its order")
            before = key
        need(before == self.last and self.key(0) == self.first, "first and last key")
        need(upper is None or before < upper, "key of a later partition")


def positions(section, n):
    """The record number of each rank."""
    width = (n - 1).bit_length()
    need(len(section) == -(-n * width // 8) + 8, "length of the positions")
    numbers = [bits(section, rank * width, width) for rank in range(n)]
    need(all(number < n for number in numbers), "position out of range")
    return numbers
