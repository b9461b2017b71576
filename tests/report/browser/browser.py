"""Chromium through chromium-driver's WebDriver protocol, with the standard library only."""

import base64
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

SKIPPED = 77  # what ctest takes as "not run"


def skip(reason):
    print("skipped:", reason)
    sys.exit(SKIPPED)


def said(stream, words):
    """What follows these words in the output of a program."""
    for line in stream:
        if words in line:
            return line.split(words)[-1]
    raise RuntimeError(f"it ended before it said '{words}'")


ARGUMENTS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--window-size=1280,900", "--hide-scrollbars",
             "--remote-debugging-port=0", "about:blank"]


class Browser:
    """A headless browser, open while used as a context.

    Chromium is started here, not by its driver: that would look for it at "localhost", a name that
    a machine without /etc/hosts does not know.
    """

    def __init__(self):
        for program in ("chromium", "chromedriver"):
            if not shutil.which(program):
                skip(f"{program} is not installed (scripts/setup does)")

    def __enter__(self):
        self.processes, self.session = [], ""
        self.profile = tempfile.TemporaryDirectory(prefix="hone-browser-",
                                                   ignore_cleanup_errors=True)
        try:
            chromium = self.start(["chromium", f"--user-data-dir={self.profile.name}", *ARGUMENTS])
            address = said(chromium.stderr, "DevTools listening on ws://").split("/")[0]
            threading.Thread(target=chromium.stderr.read, daemon=True).start()
            driver = self.start(["chromedriver", "--port=0"])
            port = said(driver.stdout, "started successfully on port").strip(" .\n")
            self.base = f"http://127.0.0.1:{port}"
            capabilities = {"browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL"},
                            "goog:chromeOptions": {"debuggerAddress": address}}
            answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        except RuntimeError as error:
            self.stop()
            skip(f"Chromium does not start here: {error}")
        self.session = "/session/" + answer["sessionId"]
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", "")
        finally:
            self.stop()

    def start(self, command):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        self.processes.append(process)
        return process

    def stop(self):
        for process in reversed(self.processes):
            process.terminate()
            process.wait()
        self.profile.cleanup()

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + self.session + path, data, method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()) from error

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def devtools(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def size(self, width, height, phone=False):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height,
                      deviceScaleFactor=2 if phone else 1, mobile=phone)

    def color_scheme(self, value):
        self.devtools("Emulation.setEmulatedMedia",
                      features=[{"name": "prefers-color-scheme", "value": value}])

    def screenshot(self, file):
        """The whole page, not only what a window shows."""
        picture = self.devtools("Page.captureScreenshot", captureBeyondViewport=True)
        pathlib.Path(file).parent.mkdir(parents=True, exist_ok=True)
        pathlib.Path(file).write_bytes(base64.b64decode(picture["data"]))

    def whole_page(self, file, width, phone=False):
        self.size(width, 844 if phone else 900, phone)
        height = self.run("return Math.ceil(document.documentElement.scrollHeight)")
        self.size(width, min(height, 9000), phone)
        self.screenshot(file)
        self.size(width, 844 if phone else 900, phone)

    def pointer(self, x, y, press=False):
        actions = [{"type": "pointerMove", "duration": 0, "x": int(x), "y": int(y)}]
        if press:
            actions += [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse",
                                                    "actions": actions}]})

    def key(self, value):
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": [
            {"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]}]})

    def problems(self):
        """What the page complained about."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})
                if entry["level"] in ("SEVERE", "WARNING")]


def wait_for(condition, what, seconds=90):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.1)
    raise AssertionError("waited in vain for " + what)


def check(value, what):
    if not value:
        raise AssertionError(what)
    print("ok:", what)


def hone(program, *arguments, cwd):
    done = subprocess.run([program, *arguments], cwd=cwd, capture_output=True, text=True)
    check(done.returncode == 0, "hone " + " ".join(arguments[:2]) +
          ("" if done.returncode == 0 else "\n" + done.stderr))
    return done.stdout
