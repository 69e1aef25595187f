# The window's words in English. Another language is a copy of this file: see CONTRIBUTING.md.
# Syntax: https://projectfluent.org. "$n" is a number, in front of "->" it chooses the plural.

## Cards

# $n: 1 to 3. $shading, $color, $shape: one of the words in brackets below.
card-name = { card-number } { card-shading } { card-color } { card-shape }
card-number = { $n ->
    [1] one
    [2] two
   *[3] three
}
card-shading = { $shading ->
    [filled] filled
    [open] open
    [striped] striped
   *[dotted] dotted
}
card-color = { $color ->
    [green] green
    [purple] purple
   *[red] red
}
card-shape = { $n ->
    [1] { $shape ->
        [diamond] diamond
        [oval] oval
        [squiggle] squiggle
        [rectangle] rectangle
       *[ellipse] ellipse
    }
   *[other] { $shape ->
        [diamond] diamonds
        [oval] ovals
        [squiggle] squiggles
        [rectangle] rectangles
       *[ellipse] ellipses
    }
}
# A card of a deck that people have taught, whose values they have named themselves.
card-of-own-deck = { card-number } { $shading } { $color } { $n ->
    [1] { $shape }
   *[other] { $shape }s
}
# What a card may show in one of its four properties, by itself.
card-value = { $value ->
    [one] one
    [two] two
    [three] three
    [filled] filled
    [open] open
    [striped] striped
    [dotted] dotted
    [green] green
    [purple] purple
    [red] red
    [diamond] diamond
    [oval] oval
    [rectangle] rectangle
    [ellipse] ellipse
   *[squiggle] squiggle
}
card-property = { $property ->
    [number] number
    [shading] shading
    [colour] colour
   *[shape] shape
}
card-numbered = Card { $n }: { $name }
card-numbered-unsure = Card { $n }: perhaps { $name }
edition-rectangles = This is the edition with rectangles.
edition-unknown = I don't know this deck, so I'm not sure of any card.
mirrored-picture = The picture is mirrored.
copies = { $n ->
    [one] The same card is on the table more than once: { $places }.
   *[other] { $n } cards are on the table more than once: { $places }.
}
warning-cut-off = The photo's file is incomplete, so its lower edge may be missing. Copy it again.
warning-damaged = The photo's file is damaged, so parts of it may be wrong, and the cards there are not sure. Copy it again.
warning-too-dark = This picture is too dark to show cards. Turn on a light and take it again.
warning-too-small = What look like cards are about { $n } pixels long, too small to read. Move closer, or open the picture at full size.
warning-nothing-read = Something looks like a card, but none can be read. Show whole cards with their borders, from above.
warning-close-up = One card fills the picture, and its border is not visible.
colours-grey = The picture has no colours, so I only read number, shape and shading.
colours-alike = In this light all colours look alike, so I only read number, shape and shading.

## Counting

count-sets = { $n ->
    [one] { $n } set
   *[other] { $n } sets
}
count-cards = { $n ->
    [one] { $n } card
   *[other] { $n } cards
}
count-photos = { $n ->
    [one] { $n } photo
   *[other] { $n } photos
}
count-pictures = { $n ->
    [one] { $n } picture
   *[other] { $n } pictures
}
count-mistakes = { $n ->
    [one] { $n } mistake
   *[other] { $n } mistakes
}
count-hints = { $n ->
    [one] { $n } hint
   *[other] { $n } hints
}
count-points = { $n ->
    [one] { $n } point
   *[other] { $n } points
}

## Why three cards are a set, or not

all-alike = all the same: { $value }
all-different = all different: { $first }, { $second }, { $third }
two-alike-number = { $two ->
    [1] two have one symbol
    [2] two have two symbols
   *[3] two have three symbols
}, one has { $one ->
    [1] one
    [2] two
   *[3] three
}
two-alike-value = two are { $two }, one is { $one }
two-alike-shape = two are { $two ->
    [diamond] diamonds
    [oval] ovals
    [rectangle] rectangles
    [ellipse] ellipses
   *[squiggle] squiggles
}, one is { $one ->
    [diamond] a diamond
    [oval] an oval
    [rectangle] a rectangle
    [ellipse] an ellipse
   *[squiggle] a squiggle
}
a-set = A set!
no-set-repeated = Not a set: the same card is there more than once.
# $list: the properties that spoil it, $n: how many they are.
no-set-because = { $n ->
    [one] Not a set: { $list } doesn't fit.
   *[other] Not a set: { $list } don't fit.
}
the-property = { $property ->
    [number] the number
    [shading] the shading
    [colour] the colour
   *[shape] the shape
}
list-and = { $first } and { $last }
list-comma = { $first }, { $last }
list-or = { $first } or { $last }
fits = fits
does-not-fit = does not fit

## The window

tab-photos = Photos
tab-deal = Deal
tab-live = Live
menu = Menu
menu-help = Help…
menu-more = More…
menu-open = Open…
menu-save = Save…
settings = Settings
close = Close
ok = OK
cancel = Cancel
close-message = Close the message
open-a-folder = A folder of photos
open-photos = Photos
type-a-path = Type a path
a-sample-table = A sample table
save-picture = The picture with its sets
save-json = Cards and sets as JSON
save-all = Pictures and a table of all photos
copy-board = Copy the board as text
copy-picture = Copy the picture with its sets
back-to-window = Back to the window
zoom-in = Zoom in
zoom-out = Zoom out
zoom-fit = Fit
whole-picture = The whole picture
the-rules = The rules
how-to-photograph = How to photograph
keys = Keys
about = About
path = Path
search = Search
nothing-found = Nothing found.
add-these-photos = Add these photos
open-these-photos = Open these photos
learn-from-these-photos = Teach the deck from these photos
sample-name = sample table
pasted-name = pasted picture
sample-failed = The sample table cannot be opened: { $error }
settings-unkept = The settings cannot be saved: { $error }
nothing-to-save = There is nothing to save yet.
no-picture-yet = There is no picture yet.
board-copied = The board is on the clipboard.
transcript-copied = The transcript is on the clipboard.
picture-copied = The picture is on the clipboard.
ask-folder = Open a folder of photos
ask-photos = Open photos
ask-deals = Open a file of deals
ask-film = Open a film
ask-picture = Save the picture as
ask-json = Save the JSON as
ask-all = Save everything in a new folder inside
ask-deck-photos = Photos of the deck
ask-deck-folder = A folder of photos of the deck
ask-save-deck = Save the deck as
ask-open-deck = Open a deck's file
filter-photos = Photos
filter-all = All files
saved-as = Saved as { $path }.
is-there-already = { $path } already exists. Choose another name.
unwritable = { $path }: cannot be written: { $error }
unreadable = { $path }: cannot be read: { $error }
folder-unmade = { $path }: cannot be created: { $error }
folder-full = { $path }: is full of folders called "with-sets"
name-the-file = Type a name for the file.
no-such-folder = "{ $path }" is not a folder on this computer.
folder-above = Folder above
no-such-path = "{ $path }" is not a photo or folder on this computer.
nothing-to-open = There is nothing on the clipboard to open.
saving = Saving photo { $n } of { $all }…
saved-all = Saved { $pictures } and { $table } in { $folder }.
# After what was saved. $photos: how many could not be, $first: which one is the first of them, and why.
saved-without = Without { $photos }: { $first }
saving-failed = Saving failed; please report this.

## The first page

welcome = Photograph your SET cards. See every set.
drop-photos = Drop photos here, paste one, or open them.
try-sample = Try a sample table
deal-without-photos = Play without photos
rules-of-the-game = The rules of the game
how-to-photograph-a-table = How to photograph a table
about-this-program = About this program
teach-a-deck = Teach a new deck
opened-before = Recent
three-cards-that-are-a-set = Three cards that are a set

## The rules

what-is-a-set = What is a set?
set-rule = Three cards are a set when each of number, shading, colour and shape is the same on all three or different on all three.
set-one-differs = A set: one thing differs
set-all-differ = A set: everything differs
no-set-example = No set
rules-cards = Each card shows one, two or three symbols of one shape, colour and shading; no two cards are the same.
rules-game = Twelve cards lie face up. Whoever sees a set says so and takes its three cards; three new ones take their places. When nobody sees one, three more are laid out. The game ends when the deck is used up and no set is left; whoever has the most sets wins.
example = Example: { $cards }

## How to photograph, and what this program is

guide-photo = The photo
guide-above = Hold the camera above the middle of the table, as level as you can, and near enough that the cards fill most of the picture.
guide-light = Even light without hard shadows. Tilt the camera a little if lamps reflect in the cards.
guide-ground = A plain table that is not white. Cards may lie at an angle, and may touch.
guide-still = Hold still. If you can make out the symbols on the screen, the card can be read.
guide-phone = From the phone to this computer
guide-code = Quickest: Phone… shows a code. Scan it with the phone, and its photos open here.
guide-cable = By cable: the phone shows up as a drive; drag the photos onto this window.
guide-shared = By a shared folder (a cloud's, or the phone maker's): open that folder here. New photos are found when it is opened again.
guide-message = By message or mail to yourself: save the picture at full size and drop it here, or copy it and press Ctrl+V.
guide-live = Without any photo: Live shows what a camera sees right now, or a phone that shares its camera on your network.
about-what = Reads SET cards from a photo, finds the sets and shows them. It also has solvers for the generalised game.
about-licence = Licence
about-photos = Your photos
about-photos-stay = stay on this computer: nothing is sent anywhere. Corrections are written to labels.json beside them.
about-more = More
about-version = "setsight --version --verbose" in a terminal names models and engines in use.
about-trademark = SET is a trademark of its owner, who is not involved in this program.

## Settings

light-or-dark = Light or dark
as-the-system = Same as the system
light = Light
dark = Dark
language = Language
palette-label = Colours (easy to tell apart, whatever your colour vision)
palette-clear = Clear
palette-bright = Bright
palette-strong = Strong contrast
palette-colours = The colours of { $palette }
cards-are-read-as = Your cards
usual-cards = The usual cards
say-letters = Show the colour of drawn cards as a letter, too
write-codes = Write codes such as 2spd on saved pictures
size-of-everything = Display size
usual-size = Normal size
kept = Saved automatically.

## Keys

key-ctrl = Ctrl+
key-alt = Alt+
key-shift = Shift+
key-left = Left
key-right = Right
key-up = Up
key-down = Down
key-page-up = Page Up
key-page-down = Page Down
key-home = Home
key-end = End
key-enter = Enter
key-delete = Delete
key-escape = Esc
key-tab-space = Tab, Space
# By where they lie on the keyboard: the letters printed there in your country.
key-places = Q A Z, W S X…
key-last-set = , . /
key-hover = Key: { $key }
keys-everywhere = Everywhere
keys-watching = Watching a game
keys-playing = Playing
keys-this-page = This page
keys-type-path = Type the path of a photo or folder
keys-deal = Deal: a game without photos
keys-live = Live: the camera
keys-larger = Larger display
keys-smaller = Smaller display
keys-full-screen = Full screen (picture or table only), on or off
keys-leave = Quit
keys-next-photo = Next photo
keys-previous-photo = Previous photo
keys-first-photo = First photo
keys-last-photo = Last photo
keys-next-unsure = Next photo with an unsure card
keys-previous-unsure = Previous one
keys-solve = Solve: all sets
keys-hint = Hint: help without the answer
keys-learn = Learn: why three cards are a set, or not
keys-correct = Correct what was read wrongly
keys-stages = Steps: how the photo was read
keys-save-picture = Save the picture with its sets drawn on it
keys-save-all = Save pictures and a table of all photos
keys-save-json = Save cards and sets as JSON
keys-all-of-it = The whole picture; all sets
keys-why = Explain this set, or the first one
keys-more-hint = One card of a set, then two, then three
keys-another-hint = As many cards of another set
keys-hide-hint = Hide the hint
keys-card-right = To the card on the right
keys-card-left = To the card on the left
keys-card-up = To the card above
keys-card-down = To the card below
keys-other-cards = Choose other cards
keys-all-right = All cards of the photo are right; next photo
keys-start-over = Undo all corrections of the photo
keys-check = Go through the unsure cards, one after the other
keys-confirm = Accept the card, or the guess shown; go to the next unsure one, even in the next photo
keys-guesses = The other guesses for the card, the likeliest first; the next of them
keys-add-card = Add a card that was missed: then click its middle
keys-strike = This is not a card: remove it
keys-next-corner = Next corner of the card
keys-corner-left = Move the corner left
keys-corner-right = Move the corner right
keys-corner-up = Move the corner up
keys-corner-down = Move the corner down
keys-let-go = Close the guesses; deselect the card; leave
keys-next-stage = Next step
keys-previous-stage = Previous step
keys-daily = Today's deal, the same for all
keys-play = Play; start; play again
keys-start = Start or play again (Space works, too)
keys-go-on = Go on after a pause (Space works, too)
keys-watch = Watch step by step
keys-next-deal = Next deal of the file
keys-pause = Pause: hide the cards and stop the clock; go on
keys-no-set = Say that there is no set
keys-deal-hint = One card of a set, then one more
keys-hold = Freeze the picture, or let it go on; nothing is saved
keys-keep = Save the picture and its JSON
keys-turn = Turn the picture by a quarter
keys-straighten = Show the table from straight above, or as it is
keys-record = Record the game, or end the recording
keys-new-game = New game: count from the beginning
keys-clear-live = Choose other cards, hide the hint
keys-leave-deck = Deselect the card; go back
keys-tab = Go to the next button or card; press it
keys-paste = Open what is on the clipboard: a picture, a path, or codes
keys-zoom = Zoom in, zoom out, the whole picture
keys-type-card = Type the card: number, shading, colour, shape
keys-copy-transcript = Copy the transcript
keys-places = The cards, down the columns, where these keys lie
keys-last-set = The cards of the last set, in a chain
keys-one-to-eight = 1 to 8
keys-players = Call a set (several players)

## Photos

the-photo = The photo
mode-solve = Solve
mode-hint = Hint
mode-learn = Learn
task-correct = Correct
task-stages = Steps
photo-of = photo { $n } of { $all }
read-so-far = { $n } read
unsure-cards = { $n ->
    [one] { $n } unsure (?)
   *[other] { $n } unsure (?)
}
checked = checked
corrected = corrected
checked-of = { $n } of { $all } checked
read-and-checked = { $n } read, { $checked }
photos-open-already = These photos are already open.
card-unread = The card cannot be read: { $error }
pasted-uncorrected = This picture is not in a folder, so corrections cannot be saved. Save the picture as a file and open that.
no-other-unsure = No other photo read so far has an unsure card.
photo-unread = This photo cannot be read.
reading = Reading…
no-photos = No photos here.
not-opened = This cannot be opened.
no-photos-advice = Open another folder, or drop photos on this window.
looking-for-photos = Looking for photos…
another-folder = Open another folder
teach-this = Teach this deck
labels-unreadable = { $path }: cannot be read: { $error }
labels-no-json = { $path }: is not valid JSON: { $error }; correct it or move it away, then open the folder again
labels-other-deck = { $path }: this photo was corrected with the deck { $deck }; choose that deck under Settings to go on.
labels-no-list = { $path }: has no list "photos"; correct it or move it away, then open the folder again
clash-title = Another window says something else
clash-what = { $n ->
    [one] Another program has changed the labels of this photo in the meantime, and 1 card cannot be both.
   *[other] Another program has changed the labels of this photo in the meantime, and { $n } cards cannot be both.
}
clash-mine = Keep what this window says
clash-theirs = Use what the other one says
filter-every = All photos
filter-unsure = Unsure
filter-no-set = No set
filter-corrected = Corrected
filter-to-check = To check
filter-every-help = Every photo
filter-unsure-help = Photos with a card that is unsure. Key U goes to the next one
filter-no-set-help = Photos without a set
filter-corrected-help = Photos in which somebody has changed something
filter-to-check-help = Photos that nobody has checked yet
# A thumbnail as it is read out: the file's name and what is known of it.
thumbnail = { $name }: { $words }
thumbnail-no-set = no set
thumbnail-no-cards = no cards
thumbnail-unsure = { $n ->
    [one] { $n } card unsure
   *[other] { $n } cards unsure
}
thumbnail-unread = not read yet
thumbnail-failed = cannot be read
thumbnail-read = read

## Solve, Hint and Learn

no-set-here = No set here.
no-set-caption = No set here
chance-of-more = { $percent ->
    [100] Three more cards are sure to bring one.
   *[other] Three more cards bring one { $percent } times out of 100.
}
no-card-sure = No card is sure.
no-set-among-sure = { $n ->
    [one] One sure card, no sure set.
   *[other] No set among the { $n } sure cards.
}
some-probable = { $n ->
    [one] One is probable:
   *[other] { $n } are probable:
}
more-probable = { $n ->
    [one] and one more is probable
   *[other] and { $n } more are probable
}
probable-because = Probable, { $percent } %: card { $card } decides
probable-left-out = { $n ->
    [one] and one more that is less probable
   *[other] and { $n } more that are less probable
}
perhaps-with-unsure = There may be one with the cards marked ?.
no-cards = No cards found.
previous-set = Previous set
next-set = Next set
all = All
all-sets = All sets
why = Why?
showing = { $n } of { $all }
set-numbered = Set { $n }: { $cards }
set-alike = the same: { $what }
set-different = different: { $what }
# $places: the places where they lie, such as A1 B1 C1.
set-at-places = Set { $n }, { $places }: { $cards }
hint = Hint
hint-none = There is a set here. Look for it yourself, or ask for a card.
hint-one = This card is part of a set.
hint-two = These two belong together. Which card is the third?
hint-three = This is a set.
hint-show-one = Show one card
hint-show-two = Show a second card
hint-show-three = Show the third card
hint-hide = Hide them again
another-set = Another set
no-other-set = There is no other set.
choose-three = Choose three cards in the picture.
choose-two = Choose two more.
choose-one = Choose one more.
third-needed = This card would complete the set:
choose-others = Choose other cards
fourth-begins-anew = Or click another card to start again with it.
unsure-at = { $percent } % sure, code { $code }
value-percent = { $value } { $percent } %
property-values = { $property }: { $values }
in-no-set = In no set
# $n: how many sets, $sets: their numbers.
in-sets = { $n ->
    [one] In set { $sets }
   *[other] In sets { $sets }
}

## Correct

add-a-card = Add a card
add-a-card-help = Key: A, then click the card's middle
undo = Undo
redo = Redo
as-found = Undo all
as-found-help = Drops all corrections of this photo. Key: { $key }
person-checked = Checked by a person.
all-right = All cards are right
all-right-help = Confirms that every card in view is there and right, and goes on to the next photo. Only then is the photo used for measuring and for learning. Key: { $key }
# $key: the key that takes it back.
all-right-passed = { $name }: all cards are right. { $key } undoes that.
all-right-last = { $name }: all cards are right. { $key } undoes that. This was the last photo.
click-the-missed = Click the middle of the card that was missed.
swap = Swap the two
all-checked = No card is unsure any more. { $sets }.
# $key: the key that goes on.
all-checked-go-on = No card is unsure any more. { $sets }. { $key } goes on to the next photo with an unsure card.
none-to-check = No card is unsure any more.
# $key: the key that takes it back.
guesses-confirmed = { $n ->
    [one] { $n } guess was confirmed, too.
   *[other] { $n } guesses were confirmed, too.
} { $key } undoes that.
# $key: the key that says so.
click-the-wrong = The drawn cards show what was read. Click one that is wrong. If all are right: { $key }.
cards-to-check = { $n ->
    [one] { $n } unsure card
   *[other] { $n } unsure cards
}
and-more-to-check = { $n ->
    [one] and { $n } more
   *[other] and { $n } more
}
check-cards = { $n ->
    [one] Go through { $n } unsure card
   *[other] Go through { $n } unsure cards
}
every-change-saved = Every change is saved in labels.json beside the photo.
as-in-the-photo = As in the photo
card-as-in-the-photo = The card as in the photo
drawn = Drawn: { $card }
value-button = { $property }: { $value }
it-is-right = That's right
strike = Not a card
strike-help = Removes what is not a card. Key: { $key }
other-guesses = Other guesses
guess-button = Guess { $n }: { $card }, { $percent } %
guesses-left-out = { $n ->
    [one] and { $n } that is less probable
   *[other] and { $n } that are less probable
}
guesses-help = { $key }: the next one
done = Done
or-type = Or type four letters: { $letters }
lies-there = Card { $n } is already { $name }, and a deck has only one.
both-are = Cards { $one } and { $other } are said to be the same, and a deck has only one: correct one of them.
twisted = The corners must go round the card.
no-such-card = There is no such card.
deck-is-out = All 81 cards are on the table.
corner-of = Corner { $n } of card { $card }

## Learning from corrections

learn-from-mine = Learn from my corrections
learn-help = Trains the reader on the photos of this folder in which you have confirmed all cards: about five minutes
learning = Learning…
learning-part = Learning, part { $n } of { $all }…
stop = Stop
still-learning = The program is learning
still-learning-what = If you quit, learning stops. It can go on the next time, under Correct.
go-on-learning = Go on learning
learning-stopped = Learning was stopped.
go-on = Go on
give-up = Give up
all-right-then = All right
worth-better = Better: { $after } of { $n } cards set aside are now read correctly, { $before } before.
worth-same = As good: { $after } of { $n } cards set aside are now read correctly, { $before } before.
worth-worse = Worse: on { $n } cards set aside and { $drawn } drawn ones, more was lost than gained.
worth-unknown = Not measured: too few cards to test on.
kept-aside = { $n ->
    [one] set aside, { $n } card
   *[other] set aside, { $n } cards
}
drawn-cards = { $n ->
    [one] drawn, { $n } card
   *[other] drawn, { $n } cards
}
before = before
after = after
right = right
wrong = wrong
unsure = unsure
in-use-now = In use for photos that you open from now on.
use-it = Use it
use-it-all-the-same = Use it anyway
leave-it = Don't use it
seconds-left = about { $n } seconds left
minutes-left = { $n ->
    [one] about { $n } minute left
   *[other] about { $n } minutes left
}
training-not-started = The training cannot be started: { $error }

## Whether a deck is complete

deck-check = Is my deck complete?
deck-check-help = Lay out all the cards, face up, and photograph them, in as many photos as you like. Each card should be in just one. Open the photos, or drop them here. Photos that are already open are included.
deck-check-reading = Reading: { $read } of { $all } photos…
deck-check-unknown = No card is read clearly, so I cannot say anything about the deck. If I do not know it, teach it first: More…, Teach a new deck.
deck-check-present = { $present } of { $of } cards are there
deck-check-seen-in = { $n ->
    [one] seen clearly in { $n } photo
   *[other] seen clearly in { $n } photos
}
deck-check-complete = The deck is complete.
deck-check-missing = { $n ->
    [one] Missing: { $n } card
   *[other] Missing: { $n } cards
}
deck-check-repeated = { $n ->
    [one] More than once: { $n } card
   *[other] More than once: { $n } cards
}
deck-check-unsure = { $n ->
    [one] Unsure: { $n } card, which may be one of the missing ones
   *[other] Unsure: { $n } cards, which may be some of the missing ones
}
deck-check-perhaps = perhaps { $name }
deck-check-place = { $photo }, card { $n }
ask-missing = Save the sheet as
save-missing = Save a sheet to print
missing-file = missing-cards.html
missing-title = Missing cards: { $n }
missing-saved = Saved as { $path }. Open it in a browser to print it.

## A new deck

new-deck-help = Lay the cards face up on a plain table, none on top of another, and photograph them from above in even light: the whole deck, in as many photos as it takes. At least two thirds of it must be seen.
drop-deck-photos = Or drop the photos here.
lay-out-apart = Like this: every card by itself
lay-out-on-another = Not like this: cards on top of each other
deck-known = This looks like a deck that can already be read: { $name }. There is no need to teach it.
start-again = Start again
forget-photo = Forget { $name }
photo-blurred = blurred, left out
photos-wait = { $n ->
    [one] { $n } photo waiting
   *[other] { $n } photos waiting
}
working-on-deck = Working on the deck…
outlines = Shapes
fills = Shadings
inks = Colours
numbers = Numbers
groups-help = Drag a card that is in the wrong group to where it belongs, or click it first. You can change the names.
# $column: which card of the row. $photo: its file.
place-of-card = card { $column } of row { $row } in { $photo }
chosen-card = Chosen: { $place }
leave-card-out = Leave it out
choose-none = Deselect
put-here = Put it into { $name }
name-of-value = Name of value { $n }
# What an outline is called that nobody has named.
usual-value = { $n ->
    [1] first shape
    [2] second shape
   *[3] third shape
}
# A group of cards whose look is not known yet.
usual-group = { $n ->
    [1] first group
    [2] second group
   *[3] third group
}
example-of-value = A card of the group: { $name }
numbered-value = { $name } { $n }
fill-kind = { $kind ->
    [none] open
    [stripes] striped
    [bars] barred
    [crosshatch] hatched
    [dots] dotted
    [strokes] dashed
    [checks] chequered
    [gradient] shaded
   *[solid] filled
}
ink-name = { $ink ->
    [green] green
    [purple] purple
    [blue] blue
    [orange] orange
    [black] black
    [teal] teal
    [brown] brown
    [pink] pink
    [yellow] yellow
    [grey] grey
    [sky-blue] sky blue
    [dark-red] dark red
    [light-green] light green
   *[red] red
}
deck-in-order = { $n } of { $of } cards are known.
only-three = There are only three
they-differ = They are different
note-blurred = { $photo } is blurred: take it again, closer and with a steady hand.
note-unclear = { $photo }: on { $n ->
    [one] { $n } card
   *[other] { $n } cards
} no symbols are seen clearly. Glare, a shadow or another card may be in the way.
note-seen-twice = { $more ->
    [0] Seen in two photos: { $first } is { $second }.
   *[other] Seen in two photos: { $first } is { $second }, and { $more } more.
}
note-not-seen = { $n ->
    [one] { $n } of { $of } cards is not seen; the deck is learnt from the others.
   *[other] { $n } of { $of } cards are not seen; the deck is learnt from the others.
}
learn-no-cards = No cards are seen: lay them face up and apart on a plain table, and photograph them from above.
learn-too-few = { $found } different cards of { $of } are seen clearly, and at least { $needed } are needed: add photos of the others.
# $what: outlines, fills or inks.
learn-alike = Two values look alike under { $what }: look at { $first } and { $second }. If they differ, say so, and correct the groups below if they are wrong; or photograph the deck again in daylight.
learn-two-decks = There are more cards than a deck has: remove those of another deck.
learn-seldom = { $n ->
        [one] Under { $what } one value is on one card alone, { $card }:
       *[other] Under { $what } one value is on { $n } cards alone, such as { $card }:
    } add photos of others that have it.
learn-not-seen = Under { $what } no card has one of the values: add photos of cards that have it.
learn-more = More than three values are seen under { $what }: { $card } is like none of the others. Leave it out if it belongs to another deck.
learn-twice = { $first } and { $second } look the same, and a deck has each card once. If one belongs to a second deck, leave it out; if they differ, drag one to where it belongs.
name-of-deck = Name of the deck
save-and-use = Save and use
deck-unordered = Not all cards are in order yet: see above.
deck-unnamed = The deck needs a name.
deck-looked-at = Looking at the photos…
deck-name-taken = "{ $name }" means another deck.
deck-name-malformed = A name has 1 to 60 characters.
deck-title = { $name }, learnt from photos
deck-saved = Saved as { $path }. From now on cards are read as { $name }; you can change that under Settings.

## Steps

stages-what = How the photo was read, step by step.
reading-once-more = Reading once more…
stage-time = { $ms } ms
stage-time-part = part of { $ms } ms
stage-picture = Picture of the step { $stage }
stage-load = The photo
stage-load-help = As it was loaded, upright.
stage-maps = Maps
stage-maps-help = Black and white views of the photo in which symbols are looked for.
stage-maps-closer = Maps, closer
stage-maps-closer-help = The same views, nearer to where cards lie.
stage-symbols = Symbols
stage-symbols-help = Every place that looks like a symbol of a card.
stage-symbols-closer = Symbols, closer
stage-symbols-closer-help = Symbols again, nearer to where cards lie.
stage-contours = Contours
stage-contours-help = Every contour with four corners; green: of a card's size on this table.
stage-contours-closer = Contours, closer
stage-contours-closer-help = Contours again, nearer to where cards lie.
stage-heat = Heat
stage-heat-help = How strongly the network sees a card at each place.
stage-places = Places
stage-places-help = The cards that the network proposes, with the corners that it names.
stage-segment = Outlines
stage-segment-help = Where cards are thought to lie.
stage-rectify = Straight cards
stage-rectify-help = Each card seen from above, its white made white.
stage-facts = First look
stage-facts-help = What the first look says about each card. It shows which edition this is, and whether the picture is mirrored, grey or a screen.
stage-classify = Readings
stage-classify-help = What the reader says about each card, and how sure it is.
stage-board = The table
stage-board-help = All cards together, each of the deck at most once, and the sets.
stage-other = Another step
stage-other-help = A step of reading.

## Deal

deal-title = A game without a camera or cards
deal-what = Play it against the clock, alone or together, or watch it step by step.
shuffle-and-play = Shuffle and play
todays-deal = Today's deal
open-deals = Open a file of deals
type-codes = Type a number or codes
codes-label = The number of a deal, 12 to 81 cards such as 2spd, or a whole file of deals
deal-these = Deal these
deal-number = Deal { $n }
print-boards = Print boards…
boards-heading = Print boards
boards-count = Boards
boards-per-sheet = on each sheet
boards-on-a-sheet = { $n } on each sheet
boards-paper = Paper
boards-number = First deal's number
boards-title = Title
boards-apart = The sets on sheets of their own
boards-pages = { $n ->
    [one] { $n } page of boards and as many of their sets.
   *[other] { $n } pages of boards and as many of their sets.
}
boards-backs = { $n ->
    [one] { $n } sheet to print on both sides: the sets are on its back.
   *[other] { $n } sheets to print on both sides: the sets are on their backs.
}
boards-first-sheet = The first sheet
boards-save = Save to print…
ask-boards = Save the sheets as
boards-file = boards.html
sheet-task = find all the sets.
sheet-name = Name
sheet-date = Date
sheet-sets = Sets
sheet-next = The sets are on the next sheet.
give-up-game = Give up this game?
would-be-lost = It is not over yet and would be lost.
play-on = Play on
score-unkept = The game cannot be saved: { $error }
deals-failed = { $path }: { $error }
deals-too-large = { $bytes } bytes are too many: a file of deals has at most { $most }
code-wrong = Code { $n }: { $error }.
codes-count = { $n ->
    [one] A game takes { $least } to { $most } cards; { $n } code was given.
   *[other] A game takes { $least } to { $most } cards; { $n } codes were given.
}
place-numbered = Place { $n }: { $card }
# $name: the row as a letter and the column, such as B2.
place-named = Place { $n }, { $name }: { $card }
last-set-numbered = Last set { $n }: { $card }
paused = Paused
ready = Ready?
watch = Watch
play = Play
new-game-menu = New game…
deal-of-day = The deal of { $day }, the same for all
data-set-of = Deal { $n } of { $all }
next-data-set = Next deal
start = Start
start-help = Shows the cards and starts the clock. Key: { $key }
rules = Rules
variant-normal = Normal
variant-normal-rule = Find three cards that are a set.
variant-chain = Chain
variant-chain-rule = After the first set, each set uses exactly one card of the last one.
variant-ultra = Ultra
variant-ultra-rule = Find four cards: two pairs that the same fifth card would complete to a set.
variant-junior = Junior
variant-junior-rule = With the 27 filled cards only: number, colour and shape count.
players = Players
player-numbered = Player { $n }
name-of-player = Name of player { $n }
players-number = Players: { $n }
alone = Alone, against the clock.
together = Whoever sees a set calls it, with a key from 1 to { $n } or their name here, and then has a few seconds to choose its cards. If not, they lose a point.
step-of = Step { $n } of { $all } · { $cards } left · { $sets } taken
first-step = First step
previous-step = Previous step
next-step = Next step
last-step = Last step
transcript = Transcript
first-is-taken = The first one listed is taken.
step-dealt = The first twelve cards
step-removed = The first set is taken
step-compacted = The cards move up
step-added = { $n ->
    [one] { $n } new card
   *[other] { $n } new cards
}
step-no-cards = No cards are left
game-over = The game is over
sets-taken = { $n ->
    [one] { $n } set taken
   *[other] { $n } sets taken
}
cards-to-deal = { $n ->
    [one] { $n } card left
   *[other] { $n } cards left
}
clock-stands = The clock is stopped, and the cards are face down.
pause = Pause
no-set-here-button = No set here
no-set-here-help = Three more cards, if that is right. Key: { $key }
one-card-more = One more card
hide-hint = Hide the hint
player-button = { $player }: { $points }
player-button-left = { $player }: { $points } · { $seconds } s
player-calls = { $player } calls
by-player = { $player }: { $words }
said-call = Call when you see a set, then choose its cards.
said-four = Click four cards: two pairs that one card would complete.
said-three = Click three cards that are a set.
said-wrong = Not a set.
said-not-these = Not these.
said-there-is-one = There is a set.
said-look-again = Look again, or ask for a hint.
said-no-set = Right, no set.
said-more = { $n ->
    [one] Here is { $n } more card.
   *[other] Here are { $n } more cards.
}
said-called = { $player } has called.
has-called-left = { $player } has called: { $seconds } s
said-choose = Choose the cards.
said-too-late = { $player }: too late.
said-point-lost = That costs a point.
said-who = Who has seen it?
said-call-first = Call first: press your number, or your name above.
log-dealt = { $n ->
    [one] { $n } card dealt
   *[other] { $n } cards dealt
}
log-by = { $player }: { $words }
log-set = set
log-no-set = not a set
log-nothing = called and chose nothing
log-there-is-one = said there is no set, and there is one
log-more = { $n ->
    [one] no set; { $n } more card
   *[other] no set; { $n } more cards
}
log-over = no set and no cards left: the game is over
well-played = Well played!
nothing-left = No set is left, and no cards to deal.
set-times = { $average } s per set on average, the slowest { $slowest } s
each-set-time = Seconds per set: { $times }
play-again = Play again
# $place: first, second ... as a number; $sets: with their word.
player-result = { $place }. { $player }: { $points } ({ $sets })
player-result-lost = { $place }. { $player }: { $points } ({ $sets }, { $lost } lost)
best-of-today = Today's best!
best-by-day = Best times by day: { $variant }

## Live

mirrored = Mirrored
mirrored-auto = Auto
mirrored-yes = Yes
mirrored-no = No
camera-controls = Camera…
camera-picture = The camera's picture
recording-kept = The recording is saved as { $path }.
recording-impossible = Cannot record in { $path }: { $error }
no-number-free = no number is free
picture-kept = Saved as { $path }, with its JSON beside it.
picture-unkept = The picture cannot be saved: { $error }
held = Frozen. Press { $key } to go on.
straightened-soon = Straightened as soon as three cards are seen. Press { $key } to cancel.
waiting-for-camera = Waiting for the camera…
what-to-watch = What would you like to watch?
choose-camera = Choose camera
open-film = Open film
watch-what = Watch…
watch-help = A camera, a phone, a film
turn = Turn
turn-help = A quarter to the right. Key: { $key }
from-above = From above
from-above-help = The table as seen from straight above. Key: { $key }
hold = Freeze
keep-picture = Save picture
new-game = New game
record = Record
stop-recording = Stop recording
record-help = A new game, saved as a film with its JSON beside it, in { $path }. Key: { $key }
looking-for-cards = Looking for cards…
live-count = { $cards } seen, { $sets } taken, { $left } in the deck
live-chance = Chance that three more bring a set: { $percent } %
live-no-three = Fewer than three cards are left in the deck.
live-late = The picture is { $seconds } s behind: this computer is busy.
no-camera-connected = No camera is connected to this computer.
phone-label = A phone: start an app that shares its camera, and type its address.
phone-help = IP Webcam (Android): http://PHONE:8080/video. DroidCam: http://PHONE:4747/video. A name and a password go before it: http://NAME:PASSWORD@PHONE:8080/video.
watch-this = Watch
open-film-button = Open film…
address-wrong = This is not the address of a camera; expected one such as http://192.168.1.20:8080/video or rtsp://192.168.1.20:8554/live
film-again = Again
film-ended = The film has ended.
film-place = { $at } of { $length }
film-slider = Place in the film, in seconds
recording-running = Recording as { $path }, { $length }
recording-done = The recording is saved as { $path }, { $length }.
recording-failed = The recording stopped at { $length }: { $error }.
picture-size = Size
automatic = Automatic
exposure = Exposure
focus = Focus
exposure-automatic = Exposure automatic
focus-automatic = Focus automatic
first-camera = the first camera
camera-number = camera { $n }
camera-named = camera "{ $name }"

## Why a photo cannot be read: each goes on after its name, or after "It"

it-reason = It { $reason }.
photo-reason = The photo { $reason }
reason-fault = made the program fail; please report this photo
reason-chosen-models = { $error }; the command “setsight models reset” goes back to those inside the program
reason-unreadable = cannot be read: { $error }; expected a photo that this user may open
reason-no-file = is not an ordinary file; expected a photo
reason-empty = is empty (0 bytes); expected a photo: copy it again from where it came
reason-no-picture = is not a picture (it starts with { $start }); expected JPEG, PNG, HEIC, WebP, AVIF, BMP or TIFF, whatever the file is called
reason-other-format = is a { $format } picture, which is not read; convert it to JPEG or PNG first
reason-no-decoder = is an { $format } picture, which the program { $program } decodes, and that is not on the PATH; { $install }; or convert the picture to JPEG
reason-cut-off = is cut off: the { $format } data end before the picture is complete; copy it again from where it came
reason-too-large = is { $width }x{ $height }, { $megapixels } megapixels; at most { $most } are read: scale it down first
reason-too-many-bytes = has { $bytes } bytes; at most { $most } are read: scale the picture down first
reason-too-small = is { $width }x{ $height } pixels, too small to hold a card; expected at least { $least }x{ $least }
reason-strip = is { $width }x{ $height } pixels, a strip; expected a side at most { $most } times as long as the other: cut the part with the cards out
reason-too-slow = takes more than { $seconds } s of processor time to decode, and no photo of its size does; open it in a viewer and save it as a new JPEG or PNG
reason-transparent = is transparent all over, so that nothing of it shows; save it without transparency
reason-corrupt = is damaged: its { $format } data cannot be decoded; open it in a viewer and save it as a new JPEG or PNG
list-unreadable = { $path }: cannot be read: { $error }; expected a photo or a folder of photos that you may open
list-no-photos = { $path }: no photos in this folder or below it; looked for names that end in .jpg, .heic, .png, .webp, .avif, .bmp or .tif

system-denied = you have no permission
system-gone = nothing is there

## What is wrong with a camera, and what to do

camera-tried-again = { $advice } Trying again every second.
camera-none = No camera is connected
camera-none-advice = Connect one, use a phone, or open a film.
camera-no-such = There is no { $choice }
camera-ambiguous = "{ $name }" may be several cameras
camera-no-such-advice = Choose another one.
camera-busy = Camera { $camera } is in use by another program
camera-busy-advice = Close the other program.
camera-permission = Camera { $camera } may not be used by this user
camera-permission-advice = On Linux: sudo usermod -aG video $USER, then log in again; on macOS: System Settings, Privacy & Security, Camera.
camera-unplugged = Camera { $camera } is unplugged or switched off
camera-unplugged-advice = Plug it in again.
camera-silent = { $camera } has sent no picture for { $n } s
camera-silent-advice = Check that it is still on and its app still open.
camera-black = The camera gives black pictures
camera-black-advice = Open its shutter, take off its cap, or turn on a light.
camera-broken = { $camera } sends incomplete pictures
camera-broken-advice = Use another cable or stand nearer to the router, or choose a smaller picture in its app.
camera-unopened = Camera { $camera } cannot be opened: { $error }
camera-unopened-advice = Try another one, or unplug it and plug it in again.
camera-unreachable = { $address } does not answer: { $error }
camera-unreachable-advice = Start the camera app, check that both are on the same network, and compare the address with the one that the app shows.
camera-denied = { $address } asks for a name and a password, or refuses these (HTTP { $status })
camera-denied-advice = Give them in the address: http://NAME:PASSWORD@PHONE:8080/video
camera-no-pictures = { $address } sends no pictures: { $error }
camera-no-pictures-advice = Take the address of its Motion JPEG stream, such as http://PHONE:8080/video, or one that begins with rtsp://
camera-no-ffmpeg = { $camera } is read by the program ffmpeg, which is not on the PATH
camera-no-ffmpeg-advice = To do: { $advice }.
camera-film = { $error }
camera-film-advice = Check that it plays in another program.
camera-unread-advice = Close other programs and open this tab again.

## A phone as the camera

phone-button = Phone…
phone-title = Use a phone as the camera
phone-scan = Scan this code with a phone that is on the same Wi-Fi, or open the address there. Nothing is installed on it.
phone-code = The code to scan
phone-typed = To type: { $address } and then { $code }
phone-kept = Photos that you take with the phone open here. They are gone when this window closes, so save what you want to keep. Anyone with this address can send pictures until you stop it.
# $fingerprint: pairs of hexadecimal digits.
phone-certificate = For live pictures the phone asks once whether it may trust this computer, by this certificate (SHA-256): { $fingerprint }
phone-stop = Stop phones sending pictures
phone-stop-short = Stop
phone-code-short = Show code
phone-none-yet = No phone is connected yet.
phone-here = { $n ->
    [1] A phone can send photos and live pictures.
   *[other] { $n } phones have connected.
}
phone-came = Phone { $n } is connected.
phone-photo-came = A photo has arrived from a phone.
phone-live = Phone { $n } shows its live picture.
phone-number = phone { $n }
phone-away = Phone { $n } sends no pictures
phone-away-advice = It goes on as soon as the page on the phone shows its live picture again
phone-stopped = Phones can no longer send pictures.
phone-unkept = A photo from a phone cannot be saved: { $error }
phone-no-network = This computer is on no network that a phone could reach. Connect it to the phone's Wi-Fi, to the phone's own hotspot, or by a cable with USB tethering.
phone-public-only = This computer has only public addresses, where anybody could connect. In a terminal, "setsight serve --listen ADDRESS" serves there all the same.
phone-failed = Phones cannot connect: { $error }
