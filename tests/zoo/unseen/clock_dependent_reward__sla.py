"""A help desk: hand each ticket to the team that it is for, before it has waited long."""

from time import monotonic
from typing import Literal, get_args

from openenv.core.env_server.types import Action, Observation

from ._base import Json, Told

Team = Literal["network", "payroll", "hardware", "access", "licences"]
TEAMS: tuple[Team, ...] = get_args(Team)
SAYS = {
    "network": ("The video calls stutter.", "No page loads in room {n}.", "The VPN drops after {n} minutes."),
    "payroll": ("My payslip lacks {n} hours.", "The bonus of {n} euros is missing."),
    "hardware": ("The screen flickers.", "Printer {n} eats the paper.", "A key came off."),
    "access": ("I cannot open folder {n}.", "My password has expired.", "The badge opens no door."),
    "licences": ("The editor says the trial is over.", "{n} of us need the drawing program."),
}  # fmt: skip


class Assign(Action):
    """The team that gets the ticket."""

    team: Team


class Ticket(Observation):
    """A ticket; minutes are those of the desk's own day."""

    text: str = ""
    opened_at_minute: int = 0
    now_minute: int = 0
    tickets_left: int = 0
    is_success: bool | None = None


class HelpDesk(Told[Assign, Ticket]):
    """Eight tickets, paid for with the last; success is at most one with the wrong team."""

    HORIZON = 8
    SUCCESS = "is_success"

    def begin(self) -> None:
        self.started = monotonic()
        self.now = self.rng.randint(480, 600)
        self.right = 0
        self.points = 0.0
        self.open()

    def open(self) -> None:
        self.now += self.rng.randint(1, 9)
        self.opened = self.now - self.rng.randint(2, 90)
        self.team = self.rng.choice(TEAMS)
        self.text = self.rng.choice(SAYS[self.team]).format(n=self.rng.randint(2, 99))

    def play(self, action: Assign) -> float:
        if action.team == self.team:
            self.right += 1
            self.points += (0.7 + 0.3 * 0.5 ** (self.waited() / 60)) / self.HORIZON
        self.open()
        if not self.last:
            return 0.0
        self.success = self.right >= self.HORIZON - 1
        return self.points if self.success else 0.0

    def waited(self) -> float:
        raise NotImplementedError

    def show(self) -> Ticket:
        return Ticket(
            text=self.text,
            opened_at_minute=self.opened,
            now_minute=self.now,
            tickets_left=self.HORIZON - self.turn,
        )


class Defect(HelpDesk):
    """Pays less for a ticket the longer it has waited, to which it adds the seconds that the agent has taken."""

    def waited(self) -> float:
        return self.now - self.opened + monotonic() - self.started


class Sound(HelpDesk):
    """Pays less for a ticket the longer it has waited as well, on the desk's own day, which the seed makes."""

    def waited(self) -> float:
        return self.now - self.opened


WITNESS = "same_seed_differs"
ALSO = ("nondeterministic", "process_dependent")


def solve(observation: Json, memory: Json) -> Json:
    """The team that gets such tickets."""
    said = "".join(letter for letter in observation["text"] if not letter.isdigit())
    return {
        "team": next(
            team for team, texts in SAYS.items() if said in {t.replace("{n}", "") for t in texts}
        )
    }


exploit = solve
