"""The window around the views: menus, toolbar, docks, notices, status bar."""
