"""Families and sizes: the system's interface font with a fallback for Chinese, and one monospaced family list.

Sizes are pixels. The base follows the system's size and is never under 13; everything else is relative to it.
"""

from __future__ import annotations

from PySide6.QtGui import QFont, QFontDatabase, QFontInfo
from PySide6.QtWidgets import QApplication

BASE_PX = 13
_GENERIC = frozenset({"sans serif", "sans-serif", "sans", "dejavu sans"})
"""What a bare system answers; anything better that is installed is preferred to it."""
_PREFERRED = (
    "Inter",
    "Noto Sans",
    "Cantarell",
    "Ubuntu",
    "Segoe UI",
    "Helvetica Neue",
    "Liberation Sans",
    "DejaVu Sans",
)
_CJK = (
    "Noto Sans CJK SC",
    "Source Han Sans SC",
    "PingFang SC",
    "Microsoft YaHei",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
)
_MONO = (
    "JetBrains Mono", "Cascadia Mono", "SF Mono", "Menlo", "Consolas", "Noto Sans Mono",
    "Liberation Mono", "DejaVu Sans Mono",
)  # fmt: skip
_MONO_CJK = (
    "Noto Sans Mono CJK SC", "WenQuanYi Micro Hei Mono", "WenQuanYi Zen Hei Mono",
)  # fmt: skip


def ui_families() -> list[str]:
    """Families for the interface, best first; only installed ones."""
    installed = set(QFontDatabase.families())
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).family()
    wanted = list(_PREFERRED) if system.lower() in _GENERIC else [system]
    return [f for f in (*wanted, *_CJK) if f in installed or f == system] or [system]


def mono_families() -> list[str]:
    """Monospaced families, best first, with Chinese ones behind."""
    installed = set(QFontDatabase.families())
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()
    return [f for f in (*_MONO, *_MONO_CJK, *_CJK) if f in installed] or [system]


def base_px() -> int:
    """Pixel size of ordinary text."""
    return max(BASE_PX, QFontInfo(QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)).pixelSize())


def ui_font(delta: int = 0, *, bold: bool = False) -> QFont:
    """The interface font, `delta` pixels larger or smaller than the base, with digits of one width."""
    font = QFont(ui_families())
    font.setPixelSize(base_px() + delta)
    font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def mono_font(delta: int = -1) -> QFont:
    """The font of message text, addresses and raw records."""
    font = QFont(mono_families())
    font.setPixelSize(base_px() + delta)
    font.setStyleHint(QFont.StyleHint.Monospace)
    return font


def install(app: QApplication) -> None:
    """Make the interface font the application's font."""
    app.setFont(ui_font())
