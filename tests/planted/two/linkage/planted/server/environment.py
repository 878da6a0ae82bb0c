"""Record linkage between two customer databases."""

import random
import uuid
from typing import Any, Dict, List, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import LinkAction, LinkObservation, LinkState, Record
except ImportError:
    from models import LinkAction, LinkObservation, LinkState, Record

FIRST = ["Alice", "Bruno", "Carla", "David", "Elena", "Felix", "Greta", "Henry", "Ines", "Jakob", "Karin", "Liam", "Maria", "Nils", "Olga", "Pavel"]
LAST = ["Meyer", "Okafor", "Silva", "Novak", "Hansen", "Rossi", "Dubois", "Keller"]
STREETS = ["Mill Street", "Station Road", "Church Street", "Harbour Road", "Garden Avenue", "Castle Road"]
SHORT = {"Street": "St.", "Road": "Rd.", "Avenue": "Ave"}
MAX_STEPS = 25


class RecordLinkageEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = LinkState()
        self._crm: List[Record] = []
        self._billing: List[Record] = []
        self._truth: Dict[str, str] = {}

    # ------------------------------------------------------------------ data
    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> LinkObservation:
        rng = random.Random(seed)
        self._state = LinkState(episode_id=episode_id or str(uuid.uuid4()), step_count=0)

        shared, only_crm, only_billing = rng.randint(7, 9), rng.randint(2, 3), rng.randint(2, 3)
        people = self._people(rng, shared + only_crm + only_billing)
        crm = people[: shared + only_crm]
        billing = people[:shared] + people[shared + only_crm:]

        crm_ids = [f"C{i:02d}" for i in rng.sample(range(1, 60), len(crm))]
        billing_ids = [f"B{i:02d}" for i in rng.sample(range(1, 60), len(billing))]
        self._truth = dict(zip(crm_ids[:shared], billing_ids[:shared]))

        # A few shared customers kept their e-mail in both systems.
        keep_email = set(rng.sample(range(shared), 2))
        self._crm = [self._crm_record(i, p) for i, p in zip(crm_ids, crm)]
        self._billing = [
            self._billing_record(rng, i, p, k in keep_email)
            for k, (i, p) in enumerate(zip(billing_ids, billing))
        ]
        self._crm.sort(key=lambda r: r.id)
        self._billing.sort(key=lambda r: r.id)
        return self._observation("Link the records that belong to the same customer.")

    @staticmethod
    def _people(rng: random.Random, n: int) -> List[dict]:
        """Customers; the few surnames and streets make near-duplicates common."""
        people = []
        for first in rng.sample(FIRST, n):
            last = rng.choice(LAST)
            people.append({
                "first": first,
                "last": last,
                "number": rng.randint(1, 90),
                "street": rng.choice(STREETS),
                "postcode": f"{rng.randint(10, 99)}{rng.randint(100, 999)}",
                "phone": f"{rng.randint(200, 999)}{rng.randint(1000000, 9999999)}",
                "email": f"{first}.{last}{rng.randint(1, 99)}@mail.example".lower(),
            })
        return people

    @staticmethod
    def _crm_record(rid: str, p: dict) -> Record:
        ph = p["phone"]
        return Record(
            id=rid,
            name=f"{p['first']} {p['last']}",
            street=f"{p['number']} {p['street']}",
            postcode=p["postcode"],
            phone=f"({ph[:3]}) {ph[3:6]}-{ph[6:]}",
            email=p["email"],
        )

    @staticmethod
    def _billing_record(rng: random.Random, rid: str, p: dict, keep_email: bool) -> Record:
        kind = p["street"].split()[-1]
        street = f"{p['street'].replace(kind, SHORT[kind])} {p['number']}"
        name = rng.choice([f"{p['last']}, {p['first'][0]}.", f"{p['last'].upper()} {p['first'].upper()}"])
        # Old billing rows lack the phone or carry a mistyped postcode, not both.
        phone, postcode = p["phone"], p["postcode"]
        flaw = rng.choice(["none", "phone", "postcode"])
        if flaw == "phone":
            phone = None
        elif flaw == "postcode":
            postcode = postcode[:3] + postcode[4] + postcode[3]
        return Record(
            id=rid,
            name=name,
            street=street,
            postcode=postcode,
            phone=f"+1{phone}" if phone else None,
            email=p["email"] if keep_email else None,
        )

    # ------------------------------------------------------------------ steps
    def step(self, action: LinkAction, timeout_s: Optional[float] = None, **kwargs: Any) -> LinkObservation:
        if self._state.finished:
            return self._observation("The job is finished.", done=True, reward=0.0)
        self._state.step_count += 1

        message = ""
        if action.command != "finish":
            message = self._edit(action)
            if self._state.step_count < MAX_STEPS:
                return self._observation(message, reward=0.0)

        self._state.finished = True
        self._state.score = self._score()
        return self._observation(f"{message} Job finished.".strip(), done=True, reward=self._state.score)

    def _edit(self, action: LinkAction) -> str:
        links = dict(self._state.links)
        if action.command == "unlink":
            gone = links.pop(action.crm_id, None)
            self._state.links = links
            return f"{action.crm_id} unlinked." if gone else f"{action.crm_id} was not linked."
        if action.crm_id not in {r.id for r in self._crm} or action.billing_id not in {r.id for r in self._billing}:
            return "Unknown record id."
        if action.billing_id in links.values():
            return f"{action.billing_id} is already linked."
        links[action.crm_id] = action.billing_id
        self._state.links = links
        return f"{action.crm_id} linked to {action.billing_id}."

    def _score(self) -> float:
        links = self._state.links
        correct = sum(self._truth.get(c) == b for c, b in links.items())
        if not correct:
            return 0.0
        return correct / len(links)

    def _observation(self, message: str, done: bool = False, reward: Optional[float] = None) -> LinkObservation:
        return LinkObservation(
            crm=self._crm,
            billing=self._billing,
            links=dict(self._state.links),
            message=message,
            remaining_steps=MAX_STEPS - self._state.step_count,
            done=done,
            reward=reward,
        )

    @property
    def state(self) -> LinkState:
        return self._state
