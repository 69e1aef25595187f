//! A JPEG whose data are damaged: cards below the damage are not sure.

use setsight_photo::{encode::jpeg, source::decode};
use setsight_scenes::{Kind, Params, render};
use setsight_vision::{ReadCard, ReadingPlan, Trace, Warning};

#[test]
fn no_card_is_sure_that_damaged_data_may_have_invented() {
    let pipeline = ReadingPlan::default().build().unwrap();
    let scene = render(&Params::for_kind(Kind::Wood), 7, 0).unwrap();
    let bytes = jpeg(&scene.image, 90).unwrap();
    let read = |bytes: &[u8]| {
        pipeline.read_photo(decode(bytes).unwrap(), &mut Trace::default()).unwrap().table
    };
    let table = read(&bytes);
    let sure = table.cards.iter().filter(|card| !card.unsure).count();
    assert!(sure > 6 && table.warnings.is_empty() && !table.sets.is_empty());

    // Without restart markers nobody knows where the damage begins.
    let at = bytes.len() - 200;
    let damaged = read(&[&bytes[..at], &bytes[at + 30..]].concat());
    assert_eq!(damaged.warnings, [Warning::Damaged]);
    assert!(!damaged.cards.is_empty() && damaged.cards.iter().all(|card| card.unsure));
    assert!(damaged.sets.is_empty());

    // Up to where a file ends, all is as it was.
    let cut = read(&bytes[..bytes.len() - 60]);
    assert_eq!(cut.warnings, [Warning::CutOff]);
    let names = |cards: &[ReadCard]| cards.iter().map(|c| (c.card, c.unsure)).collect::<Vec<_>>();
    assert_eq!(names(&cut.cards), names(&table.cards));
}
