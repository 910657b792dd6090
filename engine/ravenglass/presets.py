"""Named profiles and profile files. A preset is a set of differences from the default, and is shown as such."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

import tomlkit

from ravenglass.errors import ProfileError
from ravenglass.profile import Profile, make_profile


@dataclass(frozen=True, slots=True)
class Preset:
    """`differences` are field values that differ from the default; `purpose` is one sentence."""

    name: str
    purpose: str
    differences: dict[str, object]

    def profile(self) -> Profile:
        return make_profile(name=self.name, **self.differences)


PRESETS: tuple[Preset, ...] = (
    Preset("default", "The figures of the design: a 128k window, trimmed rarely and far, so that the cache keeps hitting.", {}),
    Preset("claude-200k", "A 200k window as Claude models have it.", {"window": 200_000}),
    Preset("tight-32k", "A 32k window, to see what survives under hard pressure.", {"window": 32_000}),
    Preset("strict-quota", "Quotas are always filled and always enforced on the slow path: the strict form, many slow paths.", {"trim_target": 1.0}),
    Preset("balanced", "Lends unused quota between tiers, for sessions where one tier dominates.", {"quota_borrowing": True}),
    Preset("cache-first", "Trims late and deep: the fewest rewrites of the prefix, the best cache hit ratio.", {"fast_path_threshold": 0.85, "trim_target": 0.30}),
    Preset("raven", "As Raven behaves: the whole log is measured against the threshold of a 64k window.", {"window": 65_536, "pressure_basis": "full_log"}),
    Preset("lingmiao", "As the source on runtime architecture has it: released items leave at once, quotas are filled.", {"eager_lifecycle": True, "trim_target": 1.0}),
)  # fmt: skip


def preset(name: str) -> Preset:
    """The preset of that name. Raises ProfileError listing the names there are."""
    for candidate in PRESETS:
        if candidate.name == name:
            return candidate
    names = ", ".join(p.name for p in PRESETS)
    raise ProfileError(f"name: there is no preset {name!r}; there are {names}", field="name")


def load(source: str | Path) -> Profile:
    """A profile from a preset's name or a TOML file. Raises ProfileError naming the file and field."""
    path = Path(source)
    # A preset's name wins over a file or folder that happens to be called like it.
    named = any(source == p.name for p in PRESETS)
    if isinstance(source, str) and (named or (path.suffix != ".toml" and not path.exists())):
        return preset(source).profile()
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ProfileError(f"{path}: cannot be read ({error.strerror or error})", field="") from None
    except UnicodeDecodeError:
        raise ProfileError(f"{path}: is not UTF-8 text, so it is no profile", field="") from None
    return from_toml(text, str(path), path.stem)


def from_toml(text: str, source: str, name: str = "unnamed") -> Profile:
    """The profile that stands in a TOML text; `name` is used where it has none. Raises ProfileError, which begins with
    `source`: where the text is from."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ProfileError(f"{source}: is not valid TOML: {error}", field="") from None
    except RecursionError:
        raise ProfileError(f"{source}: is nested too deeply to be a profile", field="") from None
    values.setdefault("name", name)
    try:
        return make_profile(**values)
    except ProfileError as error:
        raise ProfileError(f"{source}: {error}", field=error.field) from None


def to_toml(profile: Profile) -> str:
    """The profile as TOML: the name, then every value that differs from the default. `from_toml` inverts it."""
    document = tomlkit.document()
    document["name"] = profile.name
    plain = profile.model_dump(mode="json", exclude_none=True)
    for field in profile.changed():
        document[field] = plain[field]
    return tomlkit.dumps(document)


def with_settings(profile: Profile, settings: list[str]) -> Profile:
    """Apply `name=value` settings as the command line gives them. Raises ProfileError naming the field."""
    values: dict[str, object] = {}
    for setting in settings:
        name, sign, text = setting.partition("=")
        name = name.strip().replace("-", "_")
        if not sign:
            raise ProfileError(f"{setting!r}: settings are written name=value, for example trim_target=0.5", field=name)
        if name not in Profile.model_fields:
            raise ProfileError(
                f"{name}: there is no such field in a profile; `ravenglass profile --show default` lists them",
                field=name,
            )
        values[name] = text.strip()
    if not values:
        return profile
    changed = profile.with_values(**values)
    return changed if "name" in values else changed.with_values(name=f"{profile.name}*".replace("**", "*"))
