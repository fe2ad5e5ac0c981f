// What the browser keeps for another page, where the reader says so.

// The name of what the page keeps in the browser.
const STORE = "fairscope";
const packed = new WeakMap();
let kept = "";
let isKeeping = false;

// Returns a file packed and as text. A file that was packed is not read again.
async function packedFile(file) {
  if (!packed.has(file)) {
    const bytes = await wholeOf(through(await file.arrayBuffer(), new CompressionStream("gzip")));
    packed.set(file, textOf(bytes));
  }
  return packed.get(file);
}

// Returns what tells whether something is to be kept again.
const stateOf = () => `${explorer.changes()} ${explorer.memory()}`;

// Keeps in the browser what is to survive this page: edits with their files, marks, columns and finished lessons.
async function keep() {
  const state = stateOf();
  if (state === kept || isKeeping || isOver) return;
  isKeeping = true;
  try {
    const drafts = explorer.drafts();
    const held = [];
    for (const [path, file] of drafts.length > 0 ? files : []) {
      held.push({ path, modified: file.lastModified / 1000, gzip: await packedFile(file) });
    }
    const now = new Date();
    const when = `${now.toLocaleDateString("sv")} ${clockTime(now).slice(0, 5)}`;
    localStorage.setItem(STORE, JSON.stringify({ memory: explorer.memory(), drafts, when, files: held }));
    kept = state;
  } catch (error) {
    say(error?.name === "NotReadableError" || error?.name === "NotFoundError"
      ? "The browser cannot read the files of your edits again, so the edits are not kept. w saves them as a file."
      : "This browser has no room for your edits and their files: they are not kept. w saves them as a file.");
  }
  isKeeping = false;
}

// Leaves the keeping to another page that kept something: each would overwrite what the other keeps.
function onStored(event) {
  if (event.key !== STORE || !keeps.checked) return;
  keeps.checked = false;
  clearTimeout(keeper);
  say(event.newValue === null
    ? "Another tab with this page ended the keeping: nothing is kept in this browser."
    : "Another tab with this page keeps its edits now, so this one keeps none. w saves them as a file.");
}

// Gives the explorer what an earlier page kept.
async function recall() {
  let text = null;
  try {
    text = localStorage.getItem(STORE);
  } catch {
    forbidKeeping();
  }
  if (text === null) return;
  keeps.checked = true;
  try {
    const { memory, drafts, when, files: held } = JSON.parse(text);
    for (const { path, modified, gzip } of held) {
      const bytes = await wholeOf(unpacked(gzip));
      files.set(path, new File([bytes], path, { lastModified: modified * 1000 }));
      explorer.hold(path, bytes, modified);
    }
    explorer.remember(memory);
    tell(() => explorer.offer_drafts(drafts, when));
    kept = stateOf();
  } catch {
    say("What this browser kept cannot be read, so it is not used.");
  }
}

function forbidKeeping() {
  keeps.checked = false;
  keeps.disabled = true;
  keeps.parentElement.title = "This browser forbids pages to keep anything.";
}

// Keeps edits from now on, or forgets what was kept.
function onKeeps() {
  kept = "";
  try {
    if (keeps.checked) {
      keep();
      say("Edits, their files, marks and finished lessons are kept in this browser until you untick the box.");
    } else {
      localStorage.removeItem(STORE);
      say("Nothing is kept in this browser.");
    }
  } catch {
    forbidKeeping();
    say("This browser forbids pages to keep anything. w saves edits as a file.");
  }
}
