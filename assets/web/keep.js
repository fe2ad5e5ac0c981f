// What the browser keeps for another page, where the reader says so.

// The name of what this page keeps in the browser. Pages of other sites at one address keep their own.
const STORE = `fairscope ${location.pathname}`;
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
const stateOf = () => `${explorer.changes()} ${explorer.has_quit()} ${explorer.memory()}`;

// Returns whether the browser keeps all that is there.
const isKept = () => keeps.checked && !isKeeping && stateOf() === kept;

// Returns the files that drafts are about, by their paths: those in the folders that a draft names.
function filesOf(drafts) {
  return [...files].filter(([path]) => drafts.some((draft) => draft.includes(`/${path.split("/")[0]}`)));
}

// Says why nothing is kept.
function sayUnkept(error) {
  if (error?.name === "QuotaExceededError") {
    say("This browser has no room for your edits and their files: they are not kept. w saves them as a file.");
  } else if (error?.name === "NotReadableError" || error?.name === "NotFoundError") {
    say("The browser cannot read the files of your edits again, so the edits are not kept. w saves them as a file.");
  } else {
    forbidKeeping();
    say("This browser forbids pages to keep anything. w saves edits as a file.");
  }
}

// Keeps in the browser what is to survive this page: edits with their files, marks, columns and finished lessons. Returns
// whether it is kept.
async function keep() {
  if (!keeps.checked || isKeeping || isOver || stateOf() === kept) return isKept();
  isKeeping = true;
  const [state, memory, drafts] = [stateOf(), explorer.memory(), explorer.drafts()];
  try {
    const held = [];
    for (const [path, file] of filesOf(drafts)) {
      held.push({ path, modified: file.lastModified / 1000, gzip: await packedFile(file) });
    }
    const now = new Date();
    const when = `${now.toLocaleDateString("sv")} ${clockTime(now).slice(0, 5)}`;
    // It may have been forbidden meanwhile.
    if (keeps.checked) {
      localStorage.setItem(STORE, JSON.stringify({ memory, drafts, when, files: held }));
      kept = state;
    }
  } catch (error) {
    isKeeping = false;
    sayUnkept(error);
    return false;
  }
  isKeeping = false;
  // What changed meanwhile is kept next.
  if (keeps.checked && stateOf() !== kept) keeper = setTimeout(keep, KEPT_AFTER);
  return keeps.checked;
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
  isKeeping = true;
  keeps.checked = true;
  try {
    const { memory, drafts, when, files: held } = JSON.parse(text);
    for (const { path, modified, gzip } of held) {
      const bytes = await wholeOf(unpacked(gzip));
      files.set(path, new File([bytes], path, { lastModified: modified * 1000 }));
      folders.add(path.split("/")[0]);
      explorer.hold(path, bytes, modified);
    }
    explorer.remember(memory);
    tell(() => explorer.offer_drafts(drafts, when));
    kept = stateOf();
  } catch {
    say("What this browser kept cannot be read, so it is not used.");
  }
  isKeeping = false;
}

function forbidKeeping() {
  keeps.checked = false;
  keeps.disabled = true;
  keeps.parentElement.title = "This browser forbids pages to keep anything.";
}

// Keeps edits from now on, or forgets what was kept.
async function onKeeps() {
  kept = "";
  clearTimeout(keeper);
  if (keeps.checked) {
    if (await keep()) say("Edits, their files, marks and finished lessons are kept in this browser until you untick the box.");
    return;
  }
  try {
    localStorage.removeItem(STORE);
    say("Nothing is kept in this browser.");
  } catch (error) {
    sayUnkept(error);
  }
}
