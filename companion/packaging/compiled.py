"""Reduction of compiled modules and libraries: unneeded parts are removed, the code is not changed."""

from __future__ import annotations

import os
import shutil
import struct
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from companion import processes
from companion.errors import BadOutput

MAX_PAGE_BYTES = 16 * 1024
"""The largest page of memory of a Raspberry Pi, in bytes: that of the Pi 5's own kernel.

Libraries for arm64 are laid out for pages of 64 KiB, which Debian's and Raspberry Pi's kernels do not use.
"""

SEGMENT_STRUCT = struct.Struct("<IIQQQQQQ")
"""A segment: kind, flags, offset, address, physical address, bytes in file and memory, alignment."""

PT_LOAD = 1
"""The kind of segment that is mapped into memory (System V ABI, program header)."""

SECTIONS_STRUCT = struct.Struct("<HHH")
"""The end of the header: bytes of a section's entry, number of entries, and index of that with the names."""

RETURN_INSTRUCTIONS = {
    "x86_64": ("movl ${}, %eax", "ret"),
    "aarch64": ("mov w0, #{}", "ret"),
}
"""The code that returns a number from a function, by Python's name of a machine."""

Segment = tuple[int, int, int, int, int, int, int, int]


def strip_unmapped(library: bytes) -> bytes:
    """Return a 64-bit ELF file with only its header and the segments that are mapped into memory.

    Symbols and sections are left out, which debuggers read and the loader does not; so is the padding for
    pages larger than ``MAX_PAGE_BYTES``.  Addresses stay, so nothing in a segment has to be changed.

    Raises
    ------
    BadOutput
        Where the file's layout is not that of a shared library.
    """
    table, segments = segments_of(library)
    loads = sorted((one for one in segments if one[0] == PT_LOAD), key=lambda one: one[3])
    if not loads or loads[0][2] != 0:
        raise BadOutput("a compiled module does not begin with a segment that is mapped")
    made, moved = bytearray(), {}
    for load in loads:
        _, _, offset, address, _, length, _, align = load
        start = len(made) + (address - len(made)) % min(align, MAX_PAGE_BYTES)
        made += bytes(start - len(made)) + library[offset : offset + length]
        moved[load] = start

    def place(offset: int) -> int:
        for load, start in moved.items():
            if load[2] <= offset < load[2] + load[5]:
                return start + offset - load[2]
        raise BadOutput("a compiled module has a part that is not mapped")

    table = place(table)
    struct.pack_into("<QQ", made, 32, table, 0)
    SECTIONS_STRUCT.pack_into(made, 58, 0, 0, 0)
    for number, one in enumerate(segments):
        kind, flags, offset, address, physical, length, memory, align = one
        if kind == PT_LOAD:
            offset, align = moved[one], min(align, MAX_PAGE_BYTES)
        elif length:
            offset = place(offset)
        entry = (kind, flags, offset, address, physical, length, memory, align)
        SEGMENT_STRUCT.pack_into(made, table + SEGMENT_STRUCT.size * number, *entry)
    return bytes(made)


def segments_of(library: bytes) -> tuple[int, list[Segment]]:
    """Return the offset of a 64-bit ELF file's table of segments, and the segments."""
    (table,) = struct.unpack_from("<Q", library, 32)
    (count,) = struct.unpack_from("<H", library, 56)
    return table, [
        SEGMENT_STRUCT.unpack_from(library, table + SEGMENT_STRUCT.size * number) for number in range(count)
    ]


def is_loadable(library: bytes) -> bool:
    """Return whether every segment of a 64-bit ELF file can be mapped: inside the file, and aligned in it."""
    return all(
        (address - offset) % align == 0 and offset + length <= len(library)
        for kind, _, offset, address, _, length, _, align in segments_of(library)[1]
        if kind == PT_LOAD
    )


def needed_libraries(library: Path) -> set[str]:
    """Return the names of the libraries that a compiled module loads."""
    return set(run_tool("patchelf", "--print-needed", str(library)).split())


def imported_symbols(library: Path, beginning: str, machine: str) -> list[str]:
    """Return the names with a ``beginning`` that a compiled module imports from other libraries."""
    listing = run_tool(f"{machine}-linux-gnu-nm", "-D", "--undefined-only", "--format=posix", str(library))
    names = (line.split(" ")[0].partition("@")[0] for line in listing.splitlines())
    return sorted({name for name in names if name.startswith(beginning)})


def relink(library: Path, others: Mapping[str, Sequence[str]], names: Mapping[str, str]) -> None:
    """Let a compiled module load other libraries, and call functions by other names.

    Parameters
    ----------
    library
        The module.
    others
        For a library that it loads, those that replace it.
    names
        For a function that it calls, its name in these.
    """
    words = []
    for bundled, (first, *more) in others.items():
        words += ["--replace-needed", bundled, first]
        words += [word for other in more for word in ("--add-needed", other)]
    with tempfile.NamedTemporaryFile("w", suffix=".names") as mapping:
        mapping.write("".join(f"{name} {other}\n" for name, other in names.items()))
        mapping.flush()
        run_tool("patchelf", "--rename-dynamic-symbols", mapping.name, *words, str(library))


def write_refusing(library: Path, names: Mapping[str, int], machine: str) -> None:
    """Write a shared library whose functions only return a number; its name is that of the file."""
    lines = ["\t.text", '\t.section .note.GNU-stack,"",%progbits', "\t.text"]
    for name, answer in names.items():
        lines += [f"\t.globl {name}", f"\t.type {name}, %function", f"{name}:"]
        lines += [f"\t{line}".format(answer) for line in RETURN_INSTRUCTIONS[machine]]
        lines.append(f"\t.size {name}, .-{name}")
    with tempfile.TemporaryDirectory() as folder:
        source, half = Path(folder) / "refusing.s", Path(folder) / "refusing.o"
        source.write_text("\n".join([*lines, ""]), encoding="ascii")
        run_tool(f"{machine}-linux-gnu-as", "-o", str(half), str(source))
        made = ["-shared", "-z", "noexecstack", f"-soname={library.name}", "-o", str(library), str(half)]
        run_tool(f"{machine}-linux-gnu-ld", *made)


def run_tool(*words: str) -> str:
    """Run a tool, and return its output; raise BadOutput."""
    found = shutil.which(words[0], path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if found is None:
        raise BadOutput(f"{words[0]} is not here")
    done = processes.run([found, *words[1:]])
    if done.returncode:
        raise BadOutput(f"{words[0]}: {done.stderr.strip()[-2000:]}")
    return done.stdout
