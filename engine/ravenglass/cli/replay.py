"""`ravenglass replay`: every call of a session, simulated or as recorded, as tables, JSON, windows, a saved run.

What only some options need (a database, the recorded run, asking a model) is imported where it is used.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ravenglass.cli.dialect import dialect_named
from ravenglass.cli.loading import FormatName, choose, load_session, replayed
from ravenglass.cli.policies.options import POLICIES, AskOptions, check
from ravenglass.cli.printing.console import reporting
from ravenglass.cli.printing.output import Force, flushed, warn
from ravenglass.curator.dialects import DIALECTS
from ravenglass.errors import PlanError, StoreError
from ravenglass.presets import with_settings
from ravenglass.profile import Profile
from ravenglass.reopening import SavedRunFolder, saved_run
from ravenglass.sessions.model.session import Session
from ravenglass.store.outputs import refuse_existing
from ravenglass.store.run_folder import refuse_saved

if TYPE_CHECKING:
    from ravenglass.curator.dialects import Dialect
    from ravenglass.curator.policies.endpoint import Endpoint
    from ravenglass.replay import Run, SimulatedRun

File = Annotated[Path, typer.Argument(metavar="FILE", help="A recorded session; .gz and .zst too.", show_default=False)]
ProfileName = Annotated[str, typer.Option("--profile", metavar="P", help="A preset's name or a TOML file.")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Change one field of the profile; repeatable.")
]


def replay_command(
    file: File,
    profile: ProfileName = "",
    settings: Settings = None,
    format_name: FormatName = "",
    windows: Annotated[
        Path | None, typer.Option("--windows", metavar="OUT.jsonl", help="Write what every call would see, one a line.")
    ] = None,
    dialect: Annotated[
        str, typer.Option("--dialect", metavar="D", help=f"Whose messages --windows writes: {', '.join(DIALECTS)}.")
    ] = "openai-chat",
    save: Annotated[
        Path | None, typer.Option("--save", metavar="DIR", help="Write profile, manifest, trace and windows there.")
    ] = None,
    as_recorded: Annotated[
        bool, typer.Option("--recorded", help="What really happened: recorded windows against reported usage.")
    ] = False,
    compact: Annotated[
        list[str] | None,
        typer.Option(
            "--compact",
            metavar="CALL[:TARGET]",
            help="A slow path at that call, as a branch; TARGET up to 1 is a fraction of C, above it tokens.",
        ),
    ] = None,
    back: Annotated[
        int | None,
        typer.Option("--rollback", metavar="CALL", help="Bring the run back to its snapshot of that call and go on."),
    ] = None,
    back_settings: Annotated[
        list[str] | None,
        typer.Option("--rollback-set", metavar="NAME=VALUE", help="Go on under another value; repeatable."),
    ] = None,
    policy: Annotated[
        str, typer.Option("--policy", metavar="P", help=f"Who answers the curator's steps: {', '.join(POLICIES)}.")
    ] = "planner",
    answers: Annotated[
        Path | None, typer.Option("--answers", metavar="LOG", help="The trace log that --policy recorded answers from.")
    ] = None,
    url: Annotated[
        str, typer.Option("--endpoint", metavar="URL", help="Where --policy model asks, up to and including /v1.")
    ] = "",
    model: Annotated[str, typer.Option("--model", metavar="NAME", help="The model that is asked there.")] = "",
    key_env: Annotated[
        str,
        typer.Option("--key-env", metavar="VAR", help="Environment variable that holds the key; '' for none."),
    ] = "OPENAI_API_KEY",
    prices: Annotated[
        tuple[float, float] | None,
        typer.Option("--prices", metavar="IN OUT", help="Dollars per million tokens of the model: prompt, answer."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the first request to the model and its cost; send nothing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False,
    force: Force = False,
) -> None:
    """Replay a session."""
    spoken = dialect_named(dialect)
    if as_recorded and save is not None:
        raise typer.BadParameter("a recorded run is in its session file already", param_hint="--save with --recorded")
    endpoint = _endpoint(url, model, key_env, prices) if url or model else None
    asking = AskOptions(policy, answers, endpoint, dry_run)
    check(asking)
    if policy != "planner" and (as_recorded or back is not None):
        raise typer.BadParameter("--policy is about a simulated run from its first call on")
    if back is None and back_settings:
        raise typer.BadParameter("it needs --rollback CALL", param_hint="--rollback-set")
    if back is not None and as_recorded:
        raise typer.BadParameter("a recorded run has no snapshots", param_hint="--rollback with --recorded")
    saved = saved_run(file) if file.is_dir() else None
    for sentence in saved.notes if saved is not None and saved.session is not None else ():
        warn(sentence)
    chosen = _chosen(saved, profile, settings or [])
    later = with_settings(chosen, back_settings or [])
    if windows is not None:
        refuse_existing(windows, force=force)
    if save is not None:
        refuse_saved(save, force=force)
    session = load_session(file, format_name)
    if as_recorded:
        _happened(session, chosen, windows, spoken, force=force, as_json=as_json)
        return
    run = _again(saved, session, chosen, named=bool(profile or settings))
    run = _compacted(run, compact or [])
    if policy != "planner":
        from ravenglass.cli.policies.asking import asked, print_dry_run

        if endpoint is not None and dry_run:
            print_dry_run(run, endpoint)
            return
        run = asked(run, asking)
    if back is not None:
        from ravenglass.cli.items.snapshots import brought_back

        run = brought_back(run, back, later)
    if windows is not None:
        _write_windows(run, windows, spoken, force=force)
    if save is not None:
        from ravenglass.saving import save_run

        save_run(run, save, force=force)
    _print(run, as_json=as_json)
    if save is not None:
        flushed()  # a library that another instance holds delays no result
        _remember(run, save)


def _write_windows(run: Run, windows: Path, dialect: Dialect, *, force: bool) -> None:
    from ravenglass.saving import write_windows

    write_windows(run, windows, dialect, force=force)


def _print(run: Run, *, as_json: bool) -> None:
    from ravenglass.cli.report import print_json, print_tables

    (print_json if as_json else print_tables)(run)


def _chosen(saved: SavedRunFolder | None, name: str, settings: list[str]) -> Profile:
    """The profile that is named, or else that of the saved run, with the settings."""
    if saved is None or saved.profile is None or name:
        return choose(name or "default", settings)
    return with_settings(saved.profile, settings)


def _again(saved: SavedRunFolder | None, session: Session, profile: Profile, *, named: bool) -> SimulatedRun:
    """The replay, of a saved run with its changes by hand and the answers that it was given."""
    if saved is None:
        return replayed(session, profile)
    run = replayed(session, profile, saved.changes)
    if saved.asked and saved.traces is not None:
        from ravenglass.cli.policies.asking import asked

        warn(f"The answers of {saved.asked} are given again from {saved.traces}; nobody is asked.")
        run = asked(replayed(session, profile, saved.by_hand), AskOptions("recorded", saved.traces, who=saved.asked))
    said = "" if named else saved.compared(run)
    if said:
        warn(said)
    return run


def _endpoint(url: str, model: str, key_env: str, prices: tuple[float, float] | None) -> Endpoint:
    from ravenglass.curator.policies.endpoint import make_endpoint

    asked, answered = prices or (None, None)
    return make_endpoint(base_url=url, model=model, api_key_env=key_env, price_input=asked, price_output=answered)


def _compacted(run: SimulatedRun, wanted: list[str]) -> SimulatedRun:
    """The run with a compaction at each of these calls, one branch after the other."""
    if not wanted:
        return run
    from ravenglass.replay import branch
    from ravenglass.replay.stepping.changes import compaction

    for text in wanted:
        call, _, target = text.partition(":")
        try:
            change = compaction(int(call), float(target) if target else None, run.budget)
            run = branch(run, change.call, changes=[change])
        except (ValueError, OverflowError):
            said = f"{text!r} is no CALL or CALL:TARGET, such as 40:0.3"
            raise typer.BadParameter(said, param_hint="--compact") from None
        except (IndexError, PlanError) as error:
            raise typer.BadParameter(str(error), param_hint="--compact") from None
    return run


def _happened(
    session: Session, profile: Profile, windows: Path | None, dialect: Dialect, *, force: bool, as_json: bool
) -> None:
    """Print what really happened; its windows are written first."""
    from ravenglass.cli import recorded
    from ravenglass.replay.recorded.run import recorded_run

    with reporting("Counting tokens") as report:
        happened = recorded_run(session, profile, progress=report)
    if windows is not None:
        _write_windows(happened, windows, dialect, force=force)
    (recorded.print_json if as_json else recorded.print_tables)(happened)


def _remember(run: SimulatedRun, folder: Path) -> None:
    """The run is saved either way; a library that cannot be written is only worth a sentence."""
    from ravenglass.saving import remember_run
    from ravenglass.store import Library
    from ravenglass.store.library.database import BRIEFLY

    try:
        with Library.open(patience=BRIEFLY) as library:
            remember_run(run, folder, library)
    except StoreError as error:
        warn(f"The run is saved in {folder}, but not on the list of saved runs: {error}")
