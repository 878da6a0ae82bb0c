"""What every record is: a frozen class that writes itself into a run's folder and is read from there, or refused.

The class is the one place that knows a record's fields. Whoever writes the record makes an instance; whoever reads it
gets an instance. A file that lacks a field, has one too many or has one of another type is refused with its name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self, TypeAlias, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    SerializerFunctionWrapHandler,
    ValidationError,
    WrapValidator,
    model_serializer,
)
from pydantic.fields import FieldInfo

from gonogo.errors import StaleRecord
from gonogo.records.files import digest, read_record, schema_name, write_record
from gonogo.records.provenance import Machine, SourceHash
from gonogo.wire import JsonObject

if TYPE_CHECKING:
    import pandas as pd


class Verdict(IntEnum):
    """A station's answer to the poll; the number is the exit code (2 is misuse, never an answer)."""

    GO = 0
    """Proven by what the record holds."""
    NO_GO = 1
    """Disproven."""
    HOLD = 3
    """Cannot tell; the record says what is missing."""

    @staticmethod
    def worst(verdicts: Collection[Verdict]) -> Verdict:
        """NO_GO where one is, else HOLD where one is, else GO."""
        if Verdict.NO_GO in verdicts:
            return Verdict.NO_GO
        return Verdict.HOLD if Verdict.HOLD in verdicts else Verdict.GO


SHOWN = 50
"""Rows that a notebook shows."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Values in rows and columns.

    Attributes:
        columns: Their names.
        rows: A value for each column.
    """

    columns: tuple[str, ...]
    rows: Sequence[tuple[object, ...]]

    def to_frame(self) -> pd.DataFrame:
        """It as a data frame of pandas."""
        import pandas as pd

        return pd.DataFrame(list(self.rows), columns=list(self.columns))

    def html(self) -> str:
        """It as HTML; nothing in it is a tag."""
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        body = "".join(
            f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>"
            for row in self.rows[:SHOWN]
        )
        more = len(self.rows) - SHOWN
        said = f"<p>and {more} more</p>" if more > 0 else ""
        return f"<table><tr>{head}</tr>{body}</table>{said}"


Dumped: TypeAlias = dict[str, Any]
"""What pydantic makes of a part's fields: it goes by this type, and would dump a part anew as JSON values."""


def verdict_named(value: object) -> object:
    """The verdict of a name."""
    return Verdict[value] if isinstance(value, str) and value in Verdict.__members__ else value


VerdictName = Annotated[
    Verdict, BeforeValidator(verdict_named), PlainSerializer(lambda verdict: verdict.name)
]
"""A verdict that a file holds by its name."""


def as_it_is(value: object, check: Callable[[object], object]) -> object:
    """A hash that names its folder stays one; a file's is a text."""
    return value if isinstance(value, SourceHash) else check(value)


SourceField = Annotated[str | None, WrapValidator(as_it_is)]
"""Hash of an environment's source, see :func:`~gonogo.records.provenance.source_hash`; None where it cannot be seen."""
ReturnField = Annotated[
    float | None, Field(validation_alias="return", serialization_alias="return")
]
"""What an episode was paid, or policies in the mean, under the name ``return`` that no attribute can have."""


def written_as(name: str) -> FieldInfo:
    """Marks a field that has another name in a file: one that Python or pydantic keeps for itself."""
    info: FieldInfo = Field(validation_alias=name, serialization_alias=name)
    return info


ConfigPart = TypeVar("ConfigPart", bound="Part")


class Part(BaseModel):
    """A part of a record: frozen, with no fields but its own.

    A file lacks a field whose default is None where it is None; one without a default is always there.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        use_attribute_docstrings=True,
        protected_namespaces=(),
        serialize_by_alias=True,
        validate_by_name=True,
    )

    @model_serializer(mode="wrap")
    def without_absent(self, dump: SerializerFunctionWrapHandler) -> Dumped:
        """Its fields without those that are absent."""
        fields = type(self).model_fields.items()
        optional = {f.serialization_alias or name for name, f in fields if f.default is None}
        return {n: v for n, v in dump(self).items() if v is not None or n not in optional}


def place_in(body: JsonObject, place: Sequence[str | int]) -> Iterator[str | int]:
    """The steps to a field at fault, without the names that pydantic gives to the forms that it tried."""
    held: object = body
    for number, step in enumerate(place, start=1):
        if isinstance(held, dict) and step in held:
            held = held[step]
        elif isinstance(held, list) and isinstance(step, int):
            held = held[step] if step < len(held) else None
        elif number < len(place):
            continue
        yield step


class Record(Part):
    """A record that has a file of its own.

    Attributes:
        kind: What it is: the name of its file and of its schema.
        version: Version of its schema.
        station: The command that writes it, as an error says it.
    """

    kind: ClassVar[str]
    version: ClassVar[int]
    station: ClassVar[str]

    @classmethod
    def path(cls, folder: Path) -> Path:
        """Its file in a run's folder."""
        return folder / f"{cls.kind}.json"

    def save(self, folder: Path | str) -> None:
        """Write it into a run's folder, whole or not at all.

        Args:
            folder: The folder; it is made where it is missing.

        Raises:
            RecordError: A value cannot be JSON; NaN and infinities cannot.
        """
        write_record(self.path(Path(folder)), self.kind, self.version, self.body())

    def body(self) -> JsonObject:
        """Its fields as a file holds them."""
        own = self.model_dump()
        source = getattr(self, "source_hash", None)
        if isinstance(source, SourceHash):
            # Writing asks the hash which data changed meanwhile, which its dump cannot say.
            own |= {"source_hash": source, "source_data": source.data}
        return own

    @classmethod
    def load(cls, folder: Path | str, source: str | None = None) -> Self:
        """Read it from a run's folder.

        Args:
            folder: The folder.
            source: Hash of the environment's source now, see :func:`~gonogo.records.provenance.source_hash`; None
                where the record need not be about this environment.

        Raises:
            MissingRecord: It is not there, or not JSON.
            StaleRecord: It is of another kind, version or source, or a field is not what it has to be.
        """
        file = cls.path(Path(folder))
        return cls.parse(read_record(file, cls.kind, cls.version, source, cls.station), file)

    @classmethod
    def parse(cls, body: JsonObject, file: Path) -> Self:
        """The record that a file's JSON holds.

        Args:
            body: The JSON.
            file: Where it is from, for the error.

        Raises:
            StaleRecord: A field is missing, unknown or of another type; the message names it.
        """
        try:
            return cls.model_validate({k: v for k, v in body.items() if k != "schema"})
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            field = ".".join(map(str, place_in(body, first["loc"]))) or "the record"
            raise StaleRecord(f"{file}: {field}: {first['msg']}; run {cls.station} again") from None

    def digest(self) -> str:
        """SHA-256 of its content, by which plots and pages name the record that they were made from."""
        return digest({"schema": schema_name(self.kind, self.version), **self.body()})


class VerdictRecord(Record):
    """What a station leaves: its answer, what it is about and what it was made with."""

    target: str
    source_hash: SourceField
    """Of the environment."""
    source_data: dict[str, str] | None = None
    """Hashes of the data beside the environment's code, as they were when the record was written."""
    verdict: VerdictName
    created: str
    """When it was made, in UTC."""
    python: str
    packages: dict[str, str]
    """Versions of the packages that a result may depend on."""
    machine: Machine

    def read_config(self, config: JsonObject, part: type[ConfigPart]) -> ConfigPart:
        """What others read of the config that it was made by.

        Args:
            config: The record's.
            part: The fields.

        Raises:
            StaleRecord: A field is not there, or is none.
        """
        try:
            return part.model_validate(config)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            field = ".".join(map(str, ("config", *first["loc"])))
            raise StaleRecord(
                f"{self.kind}.json: {field}: {first['msg']}; run {self.station} again"
            ) from None

    @property
    def said(self) -> str:
        """The evidence behind the verdict, in a line."""
        return "nothing against it"

    @property
    def frame(self) -> Frame:
        """What a reader sees first, as a table; empty where there is none."""
        return Frame((), [])

    def to_frame(self) -> pd.DataFrame:
        """The table as a data frame of pandas."""
        return self.frame.to_frame()

    def _repr_html_(self) -> str:
        """Verdict, evidence and table, for a notebook."""
        said = f"<p><b>{self.verdict.name.replace('_', '-')}</b>: {escape(self.said)}</p>"
        return said + (self.frame.html() if self.frame.columns else "")


class StationRecord(VerdictRecord):
    """What a station leaves whose verdict always has a reason."""

    reason: str
    """The evidence behind the verdict, in a sentence."""

    @property
    def said(self) -> str:
        """The evidence behind the verdict, in a line."""
        return self.reason or super().said


class Estimate(Part):
    """A mean with its 95 % interval."""

    mean: float | None
    """The sample mean; None of what cannot be estimated."""
    ci95: tuple[float, float] | None
    """Low and high end; None where the sample is constant."""
    note: str | None = None
    """Why there is no interval; None where there is one."""

    @property
    def ends(self) -> tuple[float, float] | None:
        """Of the interval; the mean twice where the sample is constant, None without a mean."""
        return self.ci95 if self.ci95 is not None or self.mean is None else (self.mean, self.mean)

    def above(self, bar: float) -> bool:
        """Whether the whole interval lies above ``bar``; never true of a constant sample."""
        return self.ci95 is not None and self.ci95[0] > bar
