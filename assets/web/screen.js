// The screen: the rows of cells, their size, their colours, and what a screen reader hears.

const BETWEEN_RUNS = "\u001e";
const BETWEEN_FACTS = "\u001f";
const CLASSES = [[1, "bold"], [2, "dim"], [4, "italic"], [8, "underlined"], [256, "crossed"]];
const LEAST_WIDTH = 20;
const LEAST_HEIGHT = 5;
// A keyboard covers at least so many pixels of a window.
const KEYBOARD_HEIGHT = 120;
let rows = [];
let drawnAt = 0;
let size = null;
let cell = { width: 1, height: 1 };
let paper = "";

// Returns how many cells there is room for, and notes the size of one. Only then it is measured, for measuring takes long.
function room() {
  const box = probe.getBoundingClientRect();
  cell = { width: box.width / probe.textContent.length, height: box.height };
  return {
    columns: Math.max(LEAST_WIDTH, Math.min(500, Math.floor(screen.clientWidth / cell.width))),
    lines: Math.max(LEAST_HEIGHT, Math.min(200, Math.floor(screen.clientHeight / cell.height))),
  };
}

// Returns the cell at a place of the window.
function place({ clientX, clientY }) {
  const box = screen.getBoundingClientRect();
  return {
    column: Math.max(0, Math.floor((clientX - box.left) / cell.width)),
    row: Math.max(0, Math.floor((clientY - box.top) / cell.height)),
  };
}

// Returns the name of the theme that the system asks for.
function themeName() {
  if (isStrong.matches) return "high-contrast";
  return isDark.matches ? "dark" : "light";
}

// Returns the cells of a run. Characters of ASCII are as wide as their cells; others, and a ground, are held in them.
function drawnRun(run) {
  const [length, ink, ground, modifier, characters] = run.split(BETWEEN_FACTS);
  const isAscii = /^[ -~]*$/.test(characters);
  if (isAscii && !ink && !ground && modifier === "0") return characters;
  const span = document.createElement("span");
  span.textContent = characters;
  if (ink) span.style.color = ink;
  if (ground) span.style.backgroundColor = ground;
  if (ground || !isAscii) {
    span.className = "held";
    span.style.width = `calc(${length} * var(--cell))`;
  }
  for (const [bit, name] of CLASSES) {
    if (Number(modifier) & bit) span.classList.add(name);
  }
  return span;
}

// Gives the page the colours of the explorer's theme, and what the browser draws itself those that fit.
function drawPaper() {
  const [ink, ground] = [explorer.ink(), explorer.ground()];
  if (paper === ink + ground) return;
  paper = ink + ground;
  const root = document.documentElement;
  root.style.setProperty("--ink", ink);
  root.style.setProperty("--ground", ground);
  const light = /^#[0-9a-f]{6}$/i.test(ground) ? parseInt(ground.slice(3, 5), 16) : 0;
  root.style.colorScheme = light < 128 ? "dark" : "light";
}

// Returns a row of the screen, which a screen reader does not read: it hears what is spoken.
function emptyRow() {
  const row = document.createElement("div");
  row.setAttribute("aria-hidden", "true");
  return row;
}

// Tells a screen reader what there is, unless it heard that.
function speak() {
  const words = explorer.spoken();
  if (spoken.textContent !== words) spoken.textContent = words;
}

// Draws the rows that are no longer what they were, so that a selection of the others stays.
function draw() {
  drawPaper();
  const texts = explorer.frame().split("\n");
  while (screen.children.length > texts.length) screen.lastChild.remove();
  while (screen.children.length < texts.length) screen.append(emptyRow());
  texts.forEach((text, row) => {
    if (rows[row] !== text) screen.children[row].replaceChildren(...text.split(BETWEEN_RUNS).map(drawnRun));
  });
  rows = texts;
  drawnAt = performance.now();
  const at = explorer.cursor();
  cursor.hidden = !at;
  if (at) {
    cursor.style.transform = `translate(${at[0] * cell.width}px, ${at[1] * cell.height}px)`;
    typing.style.transform = cursor.style.transform;
  }
}

// Fits the page into what a keyboard leaves of the window. A page that fingers enlarged is not changed.
function fitWindow() {
  const { scale, height, offsetTop } = visualViewport;
  const isEnlarged = scale > 1.01;
  const left = Math.round(height * scale);
  document.body.classList.toggle("enlarged", isEnlarged);
  document.body.classList.toggle("covered", innerHeight - left > KEYBOARD_HEIGHT);
  document.body.style.height = `${left}px`;
  document.body.style.top = isEnlarged ? "0" : `${offsetTop}px`;
}

// Gives the explorer as many cells as there is room for.
function fit() {
  const { columns, lines } = room();
  if (columns === size.columns && lines === size.lines) return;
  size = { columns, lines };
  tell(() => explorer.resize(columns, lines));
}
