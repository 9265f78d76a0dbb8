"""The pixels of a PNG as plainfs writes it: 8 bits a sample, no filters, not interlaced."""
import struct
import zlib

import numpy


def png_pixels(data):
    """Returns an array (height, width, 3), or (height, width) of a grey one. Colours of a palette are looked up."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed, head, palette = 8, b"", None, None
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        content = data[at + 8 : at + 8 + size]
        assert zlib.crc32(kind + content) == struct.unpack(">I", data[at + 8 + size : at + 12 + size])[0]
        if kind == b"IHDR":
            head = struct.unpack(">IIBBBBB", content)
        elif kind == b"IDAT":
            packed += content
        elif kind == b"PLTE":
            palette = numpy.frombuffer(content, "u1").reshape(-1, 3)
        at += 12 + size
    width, height, bits, colour, *rest = head
    assert (bits, rest) == (8, [0, 0, 0]) and colour in (0, 2, 3)
    samples = 3 if colour == 2 else 1
    rows = numpy.frombuffer(zlib.decompress(packed), "u1").reshape(height, 1 + width * samples)
    assert not rows[:, 0].any()
    if colour == 3:
        return palette[rows[:, 1:]]
    return rows[:, 1:].reshape((height, width, 3) if samples == 3 else (height, width))
