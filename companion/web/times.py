"""Times as pages write them: for people, and as HTML's ``datetime`` attribute wants them."""

from __future__ import annotations


def clock_text(ms: int) -> str:
    """Return minutes and seconds, hours before them where there are any; a negative time is overtime."""
    seconds = abs(ms) // 1000
    sign = "−" if ms <= -1000 else ""
    hours, minutes = seconds // 3600, seconds // 60 % 60
    whole = f"{hours}:{minutes:02}" if hours else str(minutes)
    return f"{sign}{whole}:{seconds % 60:02}"


def exact_text(ms: int) -> str:
    """Return the same with milliseconds."""
    return f"{clock_text(ms)}.{abs(ms) % 1000:03}"


def duration(ms: int) -> str:
    """Return a time as a duration of HTML's ``datetime`` attribute, which has no negative ones."""
    minutes, rest = divmod(max(ms, 0), 60_000)
    return f"PT{minutes}M{rest // 1000}.{rest % 1000:03}S"
