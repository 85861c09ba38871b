from typing import Literal

from typing_extensions import Buffer

def abi() -> int: ...
def sources() -> int: ...
def span(
    array: Buffer,
    name: str,
    kind: Literal["double", "int64", "int32", "int8"],
    length: int,
    writable: bool,
    /,
) -> int: ...
def indices(array: Buffer, name: str, low: int, high: int, /) -> int: ...
