"""Exam board: turn a list of exams into a timetable that students can sit."""

import random
from typing import Any, List, Optional
from uuid import uuid4

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import Exam, ExamAction, ExamObservation, ExamState
except ImportError:
    from models import Exam, ExamAction, ExamObservation, ExamState

SUBJECTS = ["ALG", "BIO", "CHE", "DRA", "ECO", "FRE", "GEO", "HIS", "ITA", "LAW", "MUS", "PHY", "STA"]
SLOTS = ["mon-am", "mon-pm", "tue-am", "tue-pm", "wed-am"]
ROOM_NAMES = ["Aula", "Chapel", "Gym", "Library", "Annex"]
MAX_STEPS = 36


class ExamBoardEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        super().__init__()
        self._state = ExamState()
        self._exams: List[Exam] = []
        self._rooms = {}

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> ExamObservation:
        rng = random.Random(seed)
        self._state = ExamState(episode_id=episode_id or str(uuid4()), step_count=0)

        rooms = rng.sample(ROOM_NAMES, 3)
        sizes = [rng.randint(25, 40), rng.randint(60, 90), rng.randint(120, 180)]
        self._rooms = dict(zip(rooms, sizes))

        # Draw a timetable that works, then only rules that it respects.
        n = rng.randint(8, 11)
        codes = [f"{s}{rng.randint(1, 4)}0{rng.randint(1, 9)}" for s in rng.sample(SUBJECTS, n)]
        cells = [(s, r) for s in SLOTS for r in rooms]
        draft = dict(zip(codes, rng.sample(cells, n)))

        exams = {}
        for code, (slot, room) in draft.items():
            seats = self._rooms[room]
            away = rng.sample([s for s in SLOTS if s != slot], rng.randint(0, 2))
            exams[code] = Exam(code=code, enrolled=rng.randint(seats // 2 + 5, seats), examiner_away=sorted(away))
        for i, a in enumerate(codes):
            for b in codes[i + 1:]:
                if draft[a][0] != draft[b][0] and rng.random() < 0.4:
                    exams[a].shares_students_with.append(b)
                    exams[b].shares_students_with.append(a)
        self._exams = [exams[c] for c in sorted(codes)]
        return self._observation("Draft timetable is empty.")

    def step(self, action: ExamAction, timeout_s: Optional[float] = None, **kwargs: Any) -> ExamObservation:
        if self._state.published:
            return self._observation("Timetable already published.", done=True, reward=0.0)
        self._state.step_count += 1

        if action.op == "publish" or self._state.step_count >= MAX_STEPS:
            if action.op != "publish":
                self._edit(action)
            return self._publish()
        return self._observation(self._edit(action), reward=0.0)

    def _edit(self, action: ExamAction) -> str:
        table = dict(self._state.timetable)
        if action.exam not in {e.code for e in self._exams}:
            return f"No exam '{action.exam}'."
        if action.op == "remove":
            table.pop(action.exam, None)
            message = f"{action.exam} taken off the draft."
        elif action.slot not in SLOTS or action.room not in self._rooms:
            return "Unknown slot or room."
        else:
            table[action.exam] = [action.slot, action.room]
            message = f"{action.exam} placed on {action.slot} in {action.room}."
        self._state.timetable = table
        issues = self.find_issues()
        return message + (f" Exams with issues: {', '.join(sorted(issues))}." if issues else "")

    def find_issues(self) -> set:
        """Exams that cannot be held as the draft stands."""
        table = self._state.timetable
        issues = set()
        for exam in self._exams:
            if exam.code not in table:
                continue
            slot, room = table[exam.code]
            if exam.enrolled > self._rooms[room] or slot in exam.examiner_away:
                issues.add(exam.code)
            for other, (other_slot, other_room) in table.items():
                if other == exam.code or other_slot != slot:
                    continue
                if other_room == room or other in exam.shares_students_with:
                    issues.add(exam.code)
        return issues

    def _publish(self) -> ExamObservation:
        self._state.published = True
        issues = self.find_issues()
        reward = 1.0 - len(issues) / len(self._exams)
        obs = self._observation(f"Published with {len(issues)} exam(s) with issues.", done=True, reward=reward)
        obs.metadata = {"success": not issues, "issues": sorted(issues)}
        return obs

    def _observation(self, message: str, done: bool = False, reward: Optional[float] = None) -> ExamObservation:
        return ExamObservation(
            exams=self._exams,
            slots=list(SLOTS),
            rooms=dict(self._rooms),
            timetable=dict(self._state.timetable),
            message=message,
            steps_left=MAX_STEPS - self._state.step_count,
            done=done,
            reward=reward,
        )

    @property
    def state(self) -> ExamState:
        return self._state
