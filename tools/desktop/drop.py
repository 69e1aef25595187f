"""A window of one colour onto which files can be dragged: what a file manager is to a drag.

drop.py COPY

Copies the first file that is let go over it to COPY and says so.
"""

import shutil
import sys
import urllib.parse

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, Gtk  # noqa: E402


def take(_widget, _drag, _x, _y, data, _info, _time):
    for address in data.get_uris():
        path = urllib.parse.unquote(urllib.parse.urlparse(address).path)
        shutil.copyfile(path, sys.argv[1])
        print("taken", path, flush=True)
        break


# tools/desktop/verify looks for this colour.
style = Gtk.CssProvider()
style.load_from_data(b"window, window * { background: #ff00ff; }")
Gtk.StyleContext.add_provider_for_screen(Gdk.Screen.get_default(), style, 800)
window = Gtk.Window(title="drop")
window.set_decorated(False)
window.set_default_size(120, 120)
area = Gtk.EventBox()
area.drag_dest_set(Gtk.DestDefaults.ALL, [], Gdk.DragAction.COPY)
area.drag_dest_add_uri_targets()
area.connect("drag-data-received", take)
window.add(area)
window.connect("destroy", Gtk.main_quit)
window.show_all()
Gtk.main()
