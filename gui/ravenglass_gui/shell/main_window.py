"""The window: puts panels, actions and workers together. It decides nothing about sessions or context."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QSize, Qt, Slot
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMainWindow, QTabWidget, QVBoxLayout, QWidget

from ravenglass.errors import RavenglassError
from ravenglass.resources import demo_session
from ravenglass.safe.visible import visible
from ravenglass.sessions import importers
from ravenglass_gui.shell.actions import Actions
from ravenglass_gui.shell.asking.dialog import open_ask_dialog
from ravenglass_gui.shell.bars.busy_strip import BusyStrip
from ravenglass_gui.shell.bars.damage_bar import DamageBar
from ravenglass_gui.shell.bars.follow_chip import FollowStatus
from ravenglass_gui.shell.bars.hints import HintBar
from ravenglass_gui.shell.bars.notice import NoticeBar
from ravenglass_gui.shell.bars.rollback_offer import RollbackOffer
from ravenglass_gui.shell.bars.status_facts import StatusFacts
from ravenglass_gui.shell.bars.which_run import WhichRun
from ravenglass_gui.shell.focus import keeps_key
from ravenglass_gui.shell.header import make_header
from ravenglass_gui.shell.keys_overlay import KeysOverlay
from ravenglass_gui.shell.layout import Layout
from ravenglass_gui.shell.save_question import save_run
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.navigation import Navigator
from ravenglass_gui.state.planning import planning_of
from ravenglass_gui.state.settings import Settings
from ravenglass_gui.state.stepping import stepper_of
from ravenglass_gui.theme.apply import CHOICES, Choice, set_theme
from ravenglass_gui.theme.palette import colours
from ravenglass_gui.views.archive.panel import ArchivePanel
from ravenglass_gui.views.manifest.panel import ManifestPanel
from ravenglass_gui.views.message.panel import MessagePanel
from ravenglass_gui.views.needs.panel import NeedsPanel
from ravenglass_gui.views.quota.panel import QuotaPanel
from ravenglass_gui.views.registry.panel import RegistryPanel
from ravenglass_gui.views.sessions.panel import SessionsPanel
from ravenglass_gui.views.snapshots.panel import SnapshotsPanel
from ravenglass_gui.views.timeline.panel import TimelinePanel
from ravenglass_gui.views.trace.panel import TracePanel
from ravenglass_gui.views.tuning.panel import TuningPanel
from ravenglass_gui.views.why.panel import WhyPanel
from ravenglass_gui.views.window.panel import WindowPanel
from ravenglass_gui.views.working_state.panel import WorkingStatePanel
from ravenglass_gui.widgets.card import Card
from ravenglass_gui.work.browse.browsing import Browser
from ravenglass_gui.work.browse.stores import Stores
from ravenglass_gui.work.follow.following import Following
from ravenglass_gui.work.replay_bridge import Bridge

MINIMUM = QSize(960, 600)
FIRST_SIZE = QSize(1600, 1000)
_FILES = "Recorded sessions (*.jsonl *.json *.gz *.zst);;All files (*)"


class MainWindow(QMainWindow):
    """Shows `state`. Without `settings` nothing is remembered and no hint is shown."""

    def __init__(
        self, state: DebuggerState, bridge: Bridge, settings: Settings | None = None, browser: Browser | None = None
    ) -> None:
        super().__init__()
        self.setObjectName("ravenglass")
        self.setMinimumSize(MINIMUM)
        self.resize(FIRST_SIZE)
        self.setAcceptDrops(True)
        self.setContentsMargins(6, 0, 6, 0)
        self.setDockOptions(QMainWindow.DockOption.AllowNestedDocks | QMainWindow.DockOption.AllowTabbedDocks)
        self.state, self.bridge, self._settings = state, bridge, settings
        self.navigator = Navigator(state, self)
        self.following = Following(state, bridge)
        self.planning = planning_of(state)
        self.notice, self.hints, self.damage = NoticeBar(), HintBar(), DamageBar(state)
        self.browser = browser if browser is not None else Browser(remember=False)
        self.timeline, self.sessions = TimelinePanel(state), SessionsPanel(state, browser=self.browser)
        self._make_tabs()
        self.layout_ = Layout(
            self,
            {
                "sessions": self.sessions,
                "timeline": self.timeline,
                "message": MessagePanel(state),
                "quota": QuotaPanel(state),
                "why": WhyPanel(state),
                "working_state": WorkingStatePanel(state),
                "tuning": TuningPanel(state),
            },
        )
        self.actions_ = Actions(self, self._handlers())
        self.keys = KeysOverlay(self)
        bars = (self.hints, self.notice, RollbackOffer(self.state), self.damage)
        self.setMenuWidget(make_header(state, self.navigator, self.following, self.actions_, self.layout_, bars))
        self._make_status()
        self._connect()
        self._restored = settings is not None and self.layout_.restore(settings.layout)
        if settings is not None and settings.geometry:
            self.restoreGeometry(settings.geometry)
        self._sized = False
        self._session_shown()

    # -- construction ----------------------------------------------------------------------------------------

    def _make_tabs(self) -> None:
        self.tabs = QTabWidget()
        self.tabs.setObjectName("views")
        self.manifest = ManifestPanel(self.state)
        self.views: dict[str, QWidget] = {
            "manifest": self.manifest,
            "window": WindowPanel(self.state),
            "trace": TracePanel(self.state),
            "archive": ArchivePanel(self.state),
            "needs": NeedsPanel(self.state),
            "registry": RegistryPanel(self.state),
            "snapshots": SnapshotsPanel(self.state),
        }
        for name, panel in self.views.items():
            index = self.tabs.addTab(panel, name.capitalize())
            badge = getattr(panel, "badge_changed", None)
            if badge is not None:
                badge.connect(lambda text, index=index, name=name: self._badge(index, name, text))
        card = Card()
        layout = QVBoxLayout(card)
        layout.setContentsMargins(1, 2, 1, 1)
        layout.addWidget(self.tabs)
        self.setCentralWidget(card)
        self.which = WhichRun(self)
        self.tabs.setCornerWidget(self.which)

    def show_needs(self) -> None:
        """Bring the view of regrets to the front."""
        panel = self.views["needs"]
        self.tabs.setCurrentWidget(panel)
        panel.setFocus()

    def _badge(self, index: int, name: str, text: str) -> None:
        self.tabs.setTabText(index, f"{name.capitalize()}  {text}" if text else name.capitalize())

    def _make_status(self) -> None:
        bar = self.statusBar()
        bar.setSizeGripEnabled(False)
        self.facts, self.busy = StatusFacts(), BusyStrip()
        bar.addWidget(self.facts, 1)
        bar.addPermanentWidget(FollowStatus(self.following))
        bar.addPermanentWidget(self.busy)

    def _handlers(self) -> dict[str, Callable[[], object]]:
        go, view = self.navigator, self.timeline.view
        return {
            "open": self.ask_for_file,
            "open_as": self.ask_for_format,
            "open_folder": self.ask_for_store,
            "demo": self.open_demo,
            "save": self.ask_for_folder,
            "close": lambda: self.state.set_session(None),
            "quit": self.close,
            "previous": lambda: go.by(-1),
            "next": lambda: go.by(1),
            "previous_turn": go.previous_turn,
            "next_turn": go.next_turn,
            "first": go.first,
            "last": go.last,
            "next_event": go.next_event,
            "previous_event": go.previous_event,
            "play": go.toggle_play,
            "follow": self._toggle_following,
            "step": self.step_curator,
            "plan": self.planning.begin,
            "ask": lambda: open_ask_dialog(self, self.state, self.bridge, self._settings),
            "run_to_break": go.run_to_break,
            "undo_change": self.state.undo_change,
            "redo_change": self.state.redo_change,
            "recorded": lambda: self.state.show_recorded(self.state.showing == "simulated"),
            "damage": self.damage.open_list,
            "needs": self.show_needs,
            "filter": self.focus_filter,
            "refresh": self.sessions.refresh,
            "zoom_in": lambda: view.zoom(0.7),
            "zoom_out": lambda: view.zoom(1 / 0.7),
            "pan_left": lambda: view.pan(-0.2),
            "pan_right": lambda: view.pan(0.2),
            "zoom_all": view.reset_zoom,
            "theme": self.toggle_theme,
            **{f"theme_{choice}": partial(self.choose_theme, choice) for choice in CHOICES},
            "reset_layout": self.layout_.reset,
            "keys": self._toggle_keys,
            "hints": self.hints.begin,
        }

    def _connect(self) -> None:
        state, bridge = self.state, self.bridge
        state.session_changed.connect(self._session_shown)
        state.grown.connect(self._name_window)
        self.following.changed.connect(lambda: self.actions_.show_following(self.following.on))
        state.run_changed.connect(self._frame_shown)
        state.call_changed.connect(self._frame_shown)
        state.message_posted.connect(self.notice.post)
        self.planning.changed.connect(self._plan_asked)
        state.other_changed.connect(self._frame_shown)
        bridge.recorded.changed.connect(self._show_which)
        bridge.busy_changed.connect(self.busy.show_busy)
        bridge.replayed.connect(self.facts.show_replayed)
        bridge.opened.connect(self._opened)
        bridge.recent_changed.connect(self.sessions.set_recent)
        self.busy.cancel_asked.connect(bridge.cancel)
        bridge.busy_changed.connect(self.browser.pause)
        self.stores = Stores(state, bridge, self.browser, settings=self._settings, parent=self)
        self.stores.shown.connect(self.sessions.show_shelf)
        self.sessions.forget_requested.connect(self.stores.forget)
        self.sessions.open_requested.connect(lambda path: bridge.open([path]))
        bridge.runs_changed.connect(self.sessions.set_runs)
        self.sessions.run_requested.connect(bridge.open_run)
        self.sessions.child_requested.connect(bridge.show_session)
        self.sessions.dialog_requested.connect(self.ask_for_file)
        self.navigator.playing_changed.connect(self.actions_.show_playing)
        self.hints.dismissed.connect(self._hints_done)

    # -- what actions do -------------------------------------------------------------------------------------

    def ask_for_format(self) -> None:
        """Let the person choose a format, then the files that are read as it."""
        dialog = QInputDialog(self)
        dialog.setWindowTitle("Open as")
        dialog.setLabelText("Read the file as this format, whatever it looks like:")
        dialog.setComboBoxItems([f"{importer.name}: {importer.label}" for importer in importers()])
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.textValueSelected.connect(lambda chosen: self.ask_for_file(chosen.partition(":")[0]))
        dialog.open()

    def ask_for_file(self, format_name: str = "") -> None:
        """Let the person choose files; the first is shown, the others go on the list."""
        start = self.state.root.path.parent if self.state.root is not None else Path.home()
        dialog = QFileDialog(self, "Open a recorded session", str(start), _FILES)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.filesSelected.connect(lambda names: self.open_paths([Path(name) for name in names], format_name))
        dialog.open()

    def ask_for_folder(self) -> None:
        """Let the person choose where the run is saved."""
        dialog = QFileDialog(self, "Save this run in a folder", str(Path.home()))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda name: save_run(self, self.state, self.bridge, Path(name)))
        dialog.open()

    def open_paths(self, paths: Sequence[Path], format_name: str = "") -> None:
        """Open files; list folders and databases. With the name of a format everything is opened, as that format."""
        if format_name:
            self.bridge.open(paths, format_name)
        else:
            self.stores.open(paths)

    def ask_for_store(self) -> None:
        """Let the person choose a folder whose sessions are listed."""
        dialog = QFileDialog(self, "List the sessions of a folder", str(Path.home()))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda name: self.open_paths([Path(name)]))
        dialog.open()

    def _toggle_following(self) -> None:
        self.following.toggle()
        self.actions_.show_following(self.following.on)  # the click has toggled the button by itself

    def open_demo(self) -> None:
        try:
            self.bridge.open([demo_session()])
        except RavenglassError as error:
            self.state.post("error", str(error))

    def step_curator(self) -> None:
        """One press, one event: shown in the trace, with the panels on the right following."""
        self.navigator.stop()
        stepper = stepper_of(self.state)
        event = stepper.step()
        if stepper.active and not self.planning.active:
            self.tabs.setCurrentWidget(self.views["trace"])
        if event is None and stepper.done:
            self.state.post("info", f"The curator's conversation at call {self.state.call:,} is over.")

    def _plan_asked(self) -> None:
        """A plan is filled in, and judged, above the manifest."""
        if self.planning.active or self.planning.verdict is not None:
            self.tabs.setCurrentWidget(self.manifest)
        if self.planning.active and self.planning.verdict is None:
            self.manifest.view.setFocus()

    def focus_filter(self) -> None:
        self.tabs.setCurrentWidget(self.manifest)
        self.manifest.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def toggle_theme(self) -> None:
        self.choose_theme("light" if colours().scheme == "dark" else "dark")

    def choose_theme(self, choice: Choice) -> None:
        """Switch the palette and remember the choice."""
        set_theme(choice)
        if self._settings is not None:
            self._settings.theme = choice

    def _toggle_keys(self) -> None:
        self.keys.toggle()

    def _hints_done(self) -> None:
        if self._settings is not None:
            self._settings.hints_done = True

    # -- what changes on screen ------------------------------------------------------------------------------

    @Slot()
    def _session_shown(self) -> None:
        self.navigator.stop()
        self._name_window()
        self._frame_shown()

    @Slot()
    def _name_window(self) -> None:
        session, log = self.state.session, self.state.log
        title = (session.title or session.path.name) if session else log.title() if log is not None else ""
        self.setWindowTitle(f"{visible(title)} · Ravenglass" if title else "Ravenglass")

    @Slot()
    def _frame_shown(self) -> None:
        run, call = self.state.run, self.state.call
        log = self.state.log
        if run is None and log is not None and call and self.state.session is None:
            self.facts.show_log(log, call)
        else:
            self.facts.show_frame(run, run.frame(call) if run is not None and call else None)
        self.actions_.enable(
            session=self.state.session is not None or log is not None,
            calls=self.state.calls > 0,
            damage=self.damage.shown,
        )
        self._show_which()

    @Slot()
    def _show_which(self) -> None:
        """Everything that says whether the recorded or the simulated run is on screen."""
        self.which.say(self.state.run)
        self.actions_.show_recorded(self.state.showing == "recorded", self.bridge.recorded.missing)

    @Slot(object)
    def _opened(self, session: object) -> None:  # noqa: ARG002
        if self._settings is not None and self.state.root is not None:
            self._settings.last_session = self.state.root.place.absolute()

    # -- events ----------------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and keeps_key(event):
            event.accept()  # the focused control needs the key itself; no action may take it
            return True
        return super().event(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._sized:
            self._sized = True
            self.timeline.view.setFocus()
            if not self._restored:
                self.layout_.first_sizes()
            if self._settings is not None and not self._settings.hints_done:
                self.hints.begin()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        if paths:
            event.acceptProposedAction()
            self.open_paths(paths)

    def closeEvent(self, event: QCloseEvent) -> None:
        self.navigator.stop()
        self.following.shutdown()
        self.browser.shutdown()
        self.bridge.shutdown()
        if self._settings is not None:
            self._settings.save_window(self.saveGeometry(), self.layout_.save())
            self._settings.sync()
        super().closeEvent(event)
