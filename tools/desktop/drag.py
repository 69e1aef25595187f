"""A window of one colour from which files can be dragged: what a file manager is to a drag.

drag.py FILE...
"""

import pathlib
import sys

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, Gtk  # noqa: E402

ADDRESSES = [pathlib.Path(name).resolve().as_uri() for name in sys.argv[1:]]


def give(_widget, _drag, data, _info, _time):
    data.set_uris(ADDRESSES)


# tools/desktop/verify looks for this colour.
style = Gtk.CssProvider()
style.load_from_data(b"window, window * { background: #ff00ff; }")
Gtk.StyleContext.add_provider_for_screen(Gdk.Screen.get_default(), style, 800)
window = Gtk.Window(title="drag")
window.set_decorated(False)
window.set_default_size(120, 120)
area = Gtk.EventBox()
area.drag_source_set(Gdk.ModifierType.BUTTON1_MASK, [], Gdk.DragAction.COPY)
area.drag_source_add_uri_targets()
area.connect("drag-data-get", give)
area.connect("drag-end", lambda *_: print("ended", flush=True))
window.add(area)
window.connect("destroy", Gtk.main_quit)
window.show_all()
Gtk.main()
