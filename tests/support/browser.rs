//! A real browser without a window, told what to do over a pipe: the DevTools protocol, messages that end in NUL.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// The names of browsers that speak the protocol.
const NAMES: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// How long a browser that says nothing is waited for before the test gives up.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running browser with one open page.
pub(crate) struct Browser {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    session: Option<String>,
    last: u64,
    /// What the browser complained of: errors of scripts, refused resources, warnings on its console.
    pub(crate) complaints: Vec<String>,
    /// The addresses that the browser asked for.
    pub(crate) requests: Vec<String>,
    /// How many files were downloaded.
    downloads: usize,
    /// The profile, which is removed at the end.
    _profile: tempfile::TempDir,
}

/// Returns the browser that is installed, or says that a test passes over it.
pub(crate) fn installed() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let mut places = NAMES
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let found = places.find(|place| place.is_file());
    if found.is_none() {
        println!("passed over: none of {} is installed", NAMES.join(", "));
    }
    found
}

impl Browser {
    /// Starts a browser and opens an empty page.
    pub(crate) fn start(program: &Path) -> Self {
        let profile = tempfile::tempdir().unwrap();
        // The browser reads commands from descriptor 3 and answers on 4.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 >/dev/null </dev/null"])
            .arg(program)
            .args([
                "--headless",
                "--remote-debugging-pipe",
                // As root, as in a container, it would not start otherwise.
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
                "--no-first-run",
                "--hide-scrollbars",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            for message in output.split(0) {
                let Ok(message) = message else { return };
                let Ok(message) = serde_json::from_slice(&message) else {
                    return;
                };
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let mut browser = Self {
            child,
            input,
            messages,
            session: None,
            last: 0,
            complaints: Vec::new(),
            requests: Vec::new(),
            downloads: 0,
            _profile: profile,
        };
        let made = browser.call("Target.createTarget", &json!({"url": "about:blank"}));
        let target = json!({"targetId": made["targetId"], "flatten": true});
        let attached = browser.call("Target.attachToTarget", &target);
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), &json!({}));
        }
        browser
    }

    /// Gives a command and returns its result.
    #[track_caller]
    pub(crate) fn call(&mut self, method: &str, arguments: &Value) -> Value {
        self.last += 1;
        let id = self.last;
        let mut message = json!({"id": id, "method": method, "params": arguments});
        if let Some(session) = &self.session {
            message["sessionId"] = session.clone().into();
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.input.write_all(&bytes).unwrap();
        self.input.flush().unwrap();
        let answer = self.wait(|message| message["id"] == id);
        assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
        answer["result"].clone()
    }

    /// Waits for a message, and notes the complaints before it.
    #[track_caller]
    fn wait(&mut self, is_awaited: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.messages.recv_timeout(PATIENCE);
            let message = message.expect("the browser answers");
            let told = &message["params"];
            match message["method"].as_str() {
                Some("Log.entryAdded") => self.complaints.push(told["entry"].to_string()),
                Some("Runtime.exceptionThrown" | "Runtime.consoleAPICalled") => {
                    self.complaints.push(told.to_string());
                }
                Some("Network.requestWillBeSent") => {
                    let address = told["request"]["url"].as_str().unwrap();
                    self.requests.push(address.to_owned());
                }
                Some("Browser.downloadProgress") if told["state"] == "completed" => {
                    self.downloads += 1;
                }
                _ => {}
            }
            if is_awaited(&message) {
                return message;
            }
        }
    }

    /// Opens a file and waits until it is loaded.
    #[track_caller]
    pub(crate) fn open(&mut self, file: &Path) {
        self.open_at(file, "");
    }

    /// Opens a file at a fragment of it and waits until it is loaded.
    #[track_caller]
    pub(crate) fn open_at(&mut self, file: &Path, fragment: &str) {
        // The same file at another fragment would not be loaded again.
        self.call("Page.navigate", &json!({"url": "about:blank"}));
        self.wait(|message| message["method"] == "Page.loadEventFired");
        let address = format!("file://{}{fragment}", file.display());
        let opened = self.call("Page.navigate", &json!({ "url": address }));
        assert!(opened["errorText"].is_null(), "{opened}");
        self.wait(|message| message["method"] == "Page.loadEventFired");
    }

    /// Evaluates an expression in the page and returns its value.
    #[track_caller]
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let asked = json!({"expression": expression, "returnByValue": true, "userGesture": true});
        let answer = self.call("Runtime.evaluate", &asked);
        assert!(answer["exceptionDetails"].is_null(), "{answer}");
        answer["result"]["value"].clone()
    }

    /// Waits until an expression in the page holds.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, expression: &str) {
        let promise = format!(
            "new Promise((done) => {{ const look = () => ({expression}) ? done() : setTimeout(look, 10); look(); }})"
        );
        let asked = json!({"expression": promise, "awaitPromise": true});
        let answer = self.call("Runtime.evaluate", &asked);
        assert!(answer["exceptionDetails"].is_null(), "{answer}");
    }

    /// Has downloads go to a folder.
    pub(crate) fn download_to(&mut self, folder: &Path) {
        let to = json!({"behavior": "allow", "downloadPath": folder, "eventsEnabled": true});
        self.call("Browser.setDownloadBehavior", &to);
    }

    /// Waits until so many files were downloaded.
    #[track_caller]
    pub(crate) fn wait_for_downloads(&mut self, count: usize) {
        while self.downloads < count {
            self.wait(|message| message["method"] == "Browser.downloadProgress");
        }
    }

    /// Sets the size of the window and whether it is dark.
    pub(crate) fn look(&mut self, width: u32, height: u32, scheme: &str) {
        self.call(
            "Emulation.setDeviceMetricsOverride",
            &json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}),
        );
        self.call(
            "Emulation.setEmulatedMedia",
            &json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]}),
        );
    }

    /// Lays the page out as on a sheet of paper of this width between its margins, in pixels of 1/96 inch.
    pub(crate) fn lay_on_paper(&mut self, width: u32) {
        self.look(width, 1000, "dark");
        let media = json!({"media": "print", "features": [{"name": "prefers-color-scheme", "value": "dark"}]});
        self.call("Emulation.setEmulatedMedia", &media);
    }

    /// Prints the page on paper of this size in inches, and returns the document as PDF.
    pub(crate) fn printed(&mut self, width: f64, height: f64) -> Vec<u8> {
        use base64::Engine as _;
        let asked = json!({"paperWidth": width, "paperHeight": height});
        let printed = self.call("Page.printToPDF", &asked);
        let text = printed["data"].as_str().unwrap();
        base64::engine::general_purpose::STANDARD
            .decode(text)
            .unwrap()
    }

    /// Returns the page as a picture in PNG.
    pub(crate) fn picture(&mut self) -> Vec<u8> {
        use base64::Engine as _;
        let asked = json!({"format": "png", "captureBeyondViewport": true});
        let taken = self.call("Page.captureScreenshot", &asked);
        let text = taken["data"].as_str().unwrap();
        base64::engine::general_purpose::STANDARD
            .decode(text)
            .unwrap()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Nothing is left to do about a browser that is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
