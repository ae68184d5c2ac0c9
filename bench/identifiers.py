"""Whether identifiers, ports, versions and paths are found by asking for nothing else.

A seeded script makes a hundred of them, twenty-five of each kind, and one line of talk about each;
three near twins of every one (another digit, another last part) stand in lines of the same wording.
Each is asked for as it is written, with default settings. It counts as found when a text that holds
it is among the first five results. ``python -m bench identifiers`` runs it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from bench.in_process import in_process
from bench.ratio import Ratio
from bench.recall_quality import cache_from_environment
from memoryweave.contract import Commit, Recall, RecallAnswer

OF_EACH_KIND: Final = 25
TWINS: Final = 3
SEED: Final = 20_260_502
FLOOR: Final = 0.98
_TOP: Final = 5
_IN_A_SESSION: Final = 20

_PARTS: Final = (
    "amber",
    "basin",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "grove",
    "hazel",
    "inlet",
    "juniper",
    "kelp",
    "larch",
    "marsh",
    "nectar",
    "opal",
    "pebble",
    "quartz",
    "ridge",
    "slate",
    "thicket",
    "umber",
    "vale",
    "willow",
    "yarrow",
)
_ENDINGS: Final = ("conf", "yaml", "log", "py", "toml", "sqlite")
_TALK: Final = {
    "identifier": ("we renamed it to {}, please use that", "{} 这个变量以后统一这样写"),
    "port": ("it listens on port {} since the move", "服务现在监听 {} 端口"),
    "version": ("we run {} in production now", "线上已经升级到 {} 了"),
    "path": ("you will find it under {} on the host", "配置放在 {} 里面"),
}


def main() -> list[Ratio]:
    """Store what was made and ask for every one."""
    made = make(SEED)
    with in_process(cache_from_environment()) as house:
        house.store(entries(made, SEED))
        missed = not_found(house.recall, made)
    return [
        Ratio(
            "identifiers, ports, versions, paths in the top 5",
            1 - len(missed) / len(made),
            floor=FLOOR,
            detail=f"{len(made)} asked for; missed: {' '.join(missed) or 'none'}",
        )
    ]


def make(seed: int) -> list[tuple[str, str]]:
    """Give (kind, spelling) of each, all different."""
    chance = random.Random(seed)
    found: dict[str, str] = {}
    for kind, spell in _SPELLINGS.items():
        count = len(found) + OF_EACH_KIND
        while len(found) < count:
            found.setdefault(spell(chance), kind)
    return [(kind, spelling) for spelling, kind in found.items()]


def entries(made: Sequence[tuple[str, str]], seed: int) -> list[Commit]:
    """Give the lines of talk about each and about its twins, mixed, in sessions of twenty."""
    chance = random.Random(seed + 1)
    taken = {spelling for _, spelling in made}
    lines = []
    for kind, spelling in made:
        wording = chance.choice(_TALK[kind])
        twins: set[str] = set()
        while len(twins) < TWINS:
            if (twin := _twin(spelling, chance)) not in taken:
                twins.add(twin)
        lines += [wording.format(one) for one in (spelling, *sorted(twins))]
    chance.shuffle(lines)
    return [
        Commit(content=line, session_id=f"talk {number // _IN_A_SESSION}", namespace="identifiers")
        for number, line in enumerate(lines)
    ]


def not_found(
    recall: Callable[[Recall], RecallAnswer], made: Iterable[tuple[str, str]]
) -> list[str]:
    """Give the spellings that none of the first five results holds as a whole."""
    return [
        spelling
        for _, spelling in made
        if not any(
            _holds(result.content, spelling)
            for result in recall(Recall(query=spelling, top_k=_TOP)).results
        )
    ]


def _holds(text: str, spelling: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(spelling)}(?!\w|[./-]\w)", text, re.ASCII) is not None


def _identifier(chance: random.Random) -> str:
    parts = chance.sample(_PARTS, 3)
    return chance.choice(
        (
            "_".join(parts),
            "".join(part.capitalize() for part in parts),
            "-".join(parts[:2]) + f"-{chance.randrange(10, 99)}",
            ".".join(parts),
        )
    )


def _port(chance: random.Random) -> str:
    return str(chance.randrange(1025, 65536))


def _version(chance: random.Random) -> str:
    numbers = ".".join(str(chance.randrange(0, 40)) for _ in range(3))
    return chance.choice(("", "v")) + numbers + chance.choice(("", "-rc1", "-beta.2"))


def _path(chance: random.Random) -> str:
    folders = "/".join(chance.sample(_PARTS, 3))
    return f"/{chance.choice(('etc', 'srv', 'opt'))}/{folders}.{chance.choice(_ENDINGS)}"


_SPELLINGS: Final[dict[str, Callable[[random.Random], str]]] = {
    "identifier": _identifier,
    "port": _port,
    "version": _version,
    "path": _path,
}


def _twin(spelling: str, chance: random.Random) -> str:
    """Change one digit, or else one part."""
    digits = [place for place, character in enumerate(spelling) if character.isdigit()]
    if digits:
        place = chance.choice(digits)
        return spelling[:place] + chance.choice("123456789") + spelling[place + 1 :]
    part = chance.choice([part for part in _PARTS if part in spelling.lower()])
    other = chance.choice(_PARTS)
    return re.sub(
        part,
        lambda match: other.capitalize() if match.group()[0].isupper() else other,
        spelling,
        flags=re.IGNORECASE,
    )


if __name__ == "__main__":
    for ratio in main():
        print(ratio.line())
