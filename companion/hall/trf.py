"""The tournament report file of FIDE (TRF16), which pairing programs read: players and games in columns.

The columns are those of FIDE's Handbook, C.04 Annex 2; the lines ``XXR``, ``XXC`` and ``XXZ`` are those of
the pairing program JaVaFo, which bbpPairings reads too.  Files are UTF-8, each line ends with CR LF.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from companion.errors import BadEntry
from companion.model.phrases import phrase
from companion.model.seats import Score

PLAYER, NAME, PLAYERS, RATED, ROUNDS, COLOUR, ABSENT = "001", "012", "062", "072", "XXR", "XXC", "XXZ"
RECOUNTED_CODES = (PLAYERS, RATED)
"""Codes of lines with counts; they are computed again, not copied."""

PLAYER_COLUMNS: Mapping[str, tuple[int, int]] = {
    "number": (5, 8),
    "sex": (10, 10),
    "title": (11, 13),
    "name": (15, 47),
    "rating": (49, 52),
    "federation": (54, 56),
    "fide": (58, 68),
    "born": (70, 79),
    "points": (81, 84),
    "rank": (86, 89),
}
"""First and last column, from 1, of each field of a player's line."""

MAX_NAME_CHARS = 33
"""Longest name, in characters: the width of its field."""

FIRST_ROUND_COLUMN, COLUMNS_PER_ROUND = 92, 10
"""Column in which the first round begins, and those that each round takes."""

MAX_ROUNDS, MAX_NUMBER = 200, 9999
"""Most rounds of a file, more than any tournament has; and the largest number that four columns hold."""

COLOURS = "wb-"
RESULT_POINTS = {
    "1": 1,
    "=": 0.5,
    "0": 0,
    "W": 1,
    "D": 0.5,
    "L": 0,
    "+": 1,
    "-": 0,
    "H": 0.5,
    "F": 1,
    "U": 1,
    "Z": 0,
}
"""What each result counts: of games that were played, of forfeits, and of rounds without an opponent."""

UNPAIRED_RESULTS = "HFUZ"
"""Results of a round without opponent: half a point, a whole one, the bye of an odd number, none."""

OPPONENT_RESULTS: Mapping[str, str] = {
    "1": "0",
    "0": "10",
    "=": "=",
    "W": "L",
    "L": "WL",
    "D": "D",
    "+": "-",
    "-": "+-",
}
"""Results that an opponent may have."""

TITLE = re.compile(r"[A-Za-z]{0,3}")


@dataclass(frozen=True, slots=True)
class Game:
    """A round of one player: the opponent's number, 0 without one, who began (``w``), and the result."""

    opponent: int = 0
    colour: str = "-"
    result: str = "Z"

    @property
    def counts(self) -> Score:
        """What the result counts."""
        return RESULT_POINTS[self.result]


@dataclass(frozen=True, slots=True)
class Player:
    """A player's line; fields that the hall does not use are kept as written."""

    number: int
    name: str
    rating: int | None = None
    points: Score = 0
    rank: int | None = None
    games: tuple[Game, ...] = ()
    sex: str = ""
    title: str = ""
    federation: str = ""
    fide: str = ""
    born: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """A tournament: ``rounds`` are those to be played, ``absent`` the players who miss the next one.

    ``first`` is the beginner of the first game, ``white1`` or ``black1``; ``more`` are further lines on the
    tournament, each with its code.
    """

    name: str
    players: tuple[Player, ...]
    rounds: int | None = None
    absent: tuple[int, ...] = ()
    first: str = ""
    more: tuple[tuple[str, str], ...] = ()


def format_report(report: Report) -> bytes:
    """Return a report as a file."""
    lines = [f"{NAME} {report.name}", *(f"{code} {text}" for code, text in report.more)]
    lines += [f"{PLAYERS} {len(report.players)}"]
    lines += [f"{RATED} {sum(one.rating is not None for one in report.players)}"]
    lines += [] if report.rounds is None else [f"{ROUNDS} {report.rounds}"]
    lines += [f"{COLOUR} {report.first}"] if report.first else []
    lines += [f"{ABSENT} {' '.join(map(str, report.absent))}"] if report.absent else []
    lines += [line_of(one) for one in report.players]
    return "".join(f"{line.rstrip()}\r\n" for line in lines).encode()


def line_of(player: Player) -> str:
    """Return a player's line."""
    fields = {
        "number": f"{player.number:>4}",
        "sex": player.sex,
        "title": f"{player.title:>3}",
        "name": player.name[:MAX_NAME_CHARS],
        "rating": "" if player.rating is None else f"{player.rating:>4}",
        "federation": player.federation,
        "fide": f"{player.fide:>11}",
        "born": player.born,
        "points": f"{player.points:4.1f}",
        "rank": "" if player.rank is None else f"{player.rank:>4}",
    }
    line = f"{PLAYER:<{FIRST_ROUND_COLUMN - 1}}"
    for key, text in fields.items():
        first, last = PLAYER_COLUMNS[key]
        line = f"{line[: first - 1]}{text:<{last - first + 1}}{line[last:]}"
    for one in player.games:
        opponent = f"{one.opponent:>4}" if one.opponent else "0000"
        line += f"{opponent} {one.colour} {one.result}  "
    return line


def parse_report(data: bytes) -> Report:
    """Return the report in a file; tournament lines of other codes are kept, teams and comments are dropped.

    Raises
    ------
    BadEntry
        For a line that cannot be read, with its number, and where two players' games do not agree.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", errors="replace")
    known: dict[str, str] = {}
    more: list[tuple[str, str]] = []
    players: list[Player] = []
    absent: list[int] = []
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        code, rest = line[:3], line[4:].strip()
        if code == PLAYER:
            players.append(parse_player(line, number))
        elif code == ABSENT:
            absent += [parse_whole(one, 1, MAX_NUMBER, number) for one in rest.split()]
        elif code in {NAME, ROUNDS, COLOUR}:
            known[code] = rest
        elif re.fullmatch(r"[0-9]{2}2", code) and code not in RECOUNTED_CODES:
            more.append((code, rest))
    rounds = parse_whole(known[ROUNDS], 1, MAX_ROUNDS, 0) if known.get(ROUNDS) else None
    first = next((one for one in known.get(COLOUR, "").split() if one in {"white1", "black1"}), "")
    report = Report(known.get(NAME, ""), tuple(players), rounds, tuple(absent), first, tuple(more))
    check_consistency(report.players)
    return report


def parse_player(line: str, number: int) -> Player:
    """Return the player of a line; raise BadEntry with the line's number."""
    fields = {key: line[first - 1 : last].strip() for key, (first, last) in PLAYER_COLUMNS.items()}
    if not fields["name"] or not fields["name"].isprintable():
        raise BadEntry(phrase("line %(line)s: a player has no name", line=number))
    if not re.fullmatch(r"\d{0,2}(\.\d?)?", fields["points"], re.ASCII):
        raise line_fault(fields["points"], number)
    points = float(fields["points"] or 0)
    return Player(
        parse_whole(fields["number"], 1, MAX_NUMBER, number),
        fields["name"],
        parse_whole(fields["rating"], 0, MAX_NUMBER, number) if fields["rating"] else None,
        int(points) if points.is_integer() else points,
        parse_whole(fields["rank"], 1, MAX_NUMBER, number) if fields["rank"] else None,
        tuple(parse_games(line, number)),
        fields["sex"],
        fields["title"],
        fields["federation"],
        fields["fide"],
        fields["born"],
    )


def parse_games(line: str, number: int) -> Iterator[Game]:
    """Yield the rounds of a player's line; raise BadEntry with the line's number."""
    rest = line[FIRST_ROUND_COLUMN - 1 :].rstrip()
    if len(rest) > COLUMNS_PER_ROUND * MAX_ROUNDS:
        raise line_fault(rest, number)
    for first in range(0, len(rest), COLUMNS_PER_ROUND):
        columns = f"{rest[first : first + COLUMNS_PER_ROUND]:<{COLUMNS_PER_ROUND}}"
        opponent, colour, result = columns[:4].strip(), columns[5].strip().lower(), columns[7].strip().upper()
        found = Game(parse_whole(opponent or "0", 0, MAX_NUMBER, number), colour or "-", result or "Z")
        alone = found.result in UNPAIRED_RESULTS
        known = (
            found.colour in COLOURS
            and found.result in RESULT_POINTS
            and not (columns[4] + columns[6]).strip()
        )
        if not known or alone == bool(found.opponent) or (found.colour == "-") != alone:
            raise line_fault(columns, number)
        yield found


def parse_whole(text: str, least: int, most: int, line: int) -> int:
    """Return a whole number; raise BadEntry with the line's number for anything else."""
    if not re.fullmatch(r"\d{1,6}", text, re.ASCII) or not least <= int(text) <= most:
        raise line_fault(text, line)
    return int(text)


def line_fault(text: str, line: int) -> BadEntry:
    """Return what is wrong with a line."""
    return BadEntry(phrase("line %(line)s cannot be read: %(text)s", line=line, text=repr(text[:40])))


def check_consistency(players: Sequence[Player]) -> None:
    """Raise BadEntry where a number occurs twice, or two players' games do not agree."""
    by_number = {one.number: one for one in players}
    if len(by_number) < len(players):
        raise BadEntry(phrase("a player's number is there twice"))
    for one in players:
        for round_, game in enumerate(one.games, 1):
            if not game.opponent:
                continue
            other = by_number.get(game.opponent)
            theirs = other.games[round_ - 1] if other and len(other.games) >= round_ else Game()
            fits = theirs.opponent == one.number and theirs.colour != game.colour
            if other is one or not fits or theirs.result not in OPPONENT_RESULTS[game.result]:
                raise BadEntry(
                    phrase(
                        "round %(round)s of %(name)s does not agree with the opponent's",
                        round=round_,
                        name=one.name,
                    )
                )
