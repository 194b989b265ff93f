"""Classes of damage, files and CRC-32C (FORMAT.md: damage, conventions)."""


class Corrupt(Exception):
    """Damage: no answer can be given."""


class Unsupported(Exception):
    """Something newer than this reader."""


class NotFound(Exception):
    """A file that is not there."""


def need(condition, what):
    if not condition:
        raise Corrupt(what)


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError as e:
        raise NotFound(path) from e


def crc_table():
    for i in range(256):
        for _ in range(8):
            i = (i >> 1) ^ (0x82F63B78 if i & 1 else 0)
        yield i


CRC_TABLE = list(crc_table())


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = CRC_TABLE[(crc ^ byte) & 255] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF
