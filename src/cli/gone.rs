//! Options and commands that left the program or some of its commands, and what takes their place: whoever
//! calls them is told.

/// What left the program. Commands are those without dashes.
const GONE: [(&str, &str); 19] = [
    (
        "merge",
        "cat joins lines of JSON; on many machines Ray reads photos through the package for Python",
    ),
    (
        "--shard",
        "on many machines Ray reads photos through the package for Python (docs/guides/many-machines.md)",
    ),
    ("--resume", "scan and the trainings alone go on where they were stopped; call this anew"),
    ("--page", "--report DIR writes DIR/index.html"),
    ("--plot", "--report DIR writes a page with the charts, DIR/index.html"),
    ("--sheet", "--print FILE"),
    ("--hard", "deal --random --seed N gives other boards"),
    ("createml", "COCO, YOLO, VOC, CVAT, LabelMe, Label Studio, CSV and folders are read"),
    ("via", "COCO, YOLO, VOC, CVAT, LabelMe, Label Studio, CSV and folders are read"),
    ("kitti", "COCO, YOLO, VOC, CVAT, LabelMe, Label Studio, CSV and folders are read"),
    ("dota", "COCO, YOLO, VOC, CVAT, LabelMe, Label Studio, CSV and folders are read"),
    ("names", "a folder for each card is read: 2spd/1.jpg"),
    ("--words", "rename the classes in the labels, or leave some out by --leave-out"),
    ("--check", "every game is checked before it is printed"),
    (
        "--deck",
        "a deck of your own is read by its file, as in scan --deck FILE; no network learns it",
    ),
    ("--measure", "the window has no benchmark of its own any more"),
    ("--from", "render draws films of its own tables alone: leave it out"),
    ("--phone", "render draws films of its own tables alone: leave it out"),
    ("second-pass", "the finder makes one pass: leave it out"),
];

/// What to use in place of a word of a call that is not known, if it was known once.
pub fn instead_of(word: &str) -> Option<String> {
    let name = word.split('=').next().unwrap_or(word);
    let (_, instead) = GONE.iter().find(|(gone, _)| *gone == name)?;
    Some(format!("{name} is not known here: {instead}"))
}
