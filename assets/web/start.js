// How everything begins.

// Opens what the address asks for, and else the site's tree or the first example. Says what it cannot open.
async function openAddress() {
  const address = new URLSearchParams(location.hash.slice(1).replaceAll("+", "%2B"));
  const refusals = [];
  const ask = (refusal) => { if (refusal) refusals.push(refusal); };
  const site = JSON.parse(element("site").textContent);
  const { example, lesson, policy, keys } = Object.fromEntries(address);
  for (const word of address.keys()) {
    if (!["example", "lesson", "policy", "keys"].includes(word)) {
      ask(`The address asks for ${word.slice(0, 40)}, which is unknown (example, lesson, policy, keys).`);
    }
  }
  if (policy) ask(explorer.set_policy(policy));
  if (lesson) ask(tell(() => explorer.open_lesson(lesson)));
  else if (example) ask(tell(() => explorer.open_example(example)));
  else if (site) ask(await openSite(site));
  if (!explorer.is_open()) ask(tell(() => explorer.open_first()));
  if (keys) ask(tell(() => explorer.play(keys)));
  if (refusals.length > 0) say(refusals.join(" "));
}

// Listens to the page.
function listen() {
  document.addEventListener("keydown", onKey);
  document.addEventListener("paste", (event) => {
    event.preventDefault();
    const pasted = [...event.clipboardData.files].map((file) => [file.name, file]);
    if (pasted.length > 0) open(pasted);
    else paste(event.clipboardData.getData("text/plain"));
  });
  document.addEventListener("copy", onCopy);
  screen.addEventListener("mousedown", onPress);
  screen.addEventListener("mousemove", onMouseMove);
  document.addEventListener("mouseup", onRelease);
  screen.addEventListener("click", onClick);
  screen.addEventListener("wheel", onWheel, { passive: false });
  screen.addEventListener("touchstart", onTouchStart, { passive: true });
  screen.addEventListener("touchmove", onTouchMove, { passive: false });
  screen.addEventListener("touchend", onTouchEnd);
  typing.addEventListener("input", onTyped);
  typing.addEventListener("compositionend", onTyped);
  showNotes.addEventListener("click", toggleNotes);
  showKeys.addEventListener("click", () => toggleKeys(keys.hidden));
  document.addEventListener("dragover", onDrag);
  document.addEventListener("dragleave", onDrag);
  document.addEventListener("drop", onDrop);
  chooser.addEventListener("change", () => {
    open([...chooser.files].map((file) => [file.name, file]));
    chooser.value = "";
  });
  chooser.addEventListener("cancel", returnFromBar);
  bar.addEventListener("click", () => setTimeout(returnFromBar));
  screen.addEventListener("focus", onEntered);
  screen.addEventListener("blur", () => stage.classList.remove("entered"));
  screen.addEventListener("pointerdown", () => stage.classList.remove("entered"));
  keeps.addEventListener("change", onKeeps);
  addEventListener("beforeunload", (event) => {
    if (!isOver && explorer.is_unsaved() && !isKept()) event.preventDefault();
  });
  // A page that is hidden may never be seen again.
  document.addEventListener("visibilitychange", () => { if (document.hidden) keep(); });
  addEventListener("hashchange", openAddress);
  addEventListener("storage", onStored);
  for (const wish of [isDark, isStrong]) {
    wish.addEventListener("change", () => tell(() => explorer.set_theme(themeName())));
  }
  new ResizeObserver(fit).observe(screen);
  for (const change of ["resize", "scroll"]) visualViewport.addEventListener(change, fitWindow);
}

// Starts the explorer, opens what is asked for, and listens.
async function main() {
  bar.inert = true;
  keys.inert = true;
  if (!canRun) {
    notify("This page is a program for WebAssembly, which this browser does not run. A newer browser does.");
    return;
  }
  anew.addEventListener("click", () => location.reload());
  addKeys();
  addNotes();
  fitWindow();
  try {
    module = await startModule();
  } catch (error) {
    notify(`The explorer does not start in this browser (${error?.message ?? error}). A newer browser may start it.`);
    return;
  }
  size = room();
  explorer = new wasm_bindgen.PageExplorer(size.columns, size.lines, themeName());
  addEventListener("error", (event) => { if (event.error) fail(event.error); });
  addEventListener("unhandledrejection", (event) => fail(event.reason));
  await openAddress();
  notice.hidden = !isOver;
  bar.inert = isOver;
  keys.inert = isOver;
  await recall();
  listen();
  screen.focus();
}

main();
