"""The options that several rules have: the type of each, with its kind and range."""

from typing import Annotated, Any

from rosenblatt.options import Flag, Number, OneOf, Special, Whole
from rosenblatt.rows.storage import LONGEST
from rosenblatt.rules.schemes import SCHEMES
from rosenblatt.vocabulary import TIE_RULES

AUTO = "auto"

Switch = Annotated[bool, Flag()]
SwitchOrAuto = Annotated[bool | str, Flag((AUTO,))]
TieRule = Annotated[str, OneOf(TIE_RULES)]
Start = Annotated[Any, Special("start")]
BiasScale = Annotated[float | str, Number(above=0, below=LONGEST, words=(AUTO,))]
Count = Annotated[int | None, Whole(1, none=True)]
Seconds = Annotated[float | None, Number(above=0, infinite=True, none=True)]
Positive = Annotated[float, Number(above=0)]
FromZero = Annotated[float, Number(least=0)]
AnyNumber = Annotated[float, Number()]
MultiClass = Annotated[str, OneOf(SCHEMES)]
ClassWeight = Annotated[Any, Special("class_weight")]
RandomState = Annotated[Any, Special("random_state")]
