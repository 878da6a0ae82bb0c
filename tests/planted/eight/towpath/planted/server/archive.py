"""The archive of the canal company, and questions that take two papers to answer."""

import random
import re
from dataclasses import dataclass, field
from typing import Dict, List, Set

LOCKS = ["Harrow", "Pinmill", "Sallow", "Cuckoo", "Tanner's", "Stony", "Bellman's",
         "Otter", "Gallows", "Priory"]
FIRST = ["Amos", "Josiah", "Hester", "Caleb", "Enoch", "Martha", "Silas", "Tobias",
         "Reuben", "Jabez", "Ruth", "Abel"]
LAST = ["Tarrant", "Bickerstaff", "Pym", "Loveday", "Ashdown", "Quill", "Marchbank",
        "Hobday", "Fairlie", "Stackpole", "Wren", "Dunnock", "Coble", "Yarrow"]
TOWNS = ["Ludbridge", "Market Orton", "Fenwick", "Saxby", "Great Haddon", "Wexcombe",
         "Thornhythe", "Marsh End"]
BOATS = ["Perseverance", "Nancy", "Good Intent", "Swallow", "Providence", "Dolphin",
         "Endeavour", "Two Sisters"]
CARGOES = ["coal", "barley", "bricks", "lime", "cheese", "slate", "pottery", "timber"]


@dataclass
class Paper:
    title: str
    text: str


@dataclass
class Question:
    text: str
    answer: str
    sources: Set[str]


@dataclass
class Archive:
    papers: Dict[str, Paper] = field(default_factory=dict)
    questions: List[Question] = field(default_factory=list)

    def search(self, query: str, limit: int = 8) -> List[tuple]:
        """(shelf mark, title, best sentence) of the papers that share most words."""
        words = set(re.findall(r"[a-z0-9']+", query.lower()))
        found = []
        for mark, paper in self.papers.items():
            sentences = [paper.title] + re.split(r"(?<=\.) ", paper.text)
            shares = [len(words & set(re.findall(r"[a-z0-9']+", s.lower())))
                      for s in sentences]
            if max(shares):
                best = sentences[shares.index(max(shares))]
                found.append((sum(shares), mark, paper.title, best))
        found.sort(key=lambda hit: (-hit[0], hit[1]))
        return [hit[1:] for hit in found[:limit]]


def build(rng: random.Random, count: int) -> Archive:
    people = [f"{f} {l}" for f in FIRST for l in LAST]
    rng.shuffle(people)
    engineers = [people.pop() for _ in range(6)]
    years = rng.sample(range(1816, 1872), len(LOCKS))
    boats = dict(zip(BOATS, rng.sample(LOCKS, len(BOATS))))
    papers, key = [], {}
    facts = {}
    for lock, rebuilt in zip(LOCKS, years):
        keeper, engineer = people.pop(), rng.choice(engineers)
        opened = rng.randrange(1774, 1806)
        facts[lock] = (keeper, engineer, rebuilt)
        papers.append((f"lock {lock}", Paper(
            f"{lock} Lock: description",
            f"{lock} Lock was opened in {opened}. It was built by {engineer}. "
            f"The first keeper was {keeper}, at {rng.randrange(9, 16)} shillings a week. "
            f"The fall is {rng.randrange(5, 12)} feet.")))
        papers.append((f"repair {lock}", Paper(
            f"Ledger of repairs, {lock} Lock",
            f"New gates were hung in {rebuilt - rng.randrange(3, 9)}. The chamber was "
            f"rebuilt in {rebuilt} at a cost of {rng.randrange(200, 900)} pounds.")))
    births = {}
    for engineer in engineers:
        births[engineer] = rng.choice(TOWNS)
        papers.append((f"person {engineer}", Paper(
            f"Obituary of {engineer}, engineer",
            f"{engineer} was born at {births[engineer]}, and learned the trade from an "
            f"uncle at {rng.choice(TOWNS)}. The company employed six engineers in all.")))
    cargoes = {}
    for boat, lock in boats.items():
        cargoes[boat] = rng.choice(CARGOES)
        papers.append((f"boat {boat}", Paper(
            f"Register of boats: {boat}",
            f"The {boat} was laden with {cargoes[boat]} on her last voyage. She was "
            f"gauged at {rng.randrange(18, 30)} tons.")))
        papers.append((f"wreck {boat}", Paper(
            f"Report on an accident at {lock} Lock",
            f"The boat that sank below {lock} Lock was the {boat}. No lives were lost.")))
    rng.shuffle(papers)
    archive = Archive()
    for number, (name, paper) in enumerate(papers):
        key[name] = f"CC/{number + 1:02d}"
        archive.papers[key[name]] = paper

    pool = []
    for lock, (keeper, engineer, rebuilt) in facts.items():
        pool.append(Question(
            f"In which year was the lock rebuilt whose first keeper was {keeper}?",
            str(rebuilt), {key[f"lock {lock}"], key[f"repair {lock}"]}))
        pool.append(Question(
            f"In which town was the engineer born who built {lock} Lock?",
            births[engineer], {key[f"lock {lock}"], key[f"person {engineer}"]}))
    for boat, lock in boats.items():
        pool.append(Question(
            f"What was the boat laden with that sank below {lock} Lock?",
            cargoes[boat], {key[f"wreck {boat}"], key[f"boat {boat}"]}))
    archive.questions = rng.sample(pool, count)
    return archive
