// Cards and sets: their codes, drawings, names, and what makes three of them a set.
"use strict";

/// Colours of the sets, in their order, as on the pictures of the program.
const SET_COLORS = ["#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7"];
const colorOf = (place) => SET_COLORS[place % SET_COLORS.length];
const percent = (confidence) => Math.round(100 * confidence);

const NS = "http://www.w3.org/2000/svg";

function svg(name, attributes, ...children) {
  const element = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function html(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const SHAPES = {
  d: "M10 0 L20 22 L10 44 L0 22 Z",
  o: "M10 0 A10 10 0 0 1 20 10 V34 A10 10 0 0 1 0 34 V10 A10 10 0 0 1 10 0 Z",
  s: "M13 1 C20 4 19 14 16.5 21 C14.5 27 17 31 19 36 C20.5 41 13 45 7 43 C0 40 1 30 3.5 23 C5.5 17 3 13 1 8 C-.5 3 7 -1 13 1 Z",
};

/// Stripes of any shape, which its outline cuts: a pattern of SVG is printed as a grey picture.
const STRIPES = Array.from({ length: 11 }, (_, i) => `M-1 ${4 * i + 1}h22`).join("");
for (const [shape, d] of Object.entries(SHAPES)) {
  document.getElementById("outlines").append(svg("clipPath", { id: `in-${shape}` }, svg("path", { d })));
}

/// A card as a drawing, by its code: number, shading, colour, shape.
function drawn(code) {
  const [number, shading, color, shape] = code;
  const count = Number(number);
  const fill = shading === "f" ? `fill-${color}` : "fill-none";
  const symbols = Array.from({ length: count }, (_, i) => svg("g", {
    transform: `translate(${38 + (i - (count - 1) / 2) * 25} 10)`,
  }, ...shading === "s" ? [svg("path", { d: STRIPES, class: `ink-${color}`, "clip-path": `url(#in-${shape})` })] : [],
  svg("path", { d: SHAPES[shape], class: `ink-${color} ${fill}`, "stroke-width": 2 })));
  const face = svg("rect", { class: "face", x: 1, y: 1, width: 94, height: 62, rx: 7 });
  const letter = svg("text", { class: "letter", x: 5, y: 59, "font-size": 13, "font-weight": 700, fill: "#16181c" }, words.letters[color]);
  return svg("svg", { class: "card", viewBox: "0 0 96 64", "aria-hidden": "true" }, face, ...symbols, letter);
}

function nameOf(code) {
  const [number, shading, color, shape] = code;
  return words.card(words, Number(number), shading, color, shape);
}

/// Number, shading, colour and shape: what each of a code's letters may be.
const VALUES = ["123", "fos", "rgp", "dos"];
const DECK = VALUES.reduce((codes, values) => codes.flatMap((code) => [...values].map((value) => code + value)), [""]);

/// For each property the three values, and whether they are all alike, all different, or neither.
function why(codes) {
  return [0, 1, 2, 3].map((i) => {
    const values = codes.map((code) => code[i]);
    return { values, kind: ["", "alike", "two", "different"][new Set(values).size] };
  });
}

/// The properties in which three cards are neither all alike nor all different.
const brokenIn = (codes) => why(codes).flatMap(({ kind }, i) => (kind === "two" ? [i] : []));
const isSet = (codes) => !brokenIn(codes).length;

/// All sets among codes, as their places; a set of cards that lie twice is listed once.
function setsAmong(codes) {
  const sets = [], seen = new Set();
  for (let i = 0; i < codes.length; i++) {
    for (let j = i + 1; j < codes.length; j++) {
      for (let k = j + 1; k < codes.length; k++) {
        const three = [codes[i], codes[j], codes[k]];
        if (new Set(three).size < 3 || !isSet(three)) continue;
        const name = three.sort().join();
        if (!seen.has(name)) sets.push([i, j, k]);
        seen.add(name);
      }
    }
  }
  return sets;
}

/// A table in which a person has settled cards, by their places: the sets follow from them. Where the
/// fix is "" there is no card, and one that was added comes by a key of its own, with its corners.
function settled(table, fixes) {
  if (!Object.keys(fixes).length) return table;
  const sure = { confidence: 1, unsure: false, isFixed: true };
  const added = Object.entries(fixes).filter(([key]) => key.startsWith("+"));
  const cards = [
    ...table.cards.map((card, key) => ({ ...card, key, ...fixes[key] ? { code: fixes[key], ...sure } : {} })),
    ...added.map(([key, card]) => ({ ...card, key, alternatives: [], ...sure })),
  ].filter(({ key }) => fixes[key] !== "");
  const places = new Map(cards.map(({ key }, i) => [key, i]));
  const known = cards.flatMap((card, i) => (card.unsure ? [] : [i]));
  const sets = setsAmong(known.map((i) => cards[i].code)).map((set) => set.map((i) => known[i]));
  const probable_sets = table.probable_sets.filter((set) => !set.cards.some((i) => i in fixes)).map((set) => (
    { ...set, cards: set.cards.map((i) => places.get(i)), decided_by: places.get(set.decided_by) }));
  return { ...table, cards, sets, probable_sets, probable_sets_left_out: 0 };
}

/// The card that makes two a set.
function thirdOf(a, b) {
  return VALUES.map((values, i) => (a[i] === b[i] ? a[i] : [...values].find((one) => one !== a[i] && one !== b[i]))).join("");
}

/// A property's value, as a card that has it is called.
const valueName = (i, value) => [words.numbers[Number(value) - 1], words.shadings[value], words.colors[value], words.shapes[value]?.[1]][i];

/// Four lines that say why three cards are a set, or why not.
function whyLines(codes) {
  return html("ul", { class: "why" }, ...why(codes).map(({ values, kind }, i) => {
    const said = (kind === "alike" ? [values[0]] : values).map((value) => valueName(i, value)).join(", ");
    return html("li", { class: kind }, html("strong", {}, words.properties[i]), ` ${said} `, html("em", {}, words[`why-${kind}`]));
  }));
}
