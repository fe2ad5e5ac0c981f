// The mouse, its wheel and fingers, and text that is selected with them.

// How many rows a turn of the wheel scrolls.
const ROWS_OF_TURN = 3;
// How many columns of cells a finger moves for one column of the tree.
const CELLS_OF_COLUMN = 6;
// How far a finger moves before it swipes, in pixels, and how soon after a tap another makes it a double one.
const SLOP = 8;
const DOUBLE_WITHIN = 400;
let turned = 0;
let finger = null;
let mouse = null;
let lastTap = { time: -Infinity, column: 0, row: 0 };

// Returns whether a tap or a click is the second one at its place.
function isDouble(event, { column, row }) {
  const since = event.timeStamp - lastTap.time;
  const isNear = Math.abs(column - lastTap.column) <= 2 && row === lastTap.row;
  const isSecond = event.detail === 2 || (since < DOUBLE_WITHIN && isNear);
  lastTap = { time: isSecond ? -Infinity : event.timeStamp, column, row };
  return isSecond;
}

// Notes where the mouse is pressed. A second press selects no word, because it opens what it is on.
function onPress(event) {
  mouse = { x: event.clientX, y: event.clientY, does: null };
  if (event.detail > 1) event.preventDefault();
}

// Drags in a chart. Everywhere else a mouse that is dragged selects text.
function onMouseMove(event) {
  if (!mouse || (event.buttons & 1) === 0) return;
  if (Math.hypot(event.clientX - mouse.x, event.clientY - mouse.y) < SLOP / 2) return;
  if (mouse.does === null) {
    mouse.does = drags(place(event)) ? "drag" : "select";
    document.body.classList.toggle("dragging", mouse.does === "drag");
  } else if (mouse.does === "drag") {
    drags(place(event));
  }
}

function onRelease() {
  document.body.classList.remove("dragging");
}

// Returns the selected text of the screen: a line for each row, without the blanks at its end.
function selectedText() {
  const selected = getSelection().getRangeAt(0);
  const lines = [];
  for (const row of screen.children) {
    if (!selected.intersectsNode(row)) continue;
    const part = document.createRange();
    part.selectNodeContents(row);
    if (part.compareBoundaryPoints(Range.START_TO_START, selected) < 0) {
      part.setStart(selected.startContainer, selected.startOffset);
    }
    if (part.compareBoundaryPoints(Range.END_TO_END, selected) > 0) {
      part.setEnd(selected.endContainer, selected.endOffset);
    }
    if (!part.collapsed) lines.push(part.toString().trimEnd());
  }
  return lines.join("\n");
}

function onCopy(event) {
  const isOfField = event.target.tagName === "TEXTAREA" && event.target !== typing;
  if (isOfField || !isSelected()) return;
  event.clipboardData.setData("text/plain", selectedText());
  event.preventDefault();
}

function onClick(event) {
  if (mouse?.does === "drag" || (mouse?.does === "select" && isSelected())) return;
  const at = place(event);
  const { column, row } = at;
  if (isDouble(event, at)) {
    getSelection().removeAllRanges();
    tell(() => explorer.mouse("double", column, row, modifiers(event)));
  } else {
    tell(() => {
      explorer.mouse("down", column, row, modifiers(event));
      explorer.mouse("up", column, row, modifiers(event));
    });
  }
  // A keyboard that was put away comes back with a tap.
  if (document.activeElement === typing && !document.body.classList.contains("covered")) {
    typing.blur();
    typing.focus({ preventScroll: true });
  }
}

// Turns the wheel at a cell by so many pixels, down if that is more than zero.
function scroll(distance, { column, row }, held) {
  turned += distance / (cell.height * ROWS_OF_TURN);
  const kind = turned < 0 ? "wheel-up" : "wheel-down";
  const count = Math.floor(Math.abs(turned));
  if (count === 0) return;
  turned -= Math.sign(turned) * count;
  tell(() => {
    for (let turn = 0; turn < Math.min(20, count); turn += 1) explorer.mouse(kind, column, row, held);
  });
}

function onWheel(event) {
  if (event.ctrlKey) return;
  event.preventDefault();
  const pixels = [1, cell.height, screen.clientHeight][event.deltaMode];
  scroll(event.deltaY * pixels, place(event), modifiers(event));
}

// Drags at a cell. Returns whether that changed the screen: only a chart has something to drag.
function drags({ column, row }) {
  const before = rows;
  tell(() => explorer.mouse("drag", column, row, 0));
  return rows.some((text, place) => text !== before[place]);
}

function onTouchStart(event) {
  const [touch] = event.touches;
  turned = 0;
  finger = event.touches.length === 1
    ? { x: touch.clientX, y: touch.clientY, at: place(touch), does: null, speed: 0, time: event.timeStamp }
    : null;
}

// Returns what a finger does that moved so far: it scrolls, moves the columns or drags.
function swipe(touch) {
  const [across, down] = [Math.abs(touch.clientX - finger.x), Math.abs(touch.clientY - finger.y)];
  if (Math.max(across, down) < SLOP) return null;
  if (down >= across) return "scroll";
  return drags(place(touch)) ? "drag" : "columns";
}

// Shows the columns to the right of those shown, or to the left, for each few cells that a finger moved.
function moveColumns(touch) {
  const steps = Math.trunc((finger.x - touch.clientX) / (cell.width * CELLS_OF_COLUMN));
  if (steps === 0 || explorer.is_typing()) return;
  finger.x = touch.clientX;
  tell(() => explorer.key(steps > 0 ? "ArrowRight" : "ArrowLeft", 1));
}

function onTouchMove(event) {
  if (!finger || document.body.classList.contains("enlarged")) return;
  if (event.cancelable) event.preventDefault();
  const [touch] = event.touches;
  finger.does ??= swipe(touch);
  if (finger.does === "scroll") {
    const distance = finger.y - touch.clientY;
    finger.speed = distance / Math.max(1, event.timeStamp - finger.time);
    finger.y = touch.clientY;
    scroll(distance, finger.at, 0);
  } else if (finger.does === "columns") {
    moveColumns(touch);
  } else if (finger.does === "drag") {
    drags(place(touch));
  }
  finger.time = event.timeStamp;
}

// Lets a swipe run on as long as its speed lasts, unless the finger rested or another one begins.
function onTouchEnd(event) {
  const thrown = finger;
  if (thrown?.does !== "scroll" || event.timeStamp - thrown.time > 60) return;
  let time = performance.now();
  const roll = (now) => {
    const since = now - time;
    time = now;
    if (finger !== thrown || Math.abs(thrown.speed) < 0.1) return;
    scroll(thrown.speed * since, thrown.at, 0);
    thrown.speed *= 0.997 ** since;
    requestAnimationFrame(roll);
  };
  requestAnimationFrame(roll);
}
