"""The index of sizes, read and written in the format of fs/index/index_file.h, for tests that change it."""
import copy as copying
import dataclasses
import struct

MAGIC = b"plainfs index 3\n"
MASK = (1 << 64) - 1


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def _entry(byte):
    for _ in range(8):
        byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
    return byte


TABLE = [_entry(byte) for byte in range(256)]


@dataclasses.dataclass
class Measured:
    version: bytes
    numbers: list


@dataclasses.dataclass
class Index:
    key: bytes
    sources: list  # of (name, stamp)
    entries: list  # of (path, measured)


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        self.at += size
        assert self.at <= len(self.data)
        return self.data[self.at - size : self.at]

    def number(self):
        value = shift = 0
        while True:
            (byte,) = self.take(1)
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def text(self):
        return self.take(self.number())


def number(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def text(value):
    return number(len(value)) + value


def decode_measured(data):
    reader = Reader(data)
    measured = Measured(reader.text(), [])
    before = 0
    for _ in range(reader.number()):
        difference = reader.number()
        before = before + (difference >> 1 ^ (MASK if difference & 1 else 0)) & MASK
        measured.numbers.append(before)
    return measured


def encode_measured(measured):
    out = text(measured.version) + number(len(measured.numbers))
    before = 0
    for value in measured.numbers:
        difference = value - before & MASK
        out += number((difference << 1 ^ (MASK if difference >> 63 else 0)) & MASK)
        before = value
    return out


def decode(data):
    assert data.startswith(MAGIC)
    (size,) = struct.unpack_from("<Q", data, len(MAGIC))
    start = len(MAGIC) + 12
    reader = Reader(data[start : start + size])
    index = Index(reader.text(), [], [])
    for _ in range(reader.number()):
        index.sources.append((reader.text(), reader.text()))
    path = b""
    for _ in range(reader.number()):
        path = path[: reader.number()] + reader.text()
        offset, length, _ = reader.number(), reader.number(), reader.take(4)
        index.entries.append(
            (path.decode(), decode_measured(data[start + size + offset : start + size + offset + length]))
        )
    return index


def encode(index):
    directory = text(index.key) + number(len(index.sources))
    for name, stamp in index.sources:
        directory += text(name) + text(stamp)
    directory += number(len(index.entries))
    content = b""
    for path, measured in index.entries:
        encoded = encode_measured(measured)
        directory += (
            number(0)
            + text(path.encode())
            + number(len(content))
            + number(len(encoded))
            + struct.pack("<I", crc32c(encoded))
        )
        content += encoded
    return MAGIC + struct.pack("<QI", len(directory), crc32c(directory)) + directory + content


copy = copying.deepcopy
