"""The application's style sheet, written from a palette. Selectors here, colours only from `Palette`.

Widgets opt in by a dynamic property: `role=title|facts|dim|card|notice|primary`, `level=info|warning|error`.
"""

from __future__ import annotations

from pathlib import Path

from ravenglass_gui.theme.palette import Palette

_IMAGES = (Path(__file__).parent / "images").as_posix()
"""Arrows of combo and spin boxes, in a grey that reads on both palettes."""


def style_sheet(t: Palette, px: int) -> str:
    """The sheet for palette `t` with ordinary text of `px` pixels."""
    return "\n".join((_surfaces(t, px), _bars(t), _controls(t, px), _views(t, px), _scrolling(t)))


def _surfaces(t: Palette, px: int) -> str:
    return f"""
QMainWindow, QDialog, QMainWindow > QWidget#centre {{ background: {t.window}; }}
QWidget {{ color: {t.text}; selection-background-color: {t.selection}; selection-color: {t.selection_text}; }}
QWidget[role="card"] {{ background: {t.panel}; border: 1px solid {t.line}; border-radius: 6px; }}
QLabel {{ background: transparent; }}
QLabel[role="title"] {{ color: {t.dim}; font-size: {px - 2}px; font-weight: 600; }}
QLabel[role="facts"] {{ color: {t.dim}; font-size: {px - 1}px; }}
QLabel[role="dim"] {{ color: {t.dim}; }}
QLabel[role="bad"] {{ color: {t.bad}; }}
QLabel[role="warn"] {{ color: {t.warn}; }}
QMainWindow::separator {{ background: {t.window}; width: 6px; height: 6px; }}
QMainWindow::separator:hover {{ background: {t.accent}; }}
QSplitter::handle {{ background: {t.window}; }}
QSplitter::handle:hover {{ background: {t.accent}; }}
QToolTip {{ background: {t.field}; color: {t.text}; border: 1px solid {t.line}; padding: 4px 6px; }}
QWidget[role="notice"] {{ background: {t.field}; border: 1px solid {t.line}; border-radius: 6px; }}
QWidget[role="notice"][level="warning"] {{ border-color: {t.warn}; }}
QWidget[role="notice"][level="error"] {{ border-color: {t.bad}; }}
QWidget[role="overlay"] {{ background: {t.panel}; border: 1px solid {t.line}; border-radius: 8px; }}
QLabel[role="key"] {{
    background: {t.field}; border: 1px solid {t.line}; border-radius: 4px; padding: 1px 6px; font-size: {px - 1}px;
}}
"""


def _bars(t: Palette) -> str:
    return f"""
QToolBar {{ background: {t.window}; border: none; padding: 3px 2px 0 2px; spacing: 2px; }}
QToolBar::separator {{ background: {t.line}; width: 1px; margin: 7px 5px; }}
QToolBar QToolButton {{ padding: 4px 5px; }}
QStatusBar {{ background: {t.window}; border: none; }}
QStatusBar::item {{ border: none; }}
QMenuBar {{ background: {t.window}; padding: 1px 2px; }}
QMenuBar::item {{ padding: 4px 7px; border-radius: 4px; background: transparent; }}
QMenuBar::item:selected, QMenuBar::item:pressed {{ background: {t.hover}; }}
QMenu {{ background: {t.panel}; border: 1px solid {t.line}; padding: 4px; }}
QMenu::item {{ padding: 5px 24px 5px 8px; border-radius: 4px; }}
QMenu::item:selected {{ background: {t.hover}; }}
QMenu::item:disabled {{ color: {t.faint}; }}
QMenu::separator {{ height: 1px; background: {t.line}; margin: 4px 6px; }}
QMenu::icon {{ padding-left: 6px; }}
QTabWidget::pane {{ border: none; }}
QTabWidget::tab-bar {{ left: 0; }}
QTabBar {{ background: transparent; qproperty-drawBase: 0; }}
QTabBar::tab {{
    background: transparent; color: {t.dim}; padding: 7px 11px 6px 11px; border: none;
    border-bottom: 2px solid transparent;
}}
QTabBar::tab:selected {{ color: {t.text}; border-bottom: 2px solid {t.accent}; }}
QTabBar::tab:hover:!selected {{ color: {t.text}; background: {t.hover}; }}
QTabBar::tab:selected:focus {{ background: {t.hover}; }}
QProgressBar {{ background: {t.field}; border: none; border-radius: 3px; min-height: 6px; max-height: 6px; }}
QProgressBar::chunk {{ background: {t.accent}; border-radius: 3px; }}
"""


def _controls(t: Palette, px: int) -> str:
    return f"""
QToolButton, QPushButton {{
    background: transparent; border: 1px solid transparent; border-radius: 5px; padding: 4px 8px; color: {t.text};
}}
QPushButton {{ background: {t.field}; border-color: {t.line}; padding: 4px 12px; }}
QPushButton[role="primary"] {{ background: {t.accent}; color: {t.accent_text}; border-color: {t.accent}; }}
QToolButton:hover, QPushButton:hover {{ background: {t.hover}; }}
QPushButton[role="primary"]:hover {{ background: {t.accent}; border-color: {t.text}; }}
QToolButton:pressed, QPushButton:pressed, QToolButton:checked {{ background: {t.pressed}; }}
QToolButton[role="tick"]:checked {{ background: transparent; }}
QToolButton[role="tick"]:hover {{ background: {t.hover}; }}
QToolButton[role="tiny"] {{ padding: 0; }}
QToolButton[role="segment"] {{ background: {t.field}; border: 1px solid {t.line}; color: {t.dim}; padding: 3px 9px; }}
QToolButton[role="segment"][side="left"] {{
    border-radius: 0; border-top-left-radius: 5px; border-bottom-left-radius: 5px;
}}
QToolButton[role="segment"][side="right"] {{
    border-radius: 0; border-left: none; border-top-right-radius: 5px; border-bottom-right-radius: 5px;
}}
QToolButton[role="segment"]:checked {{ background: {t.selection}; color: {t.selection_text}; }}
QToolButton[role="segment"]:disabled {{ color: {t.faint}; }}
QToolButton:focus, QPushButton:focus {{ border-color: {t.accent}; }}
QToolButton:disabled, QPushButton:disabled {{ color: {t.faint}; }}
QPushButton[role="primary"]:disabled {{ background: {t.field}; color: {t.faint}; border-color: {t.line}; }}
QToolButton::menu-indicator {{ image: none; }}
QToolButton[popupMode="1"] {{ padding-right: 16px; }}
QToolButton::menu-button {{ border: none; width: 14px; }}
QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox {{
    background: {t.field}; border: 1px solid {t.line}; border-radius: 5px; padding: 3px 8px; min-height: {px + 7}px;
}}
QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus {{ border-color: {t.accent}; }}
QLineEdit[level="error"] {{ border-color: {t.bad}; }}
QLineEdit:disabled, QSpinBox:disabled, QComboBox:disabled {{ color: {t.faint}; }}
QComboBox::drop-down {{ border: none; width: 20px; }}
QComboBox::down-arrow {{ image: url("{_IMAGES}/down.svg"); width: 10px; height: 10px; }}
QSpinBox::up-button, QDoubleSpinBox::up-button {{
    subcontrol-origin: border; subcontrol-position: top right; width: 18px; border: none;
}}
QSpinBox::down-button, QDoubleSpinBox::down-button {{
    subcontrol-origin: border; subcontrol-position: bottom right; width: 18px; border: none;
}}
QSpinBox::up-arrow, QDoubleSpinBox::up-arrow {{ image: url("{_IMAGES}/up.svg"); width: 8px; height: 8px; }}
QSpinBox::down-arrow, QDoubleSpinBox::down-arrow {{ image: url("{_IMAGES}/down.svg"); width: 8px; height: 8px; }}
QComboBox QAbstractItemView {{
    background: {t.panel}; border: 1px solid {t.line}; outline: none; padding: 2px;
    selection-background-color: {t.hover}; selection-color: {t.text};
}}
QCheckBox, QRadioButton {{ spacing: 6px; background: transparent; }}
QCheckBox:focus, QRadioButton:focus {{ color: {t.accent}; }}
QSlider {{ background: transparent; min-height: 18px; }}
QSlider::groove:horizontal {{ background: {t.line}; height: 4px; border-radius: 2px; }}
QSlider::sub-page:horizontal {{ background: {t.accent}; height: 4px; border-radius: 2px; }}
QSlider::handle:horizontal {{
    background: {t.text}; width: 12px; height: 12px; margin: -4px 0; border-radius: 6px; border: none;
}}
QSlider::handle:horizontal:hover {{ background: {t.accent}; }}
QSlider::handle:horizontal:focus {{ background: {t.accent}; border: 2px solid {t.text}; width: 10px; height: 10px; }}
QSlider::sub-page:horizontal:disabled {{ background: {t.faint}; }}
"""


def _views(t: Palette, px: int) -> str:
    return f"""
QAbstractItemView {{
    background: {t.panel}; alternate-background-color: {t.stripe}; border: none; outline: none;
    selection-background-color: {t.selection}; selection-color: {t.selection_text};
}}
QTreeView::item, QListView::item {{ padding: 2px 0; }}
QTreeView::item:hover, QListView::item:hover {{ background: {t.hover}; }}
QTreeView::item:selected, QListView::item:selected {{ background: {t.selection}; color: {t.selection_text}; }}
QHeaderView {{ background: {t.panel}; border: none; }}
QHeaderView::section {{
    background: {t.panel}; color: {t.dim}; border: none; border-bottom: 1px solid {t.line};
    padding: 4px 6px; font-size: {px - 1}px; font-weight: 600;
}}
QAbstractItemView[role="table"] QHeaderView::section {{ padding: 4px 8px; }}
QHeaderView::section:hover {{ color: {t.text}; }}
QHeaderView::up-arrow {{
    image: url("{_IMAGES}/up.svg"); width: 8px; height: 8px;
    subcontrol-origin: padding; subcontrol-position: top center;
}}
QHeaderView::down-arrow {{
    image: url("{_IMAGES}/down.svg"); width: 8px; height: 8px;
    subcontrol-origin: padding; subcontrol-position: top center;
}}
QTableCornerButton::section {{ background: {t.panel}; border: none; }}
QTableView[cells="plain"]::item {{ padding: 0 8px; border: none; }}
QPlainTextEdit, QTextEdit {{ background: {t.panel}; border: none; }}
QPlainTextEdit[role="editor"] {{
    background: {t.field}; border: 1px solid {t.line}; border-radius: 5px; padding: 2px 4px;
}}
QPlainTextEdit[role="editor"]:focus {{ border-color: {t.accent}; }}
"""


def _scrolling(t: Palette) -> str:
    return f"""
QScrollArea, QScrollArea > QWidget > QWidget[role="body"] {{ background: transparent; border: none; }}
QScrollBar:vertical {{ background: transparent; width: 10px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 0; }}
QScrollBar::handle {{ background: {t.line}; border-radius: 3px; margin: 2px; }}
QScrollBar::handle:vertical {{ min-height: 24px; }}
QScrollBar::handle:horizontal {{ min-width: 24px; }}
QScrollBar::handle:hover {{ background: {t.faint}; }}
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page {{
    background: none; border: none; width: 0; height: 0;
}}
"""
