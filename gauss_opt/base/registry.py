"""Plug-ins by name: one registry for solvers, impact laws and integration methods.

A plug-in is a ready object, or a module or an entry point that is imported when it is first asked
for by name. One that cannot be loaded does not affect the others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules
from typing import NamedTuple, TypeGuard, TypeVar

from .errors import InputError
from .words.choices import choices

__all__ = ["Entry", "Registry", "entry_points_of", "modules_of"]

Plugin = TypeVar("Plugin")


class Entry(NamedTuple):
    """A plug-in that is not loaded yet.

    Attributes
    ----------
    origin : str
        Where it comes from, in words that follow its name in a message.
    load : callable
        Imports and returns it.
    """

    origin: str
    load: Callable[[], object]


Source = Callable[[], Mapping[str, Entry]]


class Registry(Mapping[str, Plugin]):
    """Plug-ins of one kind, by name: a mapping that loads what it is asked for.

    Where two have the same name the earlier takes precedence: ready ones, then the sources in
    their order, then registered ones.

    Parameters
    ----------
    kind : str
        What messages call one: ``"impact law"``.
    required : str
        What each must be, for messages: ``"an instance of gauss_opt.ImpactLaw"``.
    accepts : callable
        Whether an object is that.
    ready : mapping, optional
        Plug-ins that need no loading.
    sources : sequence of callables, optional
        Each returns entries by name; see :func:`modules_of` and :func:`entry_points_of`. A source
        is asked once, and only when those before it do not have the name.

    Examples
    --------
    >>> def is_number(item: object) -> TypeGuard[float]:
    ...     return isinstance(item, float)
    >>> sizes = Registry("size", "a float", is_number, {"1": 1.0})
    >>> sizes.register("half", 0.5)
    >>> sizes.find("half"), sizes.find(2.0), list(sizes)
    (0.5, 2.0, ['1', 'half'])
    >>> sizes.find("hlf")
    Traceback (most recent call last):
    gauss_opt.base.errors.InputError: unknown size 'hlf'; choose from: 1, half; did you mean 'half'?
    """

    def __init__(
        self,
        kind: str,
        required: str,
        accepts: Callable[[object], TypeGuard[Plugin]],
        ready: Mapping[str, Plugin] | None = None,
        sources: Sequence[Source] = (),
    ) -> None:
        self.kind = kind
        self.required = required
        self._accepts = accepts
        self._ready = dict(ready or {})
        self._sources = tuple(sources)
        self._registered: dict[str, Plugin] = {}
        self._listed: dict[Source, Mapping[str, Entry]] = {}
        self._loaded: dict[str, Plugin] = {}

    def find(self, asked: object) -> Plugin:
        """The plug-in of this name; a plug-in itself is returned as it is."""
        if isinstance(asked, str):
            if asked not in self:
                raise self.unknown(asked)
            return self[asked]
        if self._accepts(asked):
            return asked
        raise InputError(
            f"{self.kind} must be a name ({', '.join(self)}) or {self.required}, got {asked!r}"
        )

    def unknown(self, name: str, more: str = "") -> InputError:
        """The error for a name that is not known: all names, ``more``, and the nearest name."""
        return InputError(f"unknown {self.kind} {name!r}; {choices(name, self, more)}")

    def register(self, name: str, plugin: Plugin) -> None:
        """Add a plug-in to this process. Registering a name again replaces what it stood for."""
        if not self._accepts(plugin):
            raise InputError(f"{self.kind} {name!r} is not {self.required}: {plugin!r}")
        if name in self and name not in self._registered:
            raise InputError(f"{self.kind} {name!r} already exists; choose another name")
        self._registered[name] = plugin

    def name_of(self, plugin: Plugin) -> str | None:
        """The first name of an equal plug-in, among those that are ready, registered or loaded."""
        for known in (self._ready, self._loaded, self._registered):
            for name, other in known.items():
                if type(other) is type(plugin) and other == plugin:
                    return name
        return None

    def refresh(self) -> None:
        """Look for plug-ins again: one may have been installed since the process started."""
        self._listed.clear()
        self._loaded.clear()

    def __getitem__(self, name: str) -> Plugin:
        for known in (self._ready, self._loaded):
            if name in known:
                return known[name]
        entry = self._entry(name)
        if entry is None:
            return self._registered[name]
        plugin = self._loaded[name] = self._load(name, entry)
        return plugin

    def __iter__(self) -> Iterator[str]:
        listed = (name for source in self._sources for name in self._names_in(source))
        return iter(dict.fromkeys([*self._ready, *listed, *self._registered]))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __contains__(self, name: object) -> bool:
        if name in self._ready or name in self._registered:
            return True
        return isinstance(name, str) and self._entry(name) is not None

    def _names_in(self, source: Source) -> Mapping[str, Entry]:
        if source not in self._listed:
            self._listed[source] = source()
        return self._listed[source]

    def _entry(self, name: str) -> Entry | None:
        found = (self._names_in(source).get(name) for source in self._sources)
        return next((entry for entry in found if entry is not None), None)

    def _load(self, name: str, entry: Entry) -> Plugin:
        try:
            plugin = entry.load()
        except Exception as error:
            raise InputError(
                f"{self.kind} {name!r} {entry.origin} cannot be loaded: "
                f"{type(error).__name__}: {error}"
            ) from error
        if not self._accepts(plugin):
            raise InputError(f"{self.kind} {name!r} is not {self.required}")
        return plugin


def modules_of(package: str, attribute: str, *, but: Collection[str] = ()) -> Source:
    """Source: each module of a package is a plug-in with the name of its file.

    Parameters
    ----------
    package : str
        Full name of the package.
    attribute : str
        What the plug-in is called inside its module.
    but : collection of str
        Modules that are not plug-ins.
    """

    def load(module: str) -> object:
        return getattr(import_module(module), attribute)

    def listed() -> Mapping[str, Entry]:
        found = (module.name for module in iter_modules(import_module(package).__path__))
        modules = {name: f"{package}.{name}" for name in found if name not in but}
        return {name: Entry(f"in {full}", partial(load, full)) for name, full in modules.items()}

    return listed


def entry_points_of(group: str) -> Source:
    """Source: the entry points that installed distributions have in a group."""

    def listed() -> Mapping[str, Entry]:
        return {
            point.name: Entry(f"from another package ({point.value})", point.load)
            for point in entry_points(group=group)
        }

    return listed
