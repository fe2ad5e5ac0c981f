// Keys, text that is typed, and the bar of keys for fingers.

const KEYS = new Set([
  "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End", "Delete", "Backspace", "Enter",
  "Tab", "Escape", "F1", "F2",
]);
// The letters that the explorer takes with ctrl: on its screens, and where text is typed. All others are the browser's.
const CONTROLS = new Set("bcdfnruz");
const TYPING_CONTROLS = new Set("abcdefhknpruwz");
// The letters that a browser keeps with ctrl, so that alt stands for it. On a Mac the browser keeps them with another key.
const ALTERNATIVES = new Set("nw");
const IS_MAC = /^(Mac|iP)/.test(navigator.platform);
// What differs from the explorer of a terminal.
const RELOAD_NOTE = "F5 does nothing, so that no edit is lost. R finds nothing new: choose a file that changed again.";
const NOTES = [
  "F6 leaves the explorer for the bar, where tab goes on, and comes back.",
  IS_MAC ? "" : "alt-n is ctrl-n (next tree) and alt-w is ctrl-w (delete a word): a browser keeps these for itself.",
  "ctrl-c copies the selected text and quits nothing; q quits.",
  RELOAD_NOTE,
  "Saved files are downloads.",
];
// Keys for fingers: what a button shows, the key, and its name where that is not shown.
const KEY_ROWS = [
  [
    ["esc", "Escape"], ["↑", "ArrowUp", "up"], ["↓", "ArrowDown", "down"], ["←", "ArrowLeft", "left"],
    ["→", "ArrowRight", "right"], ["⏎", "Enter", "enter"], ["space", " "], ["tab", "Tab"],
    ["⌫", "Backspace", "backspace"],
  ],
  [
    ["? help", "?"], ["/ find", "/"], [": actions", ":"], ["e shares", "e"], ["u undo", "u"], ["y", "y"], ["n", "n"],
    ["1", "1"], ["2", "2"], ["3", "3"], ["4", "4"], ["5", "5"], ["$ columns", "$"], ["p policy", "p"], ["L lessons", "L"],
    ["w save", "w"],
  ],
];
// A phone's keyboard deletes only where there is text, so the field holds some.
const SEED = "    ";
let typed = SEED;
let wasTyping = false;
let callsKeyboard = false;

const modifiers = (event) => (event.shiftKey ? 1 : 0) + (event.ctrlKey ? 2 : 0) + (event.altKey ? 4 : 0);

// Returns whether text of the screen is selected.
function isSelected() {
  const selection = getSelection();
  return !selection.isCollapsed && selection.getRangeAt(0).intersectsNode(screen);
}

function seed() {
  typed = SEED;
  typing.value = SEED;
  typing.setSelectionRange(SEED.length, SEED.length);
}

// Types into a field while the explorer takes text, for a phone's keyboard and for characters that are composed.
function followTyping() {
  const isTyping = explorer.is_typing();
  if (isTyping !== wasTyping) seed();
  wasTyping = isTyping;
  const [left, entered] = isTyping || callsKeyboard ? [screen, typing] : [typing, screen];
  const active = document.activeElement;
  if ((active === left || active === document.body) && !isSelected()) entered.focus({ preventScroll: true });
}

// Presses the keys that change the field's text from what it was into what a keyboard or a composition made of it.
function onTyped(event) {
  const [before, after] = [Array.from(typed), Array.from(typing.value)];
  typed = typing.value;
  let same = 0;
  while (same < before.length && before[same] === after[same]) same += 1;
  const added = after.slice(same);
  if (before.length > same || added.length > 0) {
    tell(() => {
      for (let gone = before.length; gone > same; gone -= 1) explorer.key("Backspace", 0);
      for (const character of added) explorer.key(character === "\n" ? "Enter" : character, 0);
    });
  }
  const isOdd = typing.value.length < SEED.length || typing.value.length > 200;
  if (isOdd && !event.isComposing) seed();
}

// Leaves the explorer for the bar, or comes back to it.
function crossOver() {
  (isInExplorer(document.activeElement) ? chooser : screen).focus();
}

const isInExplorer = (element) => [screen, typing, document.body].includes(element);

// Gives the keys back to the explorer after a click on the bar. Who came there with a key stays.
function returnFromBar() {
  const active = document.activeElement;
  if (bar.contains(active) && !active.matches(":focus-visible")) screen.focus();
}

// Shows that the explorer was entered with a key.
function onEntered(event) {
  const from = event.relatedTarget;
  stage.classList.toggle("entered", !!from && !isInExplorer(from) && screen.matches(":focus-visible"));
}

function onKey(event) {
  if (isOver) return;
  if (event.key === "F6") {
    event.preventDefault();
    crossOver();
    return;
  }
  if (!isInExplorer(event.target)) return;
  if (event.isComposing || event.keyCode === 229 || event.metaKey) return;
  if (event.key === "F5" && modifiers(event) === 0) {
    event.preventDefault();
    say(RELOAD_NOTE);
    return;
  }
  const key = keyOf(event);
  if (key && tell(() => explorer.key(key.name, key.held))) event.preventDefault();
  if (key && event.target === typing) seed();
}

// Returns the key of the explorer, by its name and modifiers; null for a key that is the browser's.
function keyOf(event) {
  const name = event.key;
  const { ctrlKey, altKey, shiftKey } = event;
  // Some layouts compose characters with keys that count as ctrl and alt, and a Mac with one that counts as alt.
  const isComposed = event.getModifierState("AltGraph") || (ctrlKey && altKey) || (altKey && IS_MAC);
  if (!isCharacter(name)) return KEYS.has(name) && !altKey ? { name, held: modifiers(event) } : null;
  if (isComposed || !(ctrlKey || altKey)) return { name, held: 0 };
  if (shiftKey) return null;
  const letter = name.toLowerCase();
  if (altKey) return ALTERNATIVES.has(letter) ? { name: letter, held: 2 } : null;
  // Copying what is selected is the browser's, and a page is not left by who would copy.
  if (letter === "c") return isSelected() ? null : { name: "Escape", held: 0 };
  const isTaken = (explorer.is_typing() ? TYPING_CONTROLS : CONTROLS).has(letter);
  return isTaken ? { name: letter, held: 2 } : null;
}

// Returns whether a key is a character. One beyond the first 65,536 has two units.
const isCharacter = (name) => name.length === 1 || (name.length === 2 && name.codePointAt(0) > 0xffff);

// Returns a button that presses a key.
function keyButton([shown, name, spoken]) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = shown;
  if (spoken) button.setAttribute("aria-label", spoken);
  button.addEventListener("click", () => tell(() => explorer.key(name, 0)));
  return button;
}

// Returns a button that brings up a phone's keyboard for every other key.
function keyboardButton() {
  const button = keyButton(["abc", "", "abc, the keyboard"]);
  button.setAttribute("aria-pressed", "false");
  button.addEventListener("click", () => {
    callsKeyboard = !callsKeyboard;
    button.setAttribute("aria-pressed", String(callsKeyboard));
    followTyping();
  });
  return button;
}

// Shows what differs from the explorer of a terminal, or hides it.
function toggleNotes() {
  notes.hidden = !notes.hidden;
  showNotes.setAttribute("aria-expanded", String(!notes.hidden));
}

function addNotes() {
  for (const note of NOTES.filter((note) => note !== "")) {
    const line = document.createElement("p");
    line.textContent = note;
    notes.append(line);
  }
}

function addKeys() {
  for (const row of KEY_ROWS) {
    const group = document.createElement("div");
    group.append(...row.map(keyButton));
    keys.append(group);
  }
  keys.firstChild.children[6].after(keyboardButton());
  // A button that is pressed leaves the keyboard where it is.
  keys.addEventListener("mousedown", (event) => event.preventDefault());
  toggleKeys(matchMedia("(pointer: coarse)").matches);
}

function toggleKeys(isShown) {
  keys.hidden = !isShown;
  showKeys.setAttribute("aria-expanded", String(isShown));
}
