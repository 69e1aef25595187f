# Die Worte des Fensters auf Deutsch. Es duzt; ein Set ist ein Set.
# Syntax: https://projectfluent.org. "$n" ist eine Zahl, vor "->" wählt sie den Plural.

## Karten

card-name = { card-number } { card-shading } { card-color } { card-shape }
card-number = { $n ->
    [1] { $shape ->
        [oval] ein
        [rectangle] ein
       *[other] eine
    }
    [2] zwei
   *[3] drei
}
card-shading = { $shading ->
    [filled] gefüllt
    [open] leer
    [striped] gestreift
   *[dotted] gepunktet
}{ card-ending }
card-color = { $color ->
    [green] grün{ card-ending }
    [purple] lila
   *[red] rot{ card-ending }
}
# Ein rotes Oval, eine rote Raute, zwei rote Ovale.
card-ending = { $n ->
    [1] { $shape ->
        [oval] es
        [rectangle] es
       *[other] e
    }
   *[other] e
}
card-shape = { $n ->
    [1] { $shape ->
        [diamond] Raute
        [oval] Oval
        [squiggle] Welle
        [rectangle] Rechteck
       *[ellipse] Ellipse
    }
   *[other] { $shape ->
        [diamond] Rauten
        [oval] Ovale
        [squiggle] Wellen
        [rectangle] Rechtecke
       *[ellipse] Ellipsen
    }
}
card-of-own-deck = { $n }× { $shape }, { $shading }, { $color }
card-value = { $value ->
    [one] eins
    [two] zwei
    [three] drei
    [filled] gefüllt
    [open] leer
    [striped] gestreift
    [dotted] gepunktet
    [green] grün
    [purple] lila
    [red] rot
    [diamond] Raute
    [oval] Oval
    [rectangle] Rechteck
    [ellipse] Ellipse
   *[squiggle] Welle
}
card-property = { $property ->
    [number] Anzahl
    [shading] Füllung
    [colour] Farbe
   *[shape] Form
}
card-numbered = Karte { $n }: { $name }
card-numbered-unsure = Karte { $n }: vielleicht { $name }
edition-rectangles = Das ist die Ausgabe mit Rechtecken.
edition-unknown = Dieses Kartenspiel kenne ich nicht, deshalb bin ich bei keiner Karte sicher.
mirrored-picture = Das Bild ist gespiegelt.
copies = { $n ->
    [one] Eine Karte liegt mehrmals da: { $places }.
   *[other] { $n } Karten liegen mehrmals da: { $places }.
}
warning-cut-off = Die Datei des Fotos endet zu früh, der untere Rand kann fehlen. Bitte noch einmal kopieren.
warning-damaged = Die Datei des Fotos ist beschädigt: Teile können falsch sein, und die Karten dort sind unsicher. Bitte noch einmal kopieren.
warning-too-dark = Dieses Bild ist zu dunkel, um Karten zu zeigen. Mach Licht an und nimm es noch einmal auf.
warning-too-small = Was Karten sein könnten, ist etwa { $n } Pixel lang, zu klein zum Lesen. Geh näher heran oder öffne das Bild in voller Größe.
warning-nothing-read = Etwas sieht wie eine Karte aus, aber keine ist zu lesen. Zeig ganze Karten mit ihrem Rand, von oben.
warning-close-up = Eine Karte füllt das Bild, und ihr Rand ist nicht zu sehen.
colours-grey = Das Bild hat keine Farben: Ich lese nur Anzahl, Form und Füllung.
colours-alike = In diesem Licht sehen alle Farben gleich aus: Ich lese nur Anzahl, Form und Füllung.

## Zählen

count-sets = { $n ->
    [one] { $n } Set
   *[other] { $n } Sets
}
count-cards = { $n ->
    [one] { $n } Karte
   *[other] { $n } Karten
}
count-photos = { $n ->
    [one] { $n } Foto
   *[other] { $n } Fotos
}
count-pictures = { $n ->
    [one] { $n } Bild
   *[other] { $n } Bilder
}
count-mistakes = { $n ->
    [one] { $n } Fehler
   *[other] { $n } Fehler
}
count-hints = { $n ->
    [one] { $n } Hinweis
   *[other] { $n } Hinweise
}
count-points = { $n ->
    [one] { $n } Punkt
   *[other] { $n } Punkte
}

## Warum drei Karten ein Set sind oder nicht

all-alike = alle gleich: { $value }
all-different = alle verschieden: { $first }, { $second }, { $third }
two-alike-number = zweimal { $two ->
    [1] ein Symbol
    [2] zwei Symbole
   *[3] drei Symbole
}, einmal { $one ->
    [1] eins
    [2] zwei
   *[3] drei
}
two-alike-value = zweimal { $two }, einmal { $one }
two-alike-shape = zweimal { $two ->
    [diamond] Raute
    [oval] Oval
    [rectangle] Rechteck
    [ellipse] Ellipse
   *[squiggle] Welle
}, einmal { $one ->
    [diamond] Raute
    [oval] Oval
    [rectangle] Rechteck
    [ellipse] Ellipse
   *[squiggle] Welle
}
a-set = Ein Set!
no-set-repeated = Kein Set: Dieselbe Karte kommt mehrmals vor.
no-set-because = { $n ->
    [one] Kein Set, weil { $list } nicht passt.
   *[other] Kein Set, weil { $list } nicht passen.
}
the-property = { $property ->
    [number] die Anzahl
    [shading] die Füllung
    [colour] die Farbe
   *[shape] die Form
}
list-and = { $first } und { $last }
list-comma = { $first }, { $last }
list-or = { $first } oder { $last }
fits = passt
does-not-fit = passt nicht

## Das Fenster

tab-photos = Fotos
tab-deal = Spiel
tab-live = Live
menu = Menü
menu-help = Hilfe…
menu-more = Mehr…
menu-open = Öffnen…
menu-save = Speichern…
settings = Einstellungen
close = Schließen
ok = OK
cancel = Abbrechen
close-message = Meldung schließen
open-a-folder = Einen Ordner mit Fotos
open-photos = Fotos
type-a-path = Einen Pfad eintippen
a-sample-table = Einen Beispieltisch
save-picture = Das Bild mit seinen Sets
save-json = Karten und Sets als JSON
save-all = Bilder und eine Tabelle aller Fotos
copy-board = Die Auslage als Text kopieren
copy-picture = Das Bild mit seinen Sets kopieren
back-to-window = Zurück zum Fenster
zoom-in = Vergrößern
zoom-out = Verkleinern
zoom-fit = Einpassen
whole-picture = Das ganze Bild
the-rules = Spielregeln
how-to-photograph = Fotografieren
keys = Tasten
about = Über dieses Programm
path = Pfad
search = Suchen
nothing-found = Nichts gefunden.
add-these-photos = Diese Fotos hinzufügen
open-these-photos = Diese Fotos öffnen
learn-from-these-photos = Das Kartenspiel aus diesen Fotos anlernen
sample-name = Beispieltisch
pasted-name = eingefügtes Bild
sample-failed = Der Beispieltisch lässt sich nicht öffnen: { $error }
settings-unkept = Die Einstellungen lassen sich nicht speichern: { $error }
nothing-to-save = Noch gibt es nichts zu speichern.
no-picture-yet = Noch gibt es kein Bild.
board-copied = Die Auslage ist in der Zwischenablage.
transcript-copied = Das Protokoll ist in der Zwischenablage.
picture-copied = Das Bild ist in der Zwischenablage.
ask-folder = Einen Ordner mit Fotos öffnen
ask-photos = Fotos öffnen
ask-deals = Eine Datei mit Spielen öffnen
ask-film = Einen Film öffnen
ask-picture = Das Bild speichern unter
ask-json = Das JSON speichern unter
ask-all = Alles in einem neuen Ordner speichern, innerhalb von
ask-deck-photos = Fotos der Karten
ask-deck-folder = Ein Ordner mit Fotos der Karten
ask-save-deck = Die Karten speichern als
ask-open-deck = Eine Kartendatei öffnen
filter-photos = Fotos
filter-all = Alle Dateien
saved-as = Gespeichert als { $path }.
is-there-already = { $path } gibt es schon. Wähle einen anderen Namen.
unwritable = { $path }: lässt sich nicht schreiben: { $error }
unreadable = { $path }: lässt sich nicht lesen: { $error }
folder-unmade = { $path }: lässt sich nicht anlegen: { $error }
folder-full = { $path }: ist voll von Ordnern namens „with-sets“
name-the-file = Gib der Datei einen Namen.
no-such-folder = „{ $path }“ ist kein Ordner auf diesem Computer.
folder-above = Ordner darüber
no-such-path = „{ $path }“ ist weder ein Foto noch ein Ordner auf diesem Computer.
nothing-to-open = In der Zwischenablage ist nichts, was sich öffnen lässt.
saving = Speichere Foto { $n } von { $all }…
saved-all = { $pictures } und { $table } sind gespeichert in { $folder }.
saved-without = Es fehlen { $photos }: { $first }
saving-failed = Das Speichern ist fehlgeschlagen; bitte melde das.

## Die erste Seite

welcome = Fotografiere deine SET-Karten. Sieh jedes Set.
drop-photos = Zieh Fotos hierher, füg eines ein oder öffne sie.
try-sample = Einen Beispieltisch ausprobieren
deal-without-photos = Ohne Fotos spielen
rules-of-the-game = Die Spielregeln
how-to-photograph-a-table = Wie du einen Tisch fotografierst
about-this-program = Über dieses Programm
teach-a-deck = Neues Kartenspiel anlernen
opened-before = Zuletzt geöffnet
three-cards-that-are-a-set = Drei Karten, die ein Set sind

## Die Regeln

what-is-a-set = Was ist ein Set?
set-rule = Drei Karten sind ein Set, wenn bei Anzahl, Füllung, Farbe und Form jeweils alle drei gleich oder alle drei verschieden sind.
set-one-differs = Ein Set: Nur eines ist verschieden
set-all-differ = Ein Set: Alles ist verschieden
no-set-example = Kein Set
rules-cards = Jede Karte zeigt ein, zwei oder drei Symbole von einer Form, Farbe und Füllung; keine Karte gibt es zweimal.
rules-game = Zwölf Karten liegen offen aus. Wer ein Set sieht, sagt es und nimmt die drei Karten; drei neue kommen an ihre Stelle. Sieht niemand eines, werden drei weitere ausgelegt. Das Spiel endet, wenn der Stapel leer ist und kein Set mehr liegt; wer die meisten Sets hat, gewinnt.
example = Beispiel: { $cards }

## Wie man fotografiert, und was dieses Programm ist

guide-photo = Das Foto
guide-above = Halte die Kamera über die Mitte des Tisches, so gerade wie möglich und so nah, dass die Karten den größten Teil des Bildes füllen.
guide-light = Gleichmäßiges Licht ohne harte Schatten. Kippe die Kamera ein wenig, wenn sich Lampen in den Karten spiegeln.
guide-ground = Ein einfarbiger Untergrund, der nicht weiß ist. Karten dürfen schief liegen und sich berühren.
guide-still = Halte still. Eine Karte, deren Symbole du auf dem Bildschirm erkennst, kann gelesen werden.
guide-phone = Vom Handy auf diesen Computer
guide-code = Am schnellsten: „Handy…“ zeigt einen Code. Scanne ihn mit dem Handy, und dessen Fotos öffnen sich hier.
guide-cable = Mit dem Kabel: Das Handy erscheint als Laufwerk; zieh die Fotos auf dieses Fenster.
guide-shared = Über einen gemeinsamen Ordner (einer Cloud oder des Handyherstellers): Öffne ihn hier. Neue Fotos werden gefunden, wenn du ihn wieder öffnest.
guide-message = Mit einer Nachricht oder Mail an dich selbst: Speichere das Bild in voller Größe und zieh es hierher, oder kopiere es und drück Strg+V.
guide-live = Ganz ohne Foto: Live zeigt, was eine Kamera gerade sieht, oder ein Handy, das seine Kamera in deinem Netz freigibt.
about-what = Liest SET-Karten von einem Foto, findet die Sets und zeigt sie. Es hat auch Löser für das verallgemeinerte Spiel.
about-licence = Lizenz
about-photos = Deine Fotos
about-photos-stay = bleiben auf diesem Computer: Es wird nichts gesendet. Korrekturen stehen daneben in labels.json.
about-more = Mehr
about-version = „setsight --version --verbose“ in einem Terminal zeigt, welche Modelle und welche Engine im Einsatz sind.
about-trademark = SET ist eine Marke ihres Eigentümers, der mit diesem Programm nichts zu tun hat.

## Einstellungen

light-or-dark = Hell oder dunkel
as-the-system = Wie im System
light = Hell
dark = Dunkel
language = Sprache
palette-label = Farben (gut zu unterscheiden, auch bei Farbfehlsichtigkeit)
palette-clear = Klar
palette-bright = Leuchtend
palette-strong = Starker Kontrast
palette-colours = Die Farben von { $palette }
cards-are-read-as = Deine Karten
usual-cards = Die üblichen Karten
say-letters = Die Farbe gezeichneter Karten auch als Buchstaben zeigen
write-codes = Codes wie 2spd auf gespeicherte Bilder schreiben
size-of-everything = Anzeigegröße
usual-size = Normale Größe
kept = Wird automatisch gespeichert.

## Tasten

key-ctrl = Strg+
key-alt = Alt+
key-shift = Umsch+
key-left = Links
key-right = Rechts
key-up = Oben
key-down = Unten
key-page-up = Bild auf
key-page-down = Bild ab
key-home = Pos1
key-end = Ende
key-enter = Eingabe
key-delete = Entf
key-escape = Esc
key-tab-space = Tab, Leer
key-places = Q A Y, W S X…
key-last-set = , . -
key-hover = Taste: { $key }
keys-everywhere = Überall
keys-watching = Einem Spiel zusehen
keys-playing = Beim Spielen
keys-this-page = Diese Seite
keys-type-path = Den Pfad eines Fotos oder Ordners eintippen
keys-deal = Spiel: ganz ohne Fotos
keys-live = Live: die Kamera
keys-larger = Größere Anzeige
keys-smaller = Kleinere Anzeige
keys-full-screen = Vollbild (nur Bild oder Tisch), an oder aus
keys-leave = Beenden
keys-next-photo = Nächstes Foto
keys-previous-photo = Voriges Foto
keys-first-photo = Erstes Foto
keys-last-photo = Letztes Foto
keys-next-unsure = Nächstes Foto mit einer unsicheren Karte
keys-previous-unsure = Das vorige davon
keys-solve = Lösen: alle Sets
keys-hint = Hinweis: Hilfe, nicht die Lösung
keys-learn = Lernen: warum drei Karten ein Set sind oder nicht
keys-correct = Korrigieren, was falsch gelesen wurde
keys-stages = Ablauf: wie das Foto gelesen wurde
keys-save-picture = Das Bild mit seinen Sets speichern
keys-save-all = Bilder und eine Tabelle aller Fotos speichern
keys-save-json = Karten und Sets als JSON speichern
keys-all-of-it = Das ganze Bild; alle Sets
keys-why = Dieses Set erklären, oder das erste
keys-more-hint = Eine Karte eines Sets, dann zwei, dann drei
keys-another-hint = Ebenso viele Karten eines anderen Sets
keys-hide-hint = Den Hinweis verstecken
keys-card-right = Zur Karte rechts
keys-card-left = Zur Karte links
keys-card-up = Zur Karte darüber
keys-card-down = Zur Karte darunter
keys-other-cards = Andere Karten wählen
keys-all-right = Alle Karten des Fotos stimmen; nächstes Foto
keys-start-over = Alle Korrekturen des Fotos verwerfen
keys-check = Die unsicheren Karten durchgehen, eine nach der anderen
keys-confirm = Die Karte oder die angesehene Vermutung stimmt; weiter zur nächsten unsicheren, auch im nächsten Foto
keys-guesses = Die anderen Vermutungen, die wahrscheinlichste zuerst; die nächste davon
keys-add-card = Eine übersehene Karte hinzufügen: danach in ihre Mitte klicken
keys-strike = Das ist keine Karte: entfernen
keys-next-corner = Nächste Ecke der Karte
keys-corner-left = Die Ecke nach links schieben
keys-corner-right = Die Ecke nach rechts schieben
keys-corner-up = Die Ecke nach oben schieben
keys-corner-down = Die Ecke nach unten schieben
keys-let-go = Die Vermutungen schließen; die Karte loslassen; verlassen
keys-next-stage = Nächster Schritt
keys-previous-stage = Voriger Schritt
keys-daily = Das Spiel des Tages, für alle dasselbe
keys-play = Spielen; los; noch einmal
keys-start = Los oder noch einmal (auch mit der Leertaste)
keys-go-on = Weiter nach einer Pause (auch mit der Leertaste)
keys-watch = Schritt für Schritt zusehen
keys-next-deal = Nächstes Spiel der Datei
keys-pause = Pause: Karten verdecken und Uhr anhalten; weiter
keys-no-set = Sagen, dass kein Set da ist
keys-deal-hint = Eine Karte eines Sets, dann noch eine
keys-hold = Das Bild anhalten oder weiterlaufen lassen; nichts wird gespeichert
keys-keep = Das Bild und sein JSON speichern
keys-turn = Das Bild um ein Viertel drehen
keys-straighten = Den Tisch genau von oben sehen oder so, wie er ist
keys-record = Das Spiel aufnehmen oder die Aufnahme beenden
keys-new-game = Neues Spiel: von vorn zählen
keys-clear-live = Andere Karten wählen, den Hinweis verstecken
keys-leave-deck = Die Karte loslassen; zurück
keys-tab = Zum nächsten Knopf oder zur nächsten Karte; drücken
keys-paste = Öffnen, was in der Zwischenablage ist: ein Bild, ein Pfad oder Codes
keys-zoom = Näher heran, weiter weg, das ganze Bild
keys-type-card = Die Karte eintippen: Anzahl, Füllung, Farbe, Form
keys-copy-transcript = Das Protokoll kopieren
keys-places = Die Karten, Spalte für Spalte, so wie diese Tasten liegen
keys-last-set = Die Karten des letzten Sets, in einer Kette
keys-one-to-eight = 1 bis 8
keys-players = Ein Set rufen (mehrere Spieler)

## Fotos

the-photo = Das Foto
mode-solve = Lösen
mode-hint = Hinweis
mode-learn = Lernen
task-correct = Korrigieren
task-stages = Ablauf
photo-of = Foto { $n } von { $all }
read-so-far = { $n } gelesen
unsure-cards = { $n ->
    [one] { $n } unsicher (?)
   *[other] { $n } unsicher (?)
}
checked = geprüft
corrected = korrigiert
checked-of = { $n } von { $all } geprüft
read-and-checked = { $n } gelesen, { $checked }
photos-open-already = Diese Fotos sind schon offen.
card-unread = Die Karte lässt sich nicht lesen: { $error }
pasted-uncorrected = Dieses Bild liegt in keinem Ordner: Korrekturen lassen sich nicht speichern. Speichere das Bild als Datei und öffne sie.
no-other-unsure = Kein anderes schon gelesenes Foto hat eine unsichere Karte.
photo-unread = Dieses Foto lässt sich nicht lesen.
reading = Lese…
no-photos = Hier sind keine Fotos.
not-opened = Das lässt sich nicht öffnen.
no-photos-advice = Öffne einen anderen Ordner oder zieh Fotos auf dieses Fenster.
looking-for-photos = Suche Fotos…
another-folder = Einen anderen Ordner öffnen
teach-this = Dieses Kartenspiel anlernen
labels-unreadable = { $path }: lässt sich nicht lesen: { $error }
labels-no-json = { $path }: ist kein JSON: { $error }; berichtige die Datei oder verschieb sie und öffne den Ordner dann noch einmal
labels-other-deck = { $path }: Dieses Foto wurde mit den Karten { $deck } korrigiert; wähl sie in den Einstellungen, um weiterzumachen.
labels-no-list = { $path }: enthält keine Liste „photos“; berichtige die Datei oder verschieb sie und öffne den Ordner dann noch einmal
clash-title = Ein anderes Fenster sagt etwas anderes
clash-what = { $n ->
    [one] Ein anderes Programm hat inzwischen Korrekturen dieses Fotos geschrieben, und 1 Karte kann nicht beides sein.
   *[other] Ein anderes Programm hat inzwischen Korrekturen dieses Fotos geschrieben, und { $n } Karten können nicht beides sein.
}
clash-mine = Behalten, was dieses Fenster sagt
clash-theirs = Nehmen, was das andere sagt
filter-every = Alle Fotos
filter-unsure = Unsicher
filter-no-set = Kein Set
filter-corrected = Korrigiert
filter-to-check = Zu prüfen
filter-every-help = Jedes Foto
filter-unsure-help = Fotos mit einer unsicheren Karte. Die Taste U führt zum nächsten
filter-no-set-help = Fotos ohne ein Set
filter-corrected-help = Fotos, in denen jemand etwas geändert hat
filter-to-check-help = Fotos, die noch niemand geprüft hat
thumbnail = { $name }: { $words }
thumbnail-no-set = kein Set
thumbnail-no-cards = keine Karten
thumbnail-unsure = { $n ->
    [one] { $n } Karte unsicher
   *[other] { $n } Karten unsicher
}
thumbnail-unread = noch nicht gelesen
thumbnail-failed = lässt sich nicht lesen
thumbnail-read = gelesen

## Lösen, Hinweis und Lernen

no-set-here = Hier ist kein Set.
no-set-caption = Hier ist kein Set
chance-of-more = { $percent ->
    [100] Drei weitere Karten bringen auf jeden Fall eines.
   *[other] Drei weitere Karten bringen in { $percent } von 100 Fällen eines.
}
no-card-sure = Keine Karte ist sicher.
no-set-among-sure = { $n ->
    [one] Eine sichere Karte, kein sicheres Set.
   *[other] Kein Set unter den { $n } sicheren Karten.
}
some-probable = { $n ->
    [one] Eines ist wahrscheinlich:
   *[other] { $n } sind wahrscheinlich:
}
more-probable = { $n ->
    [one] und ein weiteres ist wahrscheinlich
   *[other] und { $n } weitere sind wahrscheinlich
}
probable-because = Wahrscheinlich, { $percent } %: Karte { $card } entscheidet
probable-left-out = { $n ->
    [one] und ein weiteres, weniger wahrscheinliches
   *[other] und { $n } weitere, weniger wahrscheinliche
}
perhaps-with-unsure = Vielleicht eines mit den Karten, an denen ? steht.
no-cards = Keine Karten gefunden.
previous-set = Voriges Set
next-set = Nächstes Set
all = Alle
all-sets = Alle Sets
why = Warum?
showing = { $n } von { $all }
set-numbered = Set { $n }: { $cards }
set-alike = gleich: { $what }
set-different = verschieden: { $what }
# $places: the places where they lie, such as A1 B1 C1.
set-at-places = Set { $n }, { $places }: { $cards }
hint = Hinweis
hint-none = Hier liegt ein Set. Such selbst danach, oder lass dir eine Karte zeigen.
hint-one = Diese Karte gehört zu einem Set.
hint-two = Diese beiden gehören zusammen. Welche Karte ist die dritte?
hint-three = Das ist ein Set.
hint-show-one = Eine Karte zeigen
hint-show-two = Eine zweite Karte zeigen
hint-show-three = Die dritte Karte zeigen
hint-hide = Wieder verstecken
another-set = Ein anderes Set
no-other-set = Ein anderes Set gibt es nicht.
choose-three = Wähl drei Karten im Bild.
choose-two = Wähl noch zwei.
choose-one = Wähl noch eine.
third-needed = Diese Karte würde daraus ein Set machen:
choose-others = Andere Karten wählen
fourth-begins-anew = Oder klick auf eine weitere Karte, um mit ihr neu anzufangen.
unsure-at = Zu { $percent } % sicher, Code { $code }
value-percent = { $value } { $percent } %
property-values = { $property }: { $values }
in-no-set = In keinem Set
in-sets = { $n ->
    [one] In Set { $sets }
   *[other] In den Sets { $sets }
}

## Korrigieren

add-a-card = Karte hinzufügen
add-a-card-help = Taste: A, dann in die Mitte der Karte klicken
undo = Rückgängig
redo = Wiederholen
as-found = Alles verwerfen
as-found-help = Verwirft alle Korrekturen dieses Fotos. Taste: { $key }
person-checked = Von einem Menschen geprüft.
all-right = Alle Karten stimmen
all-right-help = Bestätigt, dass jede Karte im Bild da ist und stimmt, und geht zum nächsten Foto. Erst dann wird mit dem Foto gemessen und aus ihm gelernt. Taste: { $key }
all-right-passed = { $name }: Alle Karten stimmen. { $key } nimmt das zurück.
all-right-last = { $name }: Alle Karten stimmen. { $key } nimmt das zurück. Das war das letzte Foto.
click-the-missed = Klick in die Mitte der Karte, die übersehen wurde.
swap = Die beiden tauschen
all-checked = Keine Karte ist mehr unsicher. { $sets }.
all-checked-go-on = Keine Karte ist mehr unsicher. { $sets }. { $key } führt zum nächsten Foto mit einer unsicheren Karte.
none-to-check = Keine Karte ist mehr unsicher.
guesses-confirmed = { $n ->
    [one] Auch { $n } Vermutung wurde bestätigt.
   *[other] Auch { $n } Vermutungen wurden bestätigt.
} { $key } nimmt das zurück.
click-the-wrong = Die gezeichneten Karten zeigen, was gelesen wurde. Klick auf eine, die falsch ist. Wenn alle stimmen: { $key }.
cards-to-check = { $n ->
    [one] { $n } unsichere Karte
   *[other] { $n } unsichere Karten
}
and-more-to-check = { $n ->
    [one] und { $n } weitere
   *[other] und { $n } weitere
}
check-cards = { $n ->
    [one] { $n } unsichere Karte durchgehen
   *[other] { $n } unsichere Karten durchgehen
}
every-change-saved = Jede Änderung wird neben dem Foto in labels.json gespeichert.
as-in-the-photo = Wie auf dem Foto
card-as-in-the-photo = Die Karte wie auf dem Foto
drawn = Gezeichnet: { $card }
value-button = { $property }: { $value }
it-is-right = Stimmt
strike = Keine Karte
strike-help = Entfernt, was keine Karte ist. Taste: { $key }
other-guesses = Andere Vermutungen
guess-button = Vermutung { $n }: { $card }, { $percent } %
guesses-left-out = { $n ->
    [one] und { $n } weniger wahrscheinliche
   *[other] und { $n } weniger wahrscheinliche
}
guesses-help = { $key }: die nächste
done = Fertig
or-type = Oder tipp vier Zeichen: { $letters }
lies-there = Karte { $n } ist schon { $name }, und die gibt es nur einmal.
both-are = Die Karten { $one } und { $other } sollen dieselbe sein, und die gibt es nur einmal: Korrigiere eine davon.
twisted = Die Ecken müssen rund um die Karte gehen.
no-such-card = Diese Karte gibt es nicht.
deck-is-out = Alle 81 Karten liegen auf dem Tisch.
corner-of = Ecke { $n } von Karte { $card }

## Aus Korrekturen lernen

learn-from-mine = Aus meinen Korrekturen lernen
learn-help = Trainiert mit den Fotos dieses Ordners, auf denen du alle Karten bestätigt hast: etwa fünf Minuten
learning = Lerne…
learning-part = Lerne, Teil { $n } von { $all }…
stop = Anhalten
still-learning = Das Programm lernt gerade
still-learning-what = Wenn du es beendest, hält das Lernen an. Beim nächsten Mal kann es unter Korrigieren weitergehen.
go-on-learning = Weiter lernen
learning-stopped = Das Lernen wurde angehalten.
go-on = Weiter
give-up = Aufgeben
all-right-then = In Ordnung
worth-better = Besser: { $after } von { $n } Testkarten werden jetzt richtig gelesen, vorher { $before }.
worth-same = Gleich gut: { $after } von { $n } Testkarten werden jetzt richtig gelesen, vorher { $before }.
worth-worse = Schlechter: Bei { $n } Testkarten und { $drawn } gezeichneten ging mehr verloren, als gewonnen wurde.
worth-unknown = Nicht gemessen: zu wenige Karten für einen Test.
kept-aside = { $n ->
    [one] zum Testen, { $n } Karte
   *[other] zum Testen, { $n } Karten
}
drawn-cards = { $n ->
    [one] gezeichnet, { $n } Karte
   *[other] gezeichnet, { $n } Karten
}
before = vorher
after = nachher
right = richtig
wrong = falsch
unsure = unsicher
in-use-now = Gilt für Fotos, die du von jetzt an öffnest.
use-it = Übernehmen
use-it-all-the-same = Trotzdem übernehmen
leave-it = Nicht übernehmen
seconds-left = noch etwa { $n } Sekunden
minutes-left = { $n ->
    [one] noch etwa { $n } Minute
   *[other] noch etwa { $n } Minuten
}
training-not-started = Das Lernen lässt sich nicht starten: { $error }

## Ob ein Kartenspiel vollständig ist

deck-check = Ist mein Spiel vollständig?
deck-check-help = Leg alle Karten offen aus und fotografiere sie, auf beliebig vielen Fotos. Jede Karte soll auf genau einem Foto sein. Öffne die Fotos oder zieh sie hierher. Schon geöffnete Fotos zählen mit.
deck-check-reading = Lese: { $read } von { $all } Fotos…
deck-check-unknown = Keine Karte ist klar zu lesen, deshalb kann ich nichts über das Spiel sagen. Wenn ich es nicht kenne, lern es zuerst an: Mehr…, Neues Kartenspiel anlernen.
deck-check-present = { $present } von { $of } Karten sind da
deck-check-seen-in = { $n ->
    [one] klar zu sehen auf { $n } Foto
   *[other] klar zu sehen auf { $n } Fotos
}
deck-check-complete = Das Spiel ist vollständig.
deck-check-missing = { $n ->
    [one] { $n } Karte fehlt:
   *[other] { $n } Karten fehlen:
}
deck-check-repeated = { $n ->
    [one] { $n } Karte ist mehrmals da:
   *[other] { $n } Karten sind mehrmals da:
}
deck-check-unsure = { $n ->
    [one] { $n } Karte ist unsicher und kann eine der fehlenden sein:
   *[other] { $n } Karten sind unsicher und können fehlende sein:
}
deck-check-perhaps = vielleicht { $name }
deck-check-place = { $photo }, Karte { $n }
ask-missing = Das Blatt speichern als
save-missing = Ein Blatt zum Drucken speichern
missing-file = fehlende-karten.html
missing-title = Fehlende Karten: { $n }
missing-saved = Gespeichert als { $path }. Zum Drucken öffne es in einem Browser.

## Neue Karten

new-deck-help = Leg die Karten offen auf einen einfarbigen Tisch, keine auf eine andere, und fotografiere sie bei gleichmäßigem Licht von oben: alle, auf so vielen Fotos wie nötig. Mindestens zwei Drittel müssen zu sehen sein.
drop-deck-photos = Oder zieh die Fotos hierher.
lay-out-apart = So: jede Karte für sich
lay-out-on-another = So nicht: Karten übereinander
deck-known = Dieses Spiel kann ich anscheinend schon lesen: { $name }. Du musst es mir nicht zeigen.
start-again = Von vorn beginnen
forget-photo = { $name } vergessen
photo-blurred = verwackelt, ausgelassen
photos-wait = { $n ->
    [one] { $n } Foto wartet
   *[other] { $n } Fotos warten
}
working-on-deck = Die Karten werden geordnet…
outlines = Formen
fills = Füllungen
inks = Farben
numbers = Anzahlen
groups-help = Zieh eine Karte, die in der falschen Gruppe liegt, dorthin, wo sie hingehört, oder klick sie zuerst an. Die Namen lassen sich ändern.
place-of-card = Karte { $column } in Reihe { $row } von { $photo }
chosen-card = Ausgewählt: { $place }
leave-card-out = Auslassen
choose-none = Auswahl aufheben
put-here = Zu „{ $name }“ legen
name-of-value = Name von Wert { $n }
usual-value = { $n ->
    [1] erste Form
    [2] zweite Form
   *[3] dritte Form
}
usual-group = { $n ->
    [1] erste Gruppe
    [2] zweite Gruppe
   *[3] dritte Gruppe
}
example-of-value = Eine Karte der Gruppe: { $name }
numbered-value = { $name } { $n }
fill-kind = { $kind ->
    [none] leer
    [stripes] gestreift
    [bars] quer gestreift
    [crosshatch] kariert
    [dots] gepunktet
    [strokes] gestrichelt
    [checks] gewürfelt
    [gradient] schattiert
   *[solid] gefüllt
}
ink-name = { $ink ->
    [green] grün
    [purple] lila
    [blue] blau
    [orange] orange
    [black] schwarz
    [teal] türkis
    [brown] braun
    [pink] rosa
    [yellow] gelb
    [grey] grau
    [sky-blue] himmelblau
    [dark-red] dunkelrot
    [light-green] hellgrün
   *[red] rot
}
deck-in-order = { $n } von { $of } Karten sind bekannt.
only-three = Es sind nur drei
they-differ = Sie sind verschieden
note-blurred = { $photo } ist verwackelt: Fotografiere noch einmal, näher und mit ruhiger Hand.
note-unclear = { $photo }: Auf { $n ->
    [one] { $n } Karte
   *[other] { $n } Karten
} sind die Symbole nicht klar zu sehen. Vielleicht stört eine Spiegelung, ein Schatten oder eine andere Karte.
note-seen-twice = { $more ->
    [0] In zwei Fotos zu sehen: { $first } ist { $second }.
   *[other] In zwei Fotos zu sehen: { $first } ist { $second }, und { $more } weitere.
}
note-not-seen = { $n ->
    [one] { $n } von { $of } Karten ist nicht zu sehen; gelernt wird von den anderen.
   *[other] { $n } von { $of } Karten sind nicht zu sehen; gelernt wird von den anderen.
}
learn-no-cards = Es sind keine Karten zu sehen: Leg sie offen und einzeln auf einen einfarbigen Tisch und fotografiere sie von oben.
learn-too-few = Klar zu sehen sind { $found } verschiedene Karten von { $of }, nötig sind mindestens { $needed }: Füg Fotos der anderen hinzu.
learn-alike = { $what }: Zwei Werte sehen gleich aus. Vergleiche { $first } und { $second }. Sind sie verschieden, dann sag es und berichtige die Gruppen, falls sie nicht stimmen; oder fotografiere die Karten noch einmal bei Tageslicht.
learn-two-decks = Es sind mehr Karten zu sehen, als ein Spiel hat: Nimm weg, was zu einem anderen gehört.
learn-seldom = { $n ->
        [one] { $what }: Einen Wert hat nur eine Karte, { $card }.
       *[other] { $what }: Einen Wert haben nur { $n } Karten, etwa { $card }.
    } Füg Fotos von anderen Karten mit diesem Wert hinzu.
learn-not-seen = { $what }: Einen Wert hat keine Karte. Füg Fotos von Karten mit diesem Wert hinzu.
learn-more = { $what }: Es sind mehr als drei Werte zu sehen; { $card } gleicht keinem der anderen. Lass sie aus, wenn sie zu einem anderen Spiel gehört.
learn-twice = { $first } und { $second } sehen gleich aus, und jede Karte gibt es nur einmal. Gehört eine zu einem zweiten Spiel, dann lass sie aus; sind sie verschieden, dann zieh eine dorthin, wo sie hingehört.
name-of-deck = Name des Kartenspiels
save-and-use = Speichern und verwenden
deck-unordered = Noch sind die Karten nicht vollständig geordnet: siehe oben.
deck-unnamed = Das Kartenspiel braucht einen Namen.
deck-looked-at = Die Fotos werden angesehen…
deck-name-taken = „{ $name }“ bedeutet andere Karten.
deck-name-malformed = Ein Name hat 1 bis 60 Zeichen.
deck-title = { $name }, aus Fotos gelernt
deck-saved = Gespeichert als { $path }. Von jetzt an werden Karten als { $name } gelesen; das ändern die Einstellungen.

## Ablauf

stages-what = Wie das Foto gelesen wurde, Schritt für Schritt.
reading-once-more = Lese noch einmal…
stage-time = { $ms } ms
stage-time-part = Teil von { $ms } ms
stage-picture = Bild des Schritts { $stage }
stage-load = Das Foto
stage-load-help = So, wie es geladen wurde, aufrecht.
stage-maps = Schwarzweiß
stage-maps-help = Schwarzweiße Ansichten des Fotos, in denen nach Symbolen gesucht wird.
stage-maps-closer = Schwarzweiß, näher
stage-maps-closer-help = Dieselben Ansichten, näher an den Karten.
stage-symbols = Symbole
stage-symbols-help = Jede Stelle, die wie das Symbol einer Karte aussieht.
stage-symbols-closer = Symbole, näher
stage-symbols-closer-help = Noch einmal Symbole, näher an den Karten.
stage-contours = Konturen
stage-contours-help = Jede Kontur mit vier Ecken; grün: so groß wie eine Karte auf diesem Tisch.
stage-contours-closer = Konturen, näher
stage-contours-closer-help = Noch einmal Konturen, näher an den Karten.
stage-heat = Wärmebild
stage-heat-help = Wie deutlich das Netz an jeder Stelle eine Karte sieht.
stage-places = Plätze
stage-places-help = Die Karten, die das Netz vorschlägt, mit den Ecken, die es nennt.
stage-segment = Umrisse
stage-segment-help = Wo vermutlich Karten liegen.
stage-rectify = Gerade Karten
stage-rectify-help = Jede Karte von oben gesehen, ihr Weiß weiß gemacht.
stage-facts = Erster Blick
stage-facts-help = Was der erste Blick zu jeder Karte sagt. Er zeigt, welche Ausgabe es ist und ob das Bild gespiegelt, grau oder ein Bildschirm ist.
stage-classify = Gelesenes
stage-classify-help = Was zu jeder Karte gelesen wurde, und wie sicher.
stage-board = Der Tisch
stage-board-help = Alle Karten zusammen, jede höchstens einmal, und die Sets.
stage-other = Ein anderer Schritt
stage-other-help = Ein Schritt des Lesens.

## Spiel

deal-title = Ein Spiel ohne Kamera und Karten
deal-what = Spiel gegen die Uhr, allein oder zusammen, oder sieh Schritt für Schritt zu.
shuffle-and-play = Mischen und spielen
todays-deal = Spiel des Tages
open-deals = Datei mit Spielen öffnen
type-codes = Nummer oder Codes eintippen
codes-label = Die Nummer eines Spiels, 12 bis 81 Karten wie 2spd, oder eine ganze Datei mit Spielen
deal-these = Diese austeilen
deal-number = Spiel { $n }
print-boards = Auslagen drucken…
boards-heading = Auslagen drucken
boards-count = Auslagen
boards-per-sheet = je Blatt
boards-on-a-sheet = { $n } je Blatt
boards-paper = Papier
boards-number = Nummer des ersten Spiels
boards-title = Überschrift
boards-apart = Die Sets auf eigenen Blättern
boards-pages = { $n ->
    [one] { $n } Seite mit Auslagen und ebenso viele mit ihren Sets.
   *[other] { $n } Seiten mit Auslagen und ebenso viele mit ihren Sets.
}
boards-backs = { $n ->
    [one] { $n } Blatt, beidseitig zu drucken: Die Sets stehen auf der Rückseite.
   *[other] { $n } Blätter, beidseitig zu drucken: Die Sets stehen auf der Rückseite.
}
boards-first-sheet = Das erste Blatt
boards-save = Zum Drucken speichern…
ask-boards = Blätter speichern als
boards-file = auslagen.html
sheet-task = Finde alle Sets.
sheet-name = Name
sheet-date = Datum
sheet-sets = Sets
sheet-next = Die Sets stehen auf dem nächsten Blatt.
give-up-game = Dieses Spiel aufgeben?
would-be-lost = Es ist noch nicht zu Ende und wäre verloren.
play-on = Weiterspielen
score-unkept = Das Spiel lässt sich nicht speichern: { $error }
deals-failed = { $path }: { $error }
deals-too-large = { $bytes } Byte sind zu viel: Eine Datei mit Spielen hat höchstens { $most }
code-wrong = Code { $n }: { $error }.
codes-count = { $n ->
    [one] Ein Spiel braucht { $least } bis { $most } Karten; hier steht { $n } Code.
   *[other] Ein Spiel braucht { $least } bis { $most } Karten; hier stehen { $n } Codes.
}
place-numbered = Platz { $n }: { $card }
place-named = Platz { $n }, { $name }: { $card }
last-set-numbered = Letztes Set { $n }: { $card }
paused = Pause
ready = Bereit?
watch = Zusehen
play = Spielen
new-game-menu = Neues Spiel…
deal-of-day = Das Spiel vom { $day }, für alle dasselbe
data-set-of = Spiel { $n } von { $all }
next-data-set = Nächstes Spiel
start = Los
start-help = Deckt die Karten auf und lässt die Uhr laufen. Taste: { $key }
rules = Regeln
variant-normal = Normal
variant-normal-rule = Finde drei Karten, die ein Set sind.
variant-chain = Kette
variant-chain-rule = Nach dem ersten Set verwendet jedes genau eine Karte des vorigen.
variant-ultra = Ultra
variant-ultra-rule = Finde vier Karten: zwei Paare, die dieselbe fünfte Karte zum Set ergänzen würde.
variant-junior = Junior
variant-junior-rule = Nur mit den 27 gefüllten Karten: Es zählen Anzahl, Farbe und Form.
players = Spieler
player-numbered = Spieler { $n }
name-of-player = Name von Spieler { $n }
players-number = Spieler: { $n }
alone = Allein, gegen die Uhr.
together = Wer ein Set sieht, ruft mit einer Taste von 1 bis { $n } oder mit seinem Namen hier und wählt dann in wenigen Sekunden die Karten. Sonst kostet es einen Punkt.
step-of = Schritt { $n } von { $all } · { $cards } im Stapel · { $sets } genommen
first-step = Erster Schritt
previous-step = Voriger Schritt
next-step = Nächster Schritt
last-step = Letzter Schritt
transcript = Protokoll
first-is-taken = Das erste der Liste wird genommen.
step-dealt = Die ersten zwölf Karten
step-removed = Das erste Set wird genommen
step-compacted = Die Karten rücken auf
step-added = { $n ->
    [one] { $n } neue Karte
   *[other] { $n } neue Karten
}
step-no-cards = Keine Karten mehr übrig
game-over = Das Spiel ist zu Ende
sets-taken = { $n ->
    [one] { $n } Set genommen
   *[other] { $n } Sets genommen
}
cards-to-deal = { $n ->
    [one] { $n } Karte im Stapel
   *[other] { $n } Karten im Stapel
}
clock-stands = Die Uhr steht, und die Karten sind verdeckt.
pause = Pause
no-set-here-button = Kein Set da
no-set-here-help = Drei weitere Karten, wenn das stimmt. Taste: { $key }
one-card-more = Noch eine Karte
hide-hint = Hinweis verstecken
player-button = { $player }: { $points }
player-button-left = { $player }: { $points } · { $seconds } s
player-calls = { $player } ruft
by-player = { $player }: { $words }
said-call = Ruf, wenn du ein Set siehst, und wähl dann seine Karten.
said-four = Klick auf vier Karten: zwei Paare, die eine Karte ergänzen würde.
said-three = Klick auf drei Karten, die ein Set sind.
said-wrong = Kein Set.
said-not-these = Diese nicht.
said-there-is-one = Es ist ein Set da.
said-look-again = Schau noch einmal, oder lass dir einen Hinweis geben.
said-no-set = Stimmt, kein Set.
said-more = { $n ->
    [one] Hier ist { $n } weitere Karte.
   *[other] Hier sind { $n } weitere Karten.
}
said-called = { $player } hat gerufen.
has-called-left = { $player } hat gerufen: { $seconds } s
said-choose = Wähl die Karten.
said-too-late = { $player }: zu spät.
said-point-lost = Das kostet einen Punkt.
said-who = Wer hat es gesehen?
said-call-first = Ruf zuerst: Drück deine Zahl oder oben deinen Namen.
log-dealt = { $n ->
    [one] { $n } Karte ausgeteilt
   *[other] { $n } Karten ausgeteilt
}
log-by = { $player }: { $words }
log-set = Set
log-no-set = kein Set
log-nothing = gerufen und nichts gewählt
log-there-is-one = „kein Set“ gesagt, und es ist eines da
log-more = { $n ->
    [one] kein Set; { $n } Karte mehr
   *[other] kein Set; { $n } Karten mehr
}
log-over = kein Set und keine Karten mehr: Das Spiel ist zu Ende
well-played = Gut gespielt!
nothing-left = Kein Set liegt mehr da, und der Stapel ist leer.
set-times = Im Schnitt { $average } s je Set, das langsamste { $slowest } s
each-set-time = Sekunden je Set: { $times }
play-again = Noch einmal
player-result = { $place }. { $player }: { $points } ({ $sets })
player-result-lost = { $place }. { $player }: { $points } ({ $sets }, { $lost } verloren)
best-of-today = Die beste Zeit heute!
best-by-day = Beste Zeiten nach Tagen: { $variant }

## Live

mirrored = Gespiegelt
mirrored-auto = Auto
mirrored-yes = Ja
mirrored-no = Nein
camera-controls = Kamera…
camera-picture = Das Bild der Kamera
recording-kept = Die Aufnahme liegt in { $path }.
recording-impossible = In { $path } lässt sich nichts aufnehmen: { $error }
no-number-free = keine Nummer ist frei
picture-kept = Gespeichert als { $path }, das JSON liegt daneben.
picture-unkept = Das Bild lässt sich nicht speichern: { $error }
held = Angehalten. Mit { $key } geht es weiter.
straightened-soon = Von oben, sobald drei Karten zu sehen sind. Abbrechen mit { $key }.
waiting-for-camera = Warte auf die Kamera…
what-to-watch = Was möchtest du sehen?
choose-camera = Kamera wählen
open-film = Film öffnen
watch-what = Quelle…
watch-help = Eine Kamera, ein Handy, ein Film
turn = Drehen
turn-help = Ein Viertel nach rechts. Taste: { $key }
from-above = Von oben
from-above-help = Der Tisch genau von oben gesehen. Taste: { $key }
hold = Anhalten
keep-picture = Bild speichern
new-game = Neues Spiel
record = Aufnehmen
stop-recording = Aufnahme beenden
record-help = Ein neues Spiel, als Film mit dem JSON daneben, in { $path }. Taste: { $key }
looking-for-cards = Suche Karten…
live-count = { $cards } gesehen, { $sets } genommen, { $left } im Stapel
live-chance = Chance auf ein Set mit drei weiteren: { $percent } %
live-no-three = Im Stapel sind weniger als drei Karten.
live-late = Das Bild hinkt { $seconds } s hinterher: Dieser Computer ist beschäftigt.
no-camera-connected = An diesen Computer ist keine Kamera angeschlossen.
phone-label = Ein Handy: Starte eine App, die seine Kamera freigibt, und tipp ihre Adresse ein.
phone-help = IP Webcam (Android): http://HANDY:8080/video. DroidCam: http://HANDY:4747/video. Name und Passwort stehen davor: http://NAME:PASSWORT@HANDY:8080/video.
watch-this = Ansehen
open-film-button = Film öffnen…
address-wrong = Das ist keine Adresse einer Kamera; erwartet wird etwas wie http://192.168.1.20:8080/video oder rtsp://192.168.1.20:8554/live
film-again = Von vorn
film-ended = Der Film ist zu Ende.
film-place = { $at } von { $length }
film-slider = Stelle im Film, in Sekunden
recording-running = Nehme auf: { $path }, { $length }
recording-done = Die Aufnahme liegt in { $path }, { $length }.
recording-failed = Die Aufnahme endete bei { $length }: { $error }.
picture-size = Größe
automatic = Automatisch
exposure = Belichtung
focus = Schärfe
exposure-automatic = Belichtung automatisch
focus-automatic = Schärfe automatisch
first-camera = die erste Kamera
camera-number = Kamera { $n }
camera-named = Kamera „{ $name }“

## Warum ein Foto sich nicht lesen lässt: steht hinter seinem Namen oder hinter „Es“

it-reason = Es { $reason }.
photo-reason = Das Foto { $reason }
reason-fault = hat das Programm zum Absturz gebracht; bitte melde dieses Foto
reason-chosen-models = { $error }; der Befehl „setsight models reset“ kehrt zu denen im Programm zurück
reason-unreadable = lässt sich nicht öffnen: { $error }; erwartet wird ein Foto, das du öffnen darfst
reason-no-file = ist keine gewöhnliche Datei; erwartet wird ein Foto
reason-empty = ist leer (0 Byte); erwartet wird ein Foto: Kopiere es noch einmal von dort, wo es herkam
reason-no-picture = ist kein Bild (es beginnt mit { $start }); erwartet wird JPEG, PNG, HEIC, WebP, AVIF, BMP oder TIFF, gleich wie die Datei heißt
reason-other-format = ist ein Bild im Format { $format }, das hier nicht gelesen wird; wandle es zuerst in JPEG oder PNG um
reason-no-decoder = ist ein Bild im Format { $format }, das vom Programm { $program } gelesen wird, und das ist nicht installiert; { $install }; oder wandle das Bild in JPEG um
reason-cut-off = ist abgeschnitten: Die Daten im Format { $format } enden, bevor das Bild vollständig ist; kopiere es noch einmal von dort, wo es herkam
reason-too-large = hat { $width }x{ $height } Pixel, das sind { $megapixels } Megapixel; höchstens { $most } werden gelesen: Verkleinere es zuerst
reason-too-many-bytes = hat { $bytes } Byte; höchstens { $most } werden gelesen: Verkleinere das Bild zuerst
reason-too-small = hat { $width }x{ $height } Pixel, zu wenig für eine Karte; erwartet werden mindestens { $least }x{ $least }
reason-strip = hat { $width }x{ $height } Pixel und ist ein Streifen; erwartet wird eine Seite, die höchstens { $most }-mal so lang ist wie die andere: Schneide den Teil mit den Karten aus
reason-too-slow = braucht mehr als { $seconds } s Rechenzeit zum Dekodieren, mehr als jedes Foto dieser Größe; öffne es in einem Bildbetrachter und speichere es neu als JPEG oder PNG
reason-transparent = ist überall durchsichtig, sodass nichts davon zu sehen ist; speichere es ohne Transparenz
reason-corrupt = ist beschädigt: Seine Daten im Format { $format } lassen sich nicht dekodieren; öffne es in einem Bildbetrachter und speichere es neu als JPEG oder PNG
list-unreadable = { $path }: lässt sich nicht öffnen: { $error }; erwartet wird ein Foto oder ein Ordner mit Fotos, den du öffnen darfst
list-no-photos = { $path }: keine Fotos in diesem Ordner und darunter; gesucht wurden Namen, die auf .jpg, .heic, .png, .webp, .avif, .bmp oder .tif enden

system-denied = dir fehlt die Berechtigung
system-gone = dort ist nichts

## Was mit einer Kamera nicht stimmt, und was zu tun ist

camera-tried-again = { $advice } Neuer Versuch jede Sekunde.
camera-none = Keine Kamera ist angeschlossen
camera-none-advice = Schließ eine an, verwende ein Handy, oder öffne einen Film.
camera-no-such = Diese Kamera gibt es nicht: { $choice }
camera-ambiguous = „{ $name }“ können mehrere Kameras sein
camera-no-such-advice = Wähl eine andere.
camera-busy = Die Kamera { $camera } wird von einem anderen Programm benutzt
camera-busy-advice = Schließ das andere Programm.
camera-permission = Die Kamera { $camera } darfst du nicht benutzen
camera-permission-advice = Unter Linux: sudo usermod -aG video $USER, dann neu anmelden; unter macOS: Systemeinstellungen, Datenschutz & Sicherheit, Kamera.
camera-unplugged = Die Kamera { $camera } ist abgezogen oder ausgeschaltet
camera-unplugged-advice = Steck sie wieder an.
camera-silent = { $camera } hat seit { $n } s kein Bild geschickt
camera-silent-advice = Sieh nach, ob sie noch an ist und ihre App noch offen.
camera-black = Die Kamera liefert schwarze Bilder
camera-black-advice = Öffne ihre Blende, nimm die Kappe ab oder mach Licht an.
camera-broken = { $camera } schickt Bilder, die nicht vollständig sind
camera-broken-advice = Nimm ein anderes Kabel, stell dich näher an den Router oder wähl in der App ein kleineres Bild.
camera-unopened = Die Kamera { $camera } lässt sich nicht öffnen: { $error }
camera-unopened-advice = Versuch eine andere, oder zieh sie ab und steck sie wieder an.
camera-unreachable = { $address } antwortet nicht: { $error }
camera-unreachable-advice = Starte die Kamera-App, sieh nach, ob beide im selben Netz sind, und vergleich die Adresse mit der, die die App zeigt.
camera-denied = { $address } will einen Namen und ein Passwort, oder nimmt diese nicht an (HTTP { $status })
camera-denied-advice = Gib sie in der Adresse an: http://NAME:PASSWORT@HANDY:8080/video
camera-no-pictures = { $address } schickt keine Bilder: { $error }
camera-no-pictures-advice = Nimm die Adresse ihres Motion-JPEG-Stroms, etwa http://HANDY:8080/video, oder eine, die mit rtsp:// beginnt
camera-no-ffmpeg = { $camera } wird vom Programm ffmpeg gelesen, und das ist nicht installiert
camera-no-ffmpeg-advice = Zu tun: { $advice }.
camera-film = { $error }
camera-film-advice = Sieh nach, ob ein anderes Programm ihn abspielt.
camera-unread-advice = Schließ andere Programme und öffne diesen Reiter noch einmal.

## Ein Handy als Kamera

phone-button = Handy…
phone-title = Ein Handy als Kamera benutzen
phone-scan = Scanne diesen Code mit einem Handy im selben WLAN, oder öffne dort die Adresse. Installiert wird nichts.
phone-code = Der Code zum Scannen
phone-typed = Zum Eintippen: { $address } und dann { $code }
phone-kept = Fotos, die das Handy macht, öffnen sich hier. Sie verschwinden, wenn dieses Fenster geschlossen wird: Speichere, was du behalten möchtest. Wer diese Adresse hat, kann Bilder senden, bis du es beendest.
phone-certificate = Vor Live-Bildern fragt das Handy einmal, ob es diesem Computer trauen darf, und zwar mit diesem Zertifikat (SHA-256): { $fingerprint }
phone-stop = Keine Handys mehr senden lassen
phone-stop-short = Beenden
phone-code-short = Code zeigen
phone-none-yet = Noch ist kein Handy verbunden.
phone-here = { $n ->
    [1] Ein Handy kann Fotos und Live-Bilder senden.
   *[other] { $n } Handys waren verbunden.
}
phone-came = Handy { $n } ist verbunden.
phone-photo-came = Ein Foto ist vom Handy angekommen.
phone-live = Handy { $n } zeigt sein Live-Bild.
phone-number = Handy { $n }
phone-away = Handy { $n } sendet keine Bilder
phone-away-advice = Es geht weiter, sobald die Seite auf dem Handy ihr Live-Bild wieder zeigt
phone-stopped = Handys können keine Bilder mehr senden.
phone-unkept = Ein Foto vom Handy lässt sich nicht speichern: { $error }
phone-no-network = Dieser Computer ist in keinem Netz, das ein Handy erreicht. Verbinde ihn mit dem WLAN des Handys, mit dessen eigenem Hotspot oder mit einem Kabel und USB-Tethering.
phone-public-only = Dieser Computer hat nur öffentliche Adressen, über die sich jeder verbinden könnte. Im Terminal geht es trotzdem mit „setsight serve --listen ADRESSE“.
phone-failed = Handys können sich nicht verbinden: { $error }
