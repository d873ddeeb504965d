"""What a program's names, members and calls mean: the rules of the language, over types as far as they are known."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from loaders.extraction import UNKNOWN, Fact, Import, Operand
from loaders.resolution.typescript.kinds import (
    BASIC,
    EXTERNAL,
    Declared,
    Env,
    Found,
    Member,
    Target,
    Type,
    awaited,
    container,
    element_of,
    flags_of,
    type_parameters,
    union,
)
from loaders.resolution.typescript.layout import Layout
from loaders.resolution.typescript.scopes import PENDING, File

__all__ = ["Types"]

_DOING: Any = object()
_MAX_DEPTH = 40
_MAX_NESTING = 5
_MAX_BUSY = 100
_OWNING = frozenset({"instance", "class", "function", "object"})
_ELEMENT = frozenset(["at", "find", "findLast", "pop", "shift", "get", "values", "next"])
_SELF = frozenset(
    [
        "filter",
        "slice",
        "concat",
        "reverse",
        "sort",
        "splice",
        "add",
        "set",
        "toSorted",
        "toReversed",
        "flat",
        "with",
    ]
)


class Types:
    """Evaluates facts, each once.

    Args:
        files: The files of the program.
        layout: Where module specifiers lead.
        evaluate: Operation of a fact to what gives its type.
        expect: What surrounds a literal to what gives the type that it must have.
    """

    def __init__(
        self,
        files: Mapping[str, File],
        layout: Layout,
        evaluate: Mapping[str, Callable[..., Type]],
        expect: Mapping[str, Callable[..., Type]],
    ) -> None:
        self.files = files
        self.layout = layout
        self._evaluate = evaluate
        self._expect = expect
        self._depth = 0
        self._added: defaultdict[tuple[Any, ...], dict[str, list[tuple[str, Operand, int]]]] = defaultdict(
            dict
        )
        self._receivers: dict[tuple[str, int], Type] = {}
        self._busy: set[Any] = set()
        self._add_assigned_members(nested=False)
        self._add_assigned_members(nested=True)

    # ---- members that are assigned ----------------------------------------------------------------

    def _add_assigned_members(self, *, nested: bool) -> None:
        """``F.prototype.m = ...``, ``name.m = ...``, ``this.m = ...``: the nested ones rest on the others."""
        for file in self.files.values():
            for position in file.assignments:
                _, target, value, at = file.fact(position)
                fact = file.fact(target)
                if fact[0] == "attr" and (file.fact(fact[1])[0] == "attr") == nested:
                    self._add_member(file, fact, value, at)
        for file in self.files.values():
            file.types = [PENDING] * len(file.types)

    def _add_member(self, file: File, target: Fact, value: Operand, at: int) -> None:
        base = file.fact(target[1])
        if base[0] == "attr" and base[2] == "prototype":
            owner = self._made_by(self.value(file, base[1]))
        elif target[2] == "prototype":
            owner = self._made_by(self.value(file, target[1]))
            for name, _, _, member, where in file.fact(value)[1] if file.fact(value)[0] == "object" else ():
                self._add(file, owner, name, member, where)
            return
        else:
            owner = self.value(file, target[1])
        self._add(file, owner, target[2], value, at)

    def _add(self, file: File, owner: Type, name: str, value: Operand, at: int) -> None:
        if owner is None or owner[0] not in ("instance", "class", "function", "object"):
            return
        self._added[owner[:3]].setdefault(name, []).append((file.path, value, at))
        if file.fact(value)[0] == "function":
            self._receivers.setdefault((file.path, file.fact(value)[1]), owner)

    def _made_by(self, type_: Type) -> Type:
        """What ``new`` gives."""
        if type_ is None or type_ == EXTERNAL:
            return type_
        if type_[0] == "class":
            return ("instance", type_[1], type_[2], ())
        if type_[0] == "function" and self.files[type_[1]].fact(type_[2])[0] == "function":
            return ("instance", type_[1], type_[2], ())
        return None

    # ---- evaluation ----------------------------------------------------------------

    def value(self, file: File, operand: Operand) -> Type:
        """Type of an operand; the type that it denotes where it is a type expression."""
        if isinstance(operand, str):
            return BASIC
        if operand == UNKNOWN:
            return None
        known = file.types[operand]
        if known is _DOING or (known is PENDING and self._depth > _MAX_DEPTH):
            return None
        if known is PENDING:
            file.types[operand] = _DOING
            self._depth += 1
            fact = file.extraction.facts[operand]
            evaluate = self._evaluate.get(fact[0])
            known = evaluate(self, file, operand, *fact[1:]) if evaluate else None
            self._depth -= 1
            file.types[operand] = known
        return known  # type: ignore[no-any-return]

    def variable(self, file: File, facts: Iterable[int]) -> Type:
        """Type of a variable, of whose declarations the one with a body counts."""
        best = self.best(file, facts)
        return None if best is None else self.value(file, best)

    def best(self, file: File, facts: Iterable[int]) -> int | None:
        """Of several declarations of a name, the one with a body, else the first; a namespace that adds to a function,
        class or enumeration of its name is none of them."""
        every = list(facts)
        found = [fact for fact in every if file.fact(file.fact(fact)[4])[0] != "namespace"] or every
        bodied = [fact for fact in found if "d" not in flags_of(file.fact(file.fact(fact)[4]))]
        return next(iter(bodied or found), None)

    # ---- modules ----------------------------------------------------------------

    def imported(self, file: File, binding: Import, space: str) -> Found:
        """What an import binds: a file and a fact that declares it, or a type."""
        key = (file.path, binding.ordinal, space)
        if key in self._busy or len(self._busy) > _MAX_BUSY:
            return None
        self._busy.add(key)
        try:
            return self._imported(file, binding, space)
        finally:
            self._busy.discard(key)

    def _imported(self, file: File, binding: Import, space: str) -> Found:
        if not binding.module:
            return self._own_name(file, binding.name, space)
        path = self.layout.find(file.path, binding.module)
        if path is None:
            return EXTERNAL
        if path not in self.files:
            return None
        module = self.files[path]
        if not binding.name or (binding.name == "default" and not _has_default(module)):
            whole = self.exported(module, "export=", space)
            return whole if whole is not None else ("module", path)
        return self.exported(module, binding.name, space)

    def _own_name(self, file: File, name: str, space: str) -> Found:
        first, _, rest = name.partition(".")
        if rest:
            return self._path_of(file, first, rest)
        return self.look_up(file, 0, name, space)

    def _path_of(self, file: File, first: str, rest: str) -> Type:
        found = self.look_up(file, 0, first, "value")
        type_ = self.type_of(found)
        for name in rest.split("."):
            type_ = next((member.type for member in self.members(type_, name)), None)
        return type_

    def look_up(self, file: File, block: int, name: str, space: str) -> Found:
        """What a name means in a block; None where nothing binds it."""
        facts = file.find_variable(block, name) if space == "value" else file.find_type(block, name)
        best = self.best(file, facts) if space == "value" else next(iter(facts), None)
        if best is not None:
            return Declared(file, best)
        if name in file.imports:
            return self.imported(file, file.imports[name], space)
        return None

    def exported(self, module: File, name: str, space: str) -> Found:
        """What a module exports under a name."""
        key = (module.path, name, space)
        if key in self._busy:
            return None
        self._busy.add(key)
        try:
            if name in module.exports:
                return self._exported_value(module, name)
            if name in module.imports and (name == "default" or not module.find_variable(0, name)):
                return self.imported(module, module.imports[name], space)
            if "export=" in module.exports or "export=" in module.imports:
                whole = self.exported(module, "export=", "value")
                owners = (
                    self.type_of(whole),
                    *(self.namespaces(whole) if isinstance(whole, Declared) else ()),
                )
                return next((found for one in owners for found in self.members(one, name)), None)
            found = self.look_up(module, 0, name, space) if name != "export=" else None
            return self._starred(module, name, space) if found is None else found
        finally:
            self._busy.discard(key)

    def namespaces(self, declared: Declared) -> Iterator[Type]:
        """Namespaces that add to what a name declares."""
        file, variable = declared
        _, block, name, *_ = file.fact(variable)
        for fact in file.variables[block, name]:
            value = file.fact(fact)[4]
            if fact != variable and file.fact(value)[0] == "namespace":
                yield self.value(file, value)

    def _exported_value(self, module: File, name: str) -> Found:
        """What ``exports.name = value`` exports: what the value names, else the property."""
        value, at = module.exports[name][-1]
        fact = module.fact(value)
        if fact[0] == "name":
            return self.look_up(module, fact[1], fact[2], "value")
        symbol = fact[1] if fact[0] in ("function", "class") else module.symbols.get(at, UNKNOWN)
        return Member(None if symbol == UNKNOWN else (module.path, symbol), self.value(module, value))

    def _starred(self, module: File, name: str, space: str) -> Found:
        external = None
        for binding in module.stars if name not in ("default", "export=") else ():
            path = self.layout.find(module.path, binding.module)
            if path is not None and path in self.files:
                found = self.exported(self.files[path], name, space)
                if found is not None and found != EXTERNAL:
                    return found
            elif path is None:
                external = EXTERNAL
        return external

    def type_of(self, found: Found) -> Type:
        """Type of what a look-up found."""
        if isinstance(found, Member):
            return found.type
        if isinstance(found, Declared):
            return self.value(*found)
        return found

    def denoted(self, found: Found, arguments: tuple[Type, ...] = ()) -> Type:
        """The type that a declaration of a type declares."""
        if not isinstance(found, Declared):
            return _instance_of(self.type_of(found))
        file, position = found
        fact = file.fact(position)
        if fact[0] == "interface":
            return ("instance", file.path, position, arguments)
        if fact[0] == "typeparam":
            return ("param", file.path, position)
        type_ = self.value(file, position)
        if fact[0] == "alias":
            return self.bind(type_, self._arguments_env(file.path, fact, arguments))
        return ("instance", type_[1], type_[2], arguments) if type_ and type_[0] == "class" else type_

    # ---- members ----------------------------------------------------------------

    def members(
        self, type_: Type, name: str, depth: int = 0, known: dict[Type, list[Member]] | None = None
    ) -> list[Member]:
        """What a property of a type may be: several where the type is a union.

        Args:
            type_: The type.
            name: Name of the property.
            depth: Number of unions and bases that led to the type.
            known: Answers for those: several ways may lead to one base, as through objects that are spread.
        """
        if type_ is None or depth > _MAX_DEPTH:
            return []
        known = {} if known is None else known
        kind = type_[0]
        if kind == "any":
            options = [option for option in type_[1] if option != BASIC]
            found = [member for option in options for member in self.members(option, name, depth + 1, known)]
            return list(dict.fromkeys(found))
        if kind == "all":
            options = [self.members(option, name, depth + 1, known) for option in type_[1]]
            return next((found for found in options if found), [])
        if kind == "external":
            return [Member(None, EXTERNAL)]
        if kind == "param":
            constraint = self.files[type_[1]].fact(type_[2])[3]
            return self.members(self.value(self.files[type_[1]], constraint), name, depth + 1, known)
        if kind in ("array", "promise", "map"):
            return [Member(None, ("operation", name, type_))]
        if kind in ("module", "namespace"):
            return self._module_member(type_, name)
        if kind not in _OWNING:
            return []
        if type_ not in known:
            known[type_] = []
            known[type_] = self._own_member(type_, name) or self._inherited(type_, name, depth, known)
        return known[type_]

    def _module_member(self, type_: tuple[Any, ...], name: str) -> list[Member]:
        file = self.files[type_[1]]
        if type_[0] == "namespace":
            facts = file.variables.get((type_[2], name), [])
            best = self.best(file, facts)
            return [] if best is None else [Member(self.symbol(file, best), self.value(file, best))]
        found = self.exported(file, name, "value")
        if found is None:
            return []
        if isinstance(found, Member):
            return [found]
        target = self.symbol(*found) if isinstance(found, Declared) else None
        return [Member(target, self.type_of(found))]

    def symbol(self, file: File, variable: int) -> Target | None:
        """Symbol of a variable that is bound by a fact."""
        fact = file.fact(variable)
        symbol = file.symbols.get(fact[5]) if fact[0] == "var" else None
        return None if symbol is None else (file.path, symbol)

    def _own_member(self, type_: tuple[Any, ...], name: str) -> list[Member]:
        added = self._added.get(type_[:3], {}).get(name)
        file, fact = self.files[type_[1]], self.files[type_[1]].fact(type_[2])
        env = self.env(type_, fact)
        declared = [m for m in self._declared(type_, fact) if m[0] == name and m[0]]
        of_class = type_[0] == "class"
        if fact[0] == "class":
            declared = [m for m in declared if ("s" in m[1]) == of_class and name != "constructor"]
        if declared:
            best = next((m for m in declared if "d" not in m[1]), declared[0])
            found = Member(self._member_target(file, best), self._member_type(file, best, env))
            if found.type is not None or not added:
                return [found]
        if added:
            path, _, at = added[0]
            target = self.files[path].symbols.get(at)
            values = [self.value(self.files[p], v) for p, v, _ in added]
            known = next((v for v in values if v is not None and v != BASIC), None)
            return [Member(None if target is None else (path, target), known)]
        if of_class and fact[0] == "class" and name == "prototype":
            return [Member(None, ("instance", *type_[1:3], ()))]
        return []

    def _member_target(self, file: File, member: Fact) -> Target | None:
        """Symbol of a member; that of what it names where it has none of its own, as in ``{ add }``."""
        symbol, value = file.symbols.get(member[4]), file.fact(member[3])
        if symbol is not None or value[0] != "name":
            return None if symbol is None else (file.path, symbol)
        found = self.look_up(file, value[1], value[2], "value")
        return self.symbol(*found) if isinstance(found, Declared) else None

    def _declared(self, type_: tuple[Any, ...], fact: Fact) -> Iterator[Fact]:
        """Members as declared, those of an interface's other declarations included."""
        if fact[0] == "class":
            yield from fact[2]
            yield from self.files[type_[1]].fields.get(fact[1], ())
        elif fact[0] in ("object", "shape"):
            yield from fact[1]
        if fact[0] == "interface" or (fact[0] == "class" and type_[0] == "instance"):
            file = self.files[type_[1]]
            for other in self._merged(file, fact):
                yield from (
                    file.fact(file.fact(other)[4])[1] if file.fact(file.fact(other)[4])[0] == "shape" else ()
                )

    def _merged(self, file: File, fact: Fact) -> list[int]:
        if fact[0] == "class":
            name, block = file.extraction.symbols[fact[1]].name if fact[1] >= 0 else "", 0
        else:
            block, name = fact[1], fact[2]
        return [f for f in file.type_names.get((block, name), ()) if file.fact(f)[0] == "interface"]

    def _member_type(self, file: File, member: Fact, env: Env) -> Type:
        _, flags, type_, value, _ = member
        found = self.value(file, type_) if type_ != UNKNOWN else None
        found = self.value(file, value) if found is None else found
        if "g" in flags and found and found[0] == "function":
            found = self.result(found)
        return self.bind(found, env)

    def env(self, type_: tuple[Any, ...], fact: Fact) -> Env:
        if type_[0] == "instance":
            return self._arguments_env(type_[1], fact, type_[3])
        return type_[3] if len(type_) > 3 else ()

    def _arguments_env(self, path: str, fact: Fact, arguments: tuple[Type, ...]) -> Env:
        parameters = type_parameters(fact)
        if not arguments:
            return ()
        return tuple(
            (("param", path, parameter), argument)
            for parameter, argument in zip(parameters, arguments, strict=False)
            if argument is not None
        )

    def _inherited(
        self, type_: tuple[Any, ...], name: str, depth: int, known: dict[Type, list[Member]]
    ) -> list[Member]:
        for base in self.bases(type_):
            found = self.members(base, name, depth + 1, known)
            if found:
                return [member._replace(inherited=True) for member in found]
        return []

    def bases(self, type_: Type) -> list[Type]:
        """Classes, interfaces and spread objects that a type takes members from."""
        if type_ is None or type_[0] not in ("instance", "class", "object"):
            return []
        file, fact = self.files[type_[1]], self.files[type_[1]].fact(type_[2])
        env = self.env(type_, fact)
        found: list[Type] = []
        if fact[0] == "class":
            for value, arguments in fact[3]:
                base = self.value(file, value)
                found.append(self._as_base(file, base, arguments) if type_[0] == "instance" else base)
            if type_[0] == "instance":
                found += [self.value(file, one) for one in fact[4]]
                found += [
                    self.value(file, b) for other in self._merged(file, fact) for b in file.fact(other)[5]
                ]
        elif fact[0] == "interface":
            found = [self.value(file, b) for other in self._merged(file, fact) for b in file.fact(other)[5]]
        elif fact[0] == "object":
            found = [self.value(file, spread) for spread in fact[2]]
        return [self.bind(base, env) for base in found if base is not None]

    def _as_base(self, file: File, base: Type, arguments: Iterable[Operand]) -> Type:
        if base and base[0] == "class":
            return ("instance", base[1], base[2], tuple(self.value(file, a) for a in arguments))
        return self.made(file, base, (), ())

    # ---- functions ----------------------------------------------------------------

    def functions(self, type_: Type, depth: int = 0) -> list[tuple[Any, ...]]:
        """The functions that something of a type may be called as."""
        if type_ is None or depth > 10:
            return []
        if type_[0] == "function":
            return [type_]
        if type_[0] in ("any", "all"):
            return [f for option in type_[1] for f in self.functions(option, depth + 1)]
        if type_[0] == "param":
            file = self.files[type_[1]]
            return self.functions(self.value(file, file.fact(type_[2])[3]), depth + 1)
        if type_[0] in ("object", "instance"):
            file, fact = self.files[type_[1]], self.files[type_[1]].fact(type_[2])
            shape = file.fact(fact[4]) if fact[0] == "interface" else fact
            env = self.env(type_, fact)
            found = [("function", file.path, f, env) for f in (shape[2] if shape[0] == "shape" else ())]
            return found or [f for base in self.bases(type_) for f in self.functions(base, depth + 1)]
        return []

    def result(self, function: tuple[Any, ...], env: Env = ()) -> Type:
        """Type of what a function returns."""
        _, path, position, own = function
        file = self.files[path]
        fact = file.fact(position)
        declared = fact[3] if fact[0] == "function" else fact[2]
        type_ = self.value(file, declared)
        if type_ is None and fact[0] == "function" and (declared == UNKNOWN):
            type_ = self._returned(file, fact)
        return self.bind(type_, (*own, *env))

    def _returned(self, file: File, fact: Fact) -> Type:
        key = ("returned", file.path, fact[1])
        if key in self._busy or self._depth > _MAX_DEPTH:
            return None
        self._busy.add(key)
        found = union(self.value(file, value) for value in file.returns.get(fact[1], ()))
        self._busy.discard(key)
        if "a" in fact[4] and found is not None and found[0] != "promise":
            return ("promise", found)
        return found

    def parameter(self, function: tuple[Any, ...], index: int) -> Type:
        """Type of a parameter of a function, as its declaration says."""
        _, path, position, env = function
        file = self.files[path]
        fact = file.fact(position)
        parameters = fact[2] if fact[0] == "function" else fact[1]
        if not parameters:
            return None
        last = file.fact(parameters[-1])
        rest = last[0] == "param" and last[3]
        if index >= len(parameters) - 1 and rest:
            type_ = self.value(file, parameters[-1])
            return self.bind(element_of(type_), env)
        return self.bind(self.value(file, parameters[index]), env) if index < len(parameters) else None

    def generics(self, function: tuple[Any, ...]) -> tuple[int, ...]:
        fact = self.files[function[1]].fact(function[2])
        return tuple(fact[5] if fact[0] == "function" else fact[3])

    def inferred(
        self, file: File, function: tuple[Any, ...], arguments: Any, types: Any, *, literals: bool
    ) -> Env:
        """What a call says that the type parameters of the callee stand for."""
        generics = self.generics(function)
        if not generics:
            return ()
        path = function[1]
        if types:
            pairs = zip(generics, types, strict=False)
            return tuple((("param", path, parameter), self.value(file, one)) for parameter, one in pairs)
        env: dict[Any, Any] = {}
        wanted = {("param", path, parameter) for parameter in generics}
        for is_literal in (False, True) if literals else (False,):
            for index, argument in enumerate(arguments):
                if (file.fact(argument)[0] == "function") == is_literal:
                    self._unify(self.parameter(function, index), self.value(file, argument), wanted, env, 0)
        return tuple(env.items())

    def _unify(self, pattern: Type, actual: Type, wanted: set[Any], env: dict[Any, Any], depth: int) -> None:
        if pattern is None or actual is None or depth > _MAX_NESTING:
            return
        if pattern in wanted:
            if env.get(pattern) in (None, BASIC):
                env[pattern] = actual
        elif pattern[0] in ("any", "all"):
            shaped = [
                option for option in pattern[1] if option not in wanted and option and option[0] == actual[0]
            ]
            for option in shaped or [option for option in pattern[1] if option in wanted]:
                self._unify(option, actual, wanted, env, depth + 1)
        elif pattern[0] in ("array", "promise", "map") and pattern[0] == actual[0]:
            for one, other in zip(pattern[1:], actual[1:], strict=False):
                self._unify(one, other, wanted, env, depth + 1)
        elif pattern[0] == "instance":
            found = self._as_instance(actual, pattern[1:3], 0)
            for one, other in zip(pattern[3], found[3] if found else (), strict=False):
                self._unify(one, other, wanted, env, depth + 1)
        elif pattern[0] == "function":
            for one in self.functions(actual)[:1]:
                self._unify(self.result(pattern), self.result(one), wanted, env, depth + 1)
        elif pattern[0] == "object" and actual[0] in ("object", "instance"):
            fact = self.files[pattern[1]].fact(pattern[2])
            for name, *_ in fact[1] if fact[0] != "tuple" else ():
                for mine, theirs in zip(
                    self.members(pattern, name), self.members(actual, name), strict=False
                ):
                    self._unify(mine.type, theirs.type, wanted, env, depth + 1)

    def _as_instance(self, type_: Type, wanted: tuple[Any, ...], depth: int) -> Type:
        """The base of a type that is an instance of a given class or interface."""
        if type_ is None or depth > 10:
            return None
        if type_[0] == "instance" and type_[1:3] == wanted:
            return type_
        options = type_[1] if type_[0] in ("any", "all") else self.bases(type_)
        return next((found for o in options if (found := self._as_instance(o, wanted, depth + 1))), None)

    # ---- substitution ----------------------------------------------------------------

    def bind(self, type_: Type, env: Env, depth: int = 0) -> Type:
        """A type with its type parameters replaced by what they stand for."""
        if type_ is None or not env or depth > _MAX_NESTING:
            return type_
        kind = type_[0]
        if kind == "param":
            return next((found for key, found in env if key == type_ and found is not None), type_)
        if kind == "instance":
            fact = self.files[type_[1]].fact(type_[2])
            arguments = type_[3]
            return (
                ("instance", *type_[1:3], tuple(self.bind(one, env, depth + 1) for one in arguments))
                if fact
                else type_
            )
        if kind in ("function", "object"):
            own = tuple((key, self.bind(found, env, depth + 1)) for key, found in type_[3])
            taken = {key for key, _ in own}
            added = tuple((key, found) for key, found in env if key not in taken and key[1] == type_[1])
            return (*type_[:3], own + added)
        if kind in ("array", "promise", "map"):
            return (kind, *(self.bind(one, env, depth + 1) for one in type_[1:]))
        if kind == "any":
            return union(self.bind(one, env, depth + 1) for one in type_[1])
        if kind == "all":
            return ("all", tuple(self.bind(one, env, depth + 1) for one in type_[1]))
        return type_

    # ---- what is expected of a literal ----------------------------------------------------------------

    def expected(self, file: File, position: int) -> Type:
        """The type that what surrounds a function, object or array literal says it must have."""
        context = file.contexts.get(position)
        key = ("expected", file.path, position)
        if context is None or key in self._busy or self._depth > _MAX_DEPTH:
            return None
        self._busy.add(key)
        self._depth += 1
        try:
            return self._expect[context[0]](self, file, *context[1:])
        finally:
            self._depth -= 1
            self._busy.discard(key)

    # ---- `this` ----------------------------------------------------------------

    def receiver(self, file: File, symbol: int) -> Type:
        """Type of ``this`` in a function, or in the body of a class."""
        if symbol < 0:
            return None
        if symbol in file.classes:
            return self._self_type(file, file.classes[symbol])
        function = file.functions.get(symbol)
        owner = file.owners.get(function) if function is not None else None
        if owner is not None and function is not None:
            if file.fact(owner)[0] == "class":
                is_static = "s" in flags_of(file.fact(function)) or self._is_static(file, owner, function)
                return ("class", file.path, owner) if is_static else self._self_type(file, owner)
            return ("object", file.path, owner, ())
        found = self._receivers.get((file.path, symbol))
        if found is not None:
            return found
        if function is not None:
            return ("instance", file.path, function, ())
        at = file.extraction.symbols[symbol].name_span.start
        facts = [f for names in file.type_names.values() for f in names if file.fact(f)[3] == at]
        return self._self_type(file, facts[0]) if facts else None

    def _is_static(self, file: File, class_: int, function: int) -> bool:
        return any(member[3] == function and "s" in member[1] for member in file.fact(class_)[2])

    def _self_type(self, file: File, fact: int) -> Type:
        parameters = type_parameters(file.fact(fact))
        return ("instance", file.path, fact, tuple(("param", file.path, p) for p in parameters))

    # ---- calls ----------------------------------------------------------------

    def called(self, file: File, callee: Operand, arguments: Any, types: Any) -> Type:
        """Type of a call."""
        type_ = self.value(file, callee)
        if type_ is None or type_ == EXTERNAL:
            return type_
        if type_[0] == "operation":
            return self._operate(file, type_[1], type_[2], arguments)
        functions = self.functions(type_)
        results = []
        for function in functions[:4]:
            env = self.inferred(file, function, arguments, types, literals=True)
            results.append(self.result(function, env))
        return next((r for r in results if r is not None), None) if type_[0] != "any" else union(results)

    def _operate(self, file: File, name: str, owner: Type, arguments: Any) -> Type:
        """Result of a method of an array, set, map or promise."""
        assert owner is not None
        returned = None
        for argument in arguments[:1]:
            for function in self.functions(self.value(file, argument))[:1]:
                returned = self.result(function)
        if owner[0] == "promise":
            if name == "then":
                return ("promise", awaited(returned))
            return owner
        if name in ("map", "flatMap"):
            return ("array", element_of(returned) if name == "flatMap" else returned)
        if name == "reduce" and len(arguments) > 1:
            return self.value(file, arguments[1])
        if name in _SELF:
            return owner
        if name in _ELEMENT:
            element = owner[-1]
            return ("array", element) if name == "values" else element
        return BASIC

    def constructed(self, file: File, callee: Operand, arguments: Any, types: Any) -> Type:
        """Type of ``new callee(...)``."""
        fact = file.fact(callee)
        type_ = self.value(file, callee)
        given = tuple(self.value(file, one) for one in types)
        if type_ in (None, EXTERNAL) and fact[0] == "name":
            return container(fact[2], given) or type_
        return self.made(file, type_, arguments, given)

    def made(self, file: File, type_: Type, arguments: Any, given: tuple[Type, ...]) -> Type:
        if type_ and type_[0] == "class":
            return ("instance", type_[1], type_[2], given or self._inferred_instance(file, type_, arguments))
        if type_ and type_[0] == "function":
            return self._made_by(type_)
        for option in type_[1] if type_ and type_[0] in ("any", "all") else (type_,):
            found = self._by_signature(option)
            if found is not None:
                return found
        return type_ if type_ == EXTERNAL else None

    def _by_signature(self, type_: Type) -> Type:
        """What the construct signature of an interface or object type gives."""
        if type_ is None or type_[0] not in ("object", "instance", "class"):
            return None
        if type_[0] == "class":
            return ("instance", type_[1], type_[2], ())
        file, fact = self.files[type_[1]], self.files[type_[1]].fact(type_[2])
        shape = file.fact(fact[4]) if fact[0] == "interface" else fact
        for signature in shape[3] if shape[0] == "shape" else ():
            return self.result(("function", file.path, signature, self.env(type_, fact)))
        return None

    def _inferred_instance(self, file: File, class_: tuple[Any, ...], arguments: Any) -> tuple[Type, ...]:
        """Type arguments that the constructor's parameters tell."""
        owner = self.files[class_[1]]
        fact = owner.fact(class_[2])
        parameters = type_parameters(fact)
        constructor = next((m[3] for m in fact[2] if m[0] == "constructor" and "d" not in m[1]), None)
        if not parameters or constructor is None:
            return ()
        wanted = {("param", owner.path, parameter) for parameter in parameters}
        env: dict[Any, Any] = {}
        for index, argument in enumerate(arguments):
            function = ("function", owner.path, constructor, ())
            self._unify(self.parameter(function, index), self.value(file, argument), wanted, env, 0)
        return tuple(env.get(("param", owner.path, parameter)) for parameter in parameters) if env else ()


def _has_default(module: File) -> bool:
    return "default" in module.imports or (0, "default") in module.variables or "default" in module.exports


def _instance_of(type_: Type) -> Type:
    return ("instance", type_[1], type_[2], ()) if type_ and type_[0] == "class" else type_
