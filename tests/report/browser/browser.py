"""Chromium through chromium-driver's WebDriver protocol, with the standard library only."""

import base64
import json
import pathlib
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request

SKIPPED = 77  # what ctest takes as "not run"


class Browser:
    """A headless browser, open while used as a context."""

    def __init__(self):
        self.driver = shutil.which("chromedriver")
        if not self.driver or not shutil.which("chromium"):
            print("skipped: chromium and chromium-driver are not installed (scripts/setup does)")
            sys.exit(SKIPPED)

    def __enter__(self):
        self.process = subprocess.Popen([self.driver, "--port=0"], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        for line in self.process.stdout:
            if "started successfully on port" in line:
                self.base = "http://127.0.0.1:" + line.split("port")[-1].strip(" .\n")
                break
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu",
                            "--disable-dev-shm-usage", "--window-size=1280,900",
                            "--hide-scrollbars"]}
        capabilities = {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options,
                                        "goog:loggingPrefs": {"browser": "ALL"}}}
        self.session = ""
        try:
            answer = self.call("POST", "/session", {"capabilities": capabilities})
        except RuntimeError as error:
            self.process.terminate()
            print("skipped: Chromium does not start here:", error)
            sys.exit(SKIPPED)
        self.session = "/session/" + answer["sessionId"]
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait()

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
