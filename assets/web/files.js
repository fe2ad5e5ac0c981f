// Files that are opened: chosen, dropped, pasted, or put into the page by a site.

// How many files a page takes at once, and what it says of more. A folder of more is hardly one tree.
const MOST_FILES = 200;
const TOO_MANY = `These are more than ${MOST_FILES} files, too many for a page. Open the folder in the terminal with `
  + "fairscope.";
const files = new Map();
// The folders that have files already.
const folders = new Set();
let pastes = 0;

// Adds the files of a folder that was dropped to those that were found, each with its path, until they are too many.
async function findIn(folder, path, found) {
  for await (const inner of folder.values()) {
    if (found.length > MOST_FILES) return;
    if (inner.kind === "directory") await findIn(inner, `${path}/${inner.name}`, found);
    else found.push([`${path}/${inner.name}`, await inner.getFile()]);
  }
}

// Does the same in a browser that knows folders by an older name.
async function findInEntry(folder, found) {
  const reader = folder.createReader();
  for (;;) {
    const entries = await new Promise((resolve, reject) => { reader.readEntries(resolve, reject); });
    if (entries.length === 0) return;
    for (const inner of entries) {
      if (found.length > MOST_FILES) return;
      if (inner.isDirectory) await findInEntry(inner, found);
      else found.push([inner.fullPath.slice(1), await new Promise((done, reject) => { inner.file(done, reject); })]);
    }
  }
}

// Returns paths for files that are given together. They get a folder that no other files have, for those in one folder are
// read together.
function pathsOf(given) {
  const names = given.map(([name]) => name);
  const [first] = names[0].split("/");
  const isFolder = names.every((name) => name.startsWith(`${first}/`));
  let folder = isFolder ? first : "files-1";
  for (let number = 2; folders.has(folder); number += 1) folder = `${isFolder ? first : "files"}-${number}`;
  folders.add(folder);
  return names.map((name) => `${folder}/${isFolder ? name.slice(first.length + 1) : name}`);
}

// Returns why files are not opened together; undefined if they are.
function refusalOf(given) {
  if (given.length > MOST_FILES) return TOO_MANY;
  let size = 0;
  for (const [name, file] of given) {
    const refusal = wasm_bindgen.PageExplorer.refusal(name, file.size);
    if (refusal) return refusal;
    size += file.size;
  }
  return wasm_bindgen.PageExplorer.refusal("The selection", size);
}

// Opens files, each with its name, as one tree. All are read before the explorer gets any.
async function open(given) {
  if (given.length === 0 || isOver) return;
  const refusal = refusalOf(given);
  if (refusal) {
    say(refusal);
    return;
  }
  const paths = pathsOf(given);
  say(given.length === 1 ? "Reading 1 file …" : `Reading ${given.length} files …`);
  const read = [];
  for (const [name, file] of given) {
    try {
      read.push(new Uint8Array(await file.arrayBuffer()));
    } catch {
      say(`The browser cannot read ${name}. Choose it again.`);
      return;
    }
  }
  for (const [place, [, file]] of given.entries()) {
    explorer.give(paths[place], read[place], file.lastModified / 1000);
    files.set(paths[place], file);
  }
  say("These files are read in this page and sent nowhere.");
  tell(() => explorer.open());
  screen.focus();
}

// Types a text where text is being typed, and opens it as a file otherwise.
function paste(text) {
  if (!text) return;
  if (explorer.is_typing()) {
    tell(() => explorer.paste(text));
    return;
  }
  pastes += 1;
  const name = `pasted-${pastes}.txt`;
  open([[name, new File([text], name)]]);
}

// Returns the address that a site leads back to; null if it is none of a page.
function addressOf(link) {
  try {
    const address = new URL(link, location);
    return ["http:", "https:", "file:"].includes(address.protocol) ? address.href : null;
  } catch {
    return null;
  }
}

// Opens the tree that a site put into the page. Returns why it cannot.
async function openSite(site) {
  for (const { path, modified, gzip } of site.files) {
    folders.add(path.split("/")[0]);
    explorer.hold(path, await wholeOf(unpacked(gzip)), modified);
  }
  document.title = plain(site.title);
  title.hidden = false;
  title.textContent = plain(site.title);
  const address = site.link ? addressOf(site.link) : null;
  if (address) {
    const link = document.createElement("a");
    link.href = address;
    link.rel = "noreferrer";
    link.textContent = "back";
    title.append(" ", link);
  }
  return tell(() => explorer.open_site(JSON.stringify(site)));
}

async function onDrop(event) {
  if (!hasFiles(event)) return;
  event.preventDefault();
  drop.hidden = true;
  const found = [];
  const folders = [];
  // What was dropped can be asked for only now, before anything is waited for.
  for (const item of event.dataTransfer.items) {
    const entry = item.kind === "file" ? item.webkitGetAsEntry() : null;
    if (entry?.isDirectory) folders.push({ entry, handle: item.getAsFileSystemHandle?.() });
    else if (entry) found.push([entry.name, item.getAsFile()]);
  }
  try {
    const handles = await Promise.all(folders.map(({ handle }) => handle));
    for (const [place, { entry }] of folders.entries()) {
      const handle = handles[place];
      await (handle ? findIn(handle, handle.name, found) : findInEntry(entry, found));
    }
  } catch {
    say("This browser cannot read a folder that is dropped here. Open its files instead.");
    return;
  }
  await open(found);
}

const hasFiles = (event) => event.dataTransfer.types.includes("Files");

// Shows that files can be dropped, until they leave the window.
function onDrag(event) {
  if (!hasFiles(event)) return;
  event.preventDefault();
  drop.hidden = event.type === "dragleave" && !event.relatedTarget;
}
