"""`hone watch` in Chromium while a run goes on: the page updates itself, and nothing else of the
machine can be read through it."""

import http.client
import pathlib
import subprocess
import sys
import tempfile

from browser import Browser, check, wait_for

program, screenshots = sys.argv[1], pathlib.Path(sys.argv[2])

# Waits for the test at its 700th simulation and before its 1,500th.
SIMULATOR = """
import json, os, random, sys, time
for line in sys.stdin:
    request = json.loads(line)
    while request["id"] >= 700 and not os.path.exists("go_on"): time.sleep(0.02)
    while request["id"] >= 1500 and not os.path.exists("finish"): time.sleep(0.02)
    draw = random.Random(request["seed"])
    x = [t + draw.gauss(0, 0.1) for t in request["theta"]]
    print(json.dumps({"id": request["id"], "x": x}), flush=True)
"""
PROBLEM = """
name = "live"
[simulator]
command = ["/usr/bin/python3", "simulate.py"]
[observation]
values = [0.3, 0.6]
[[parameters]]
name = "a"
prior = { kind = "uniform", low = 0, high = 1 }
[[parameters]]
name = "b"
prior = { kind = "uniform", low = 0, high = 1 }
[inference]
budget = 2000
max_epochs = 10
round_fraction = 0.3
"""


def ask(port, method, path, host=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.putrequest(method, path, skip_host=True)
    connection.putheader("Host", host or f"127.0.0.1:{port}")
    connection.endheaders()
    answer = connection.getresponse()
    return answer.status, answer.read()


def test_limits(port, token):
    check(ask(port, "GET", f"/{token}/")[0] == 200, "the page is there")
    check(ask(port, "GET", "/")[0] == 403, "not without its token")
    for path in ("/run.json", "/../run.json", "/%2e%2e/run.json", "//etc/passwd", "/report.html"):
        check(ask(port, "GET", f"/{token}{path}")[0] == 404, f"{path} is not")
    check(ask(port, "POST", f"/{token}/")[0] == 405, "nothing can be sent")
    check(ask(port, "GET", f"/{token}/", host="evil.example:80")[0] == 403,
          "another name is refused")
    status, _ = ask(port, "GET", "/" + "x" * 40000)
    check(status == 400, "a very long request is refused")


def test_live(directory, browser, address):
    revision = "return document.documentElement.dataset.revision"
    text = "return document.body.innerText"
    browser.open(address)
    wait_for(lambda: "Running" in browser.run(text), "a run that goes on")
    check(browser.run("return document.querySelector('#progress') !== null"), "progress is shown")
    first = browser.run(revision)
    (directory / "go_on").touch()
    wait_for(lambda: browser.run(revision) != first, "the page to update itself")
    wait_for(lambda: browser.run("return document.querySelectorAll('#rounds tbody tr').length") > 0,
             "the first round")
    check("Running" in browser.run(text), "rounds are shown while the run goes on")
    check(browser.run("return document.querySelectorAll('#training svg').length") > 0,
          "losses are shown while the run goes on")
    browser.screenshot(screenshots / "live.png")
    (directory / "finish").touch()
    wait_for(lambda: browser.run("return document.querySelectorAll('.panel').length") == 3,
             "the corner plot of the finished run")
    check("Running" not in browser.run(text), "the page says that the run is finished")
    problems = [p for p in browser.problems() if "503" not in p]
    check(problems == [], f"the console is empty: {problems}")


with tempfile.TemporaryDirectory() as scratch, Browser() as browser:
    directory = pathlib.Path(scratch)
    (directory / "simulate.py").write_text(SIMULATOR)
    (directory / "problem.toml").write_text(PROBLEM)
    run = subprocess.Popen([program, "run", "problem.toml", "-o", "run"], cwd=directory,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(lambda: (directory / "run" / "run.json").exists(), "the run's directory")
    watch = subprocess.Popen([program, "watch", "run", "--port", "0"], cwd=directory,
                             stdout=subprocess.PIPE, text=True)
    try:
        address = watch.stdout.readline().split(" is shown at ")[1].split()[0]
        port, token = address.removeprefix("http://127.0.0.1:").strip("/").split("/")
        test_limits(int(port), token)
        test_live(directory, browser, address)
        check(run.wait(60) == 0, "the run ends well")
        watch.terminate()
        check(watch.wait(20) == 0, "the server ends when it is asked to")
    finally:
        for process in (run, watch):
            if process.poll() is None:
                process.kill()
