"""Debian's Chromium for a test, controlled through two pipes (--remote-debugging-pipe): no port, no driver. It resolves
only this machine's name."""
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser")
SIZES = {"desktop": (1280, 900), "phone": (360, 780)}


class Browser:
    """with Browser() as browser: browser.open(url); browser.js("1 + 1")"""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="plainfs-test-")
        to_browser, self.out = os.pipe()
        self.source, from_browser = os.pipe()
        words = [
            PROGRAM,
            "--headless=new",
            "--remote-debugging-pipe",
            f"--user-data-dir={self.folder}",
            "--no-first-run",
            "--disable-extensions",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--disable-gpu",
            "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
        ]
        if os.geteuid() == 0:
            words.append("--no-sandbox")  # it refuses to run its sandbox as root

        def descriptors():  # it reads 3 and writes 4
            for source, between, target in ((to_browser, 13, 3), (from_browser, 14, 4)):
                os.dup2(source, between)
                os.dup2(between, target)

        self.process = subprocess.Popen(
            words + ["about:blank"],
            preexec_fn=descriptors,
            close_fds=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(to_browser)
        os.close(from_browser)
        self.number, self.rest, self.events, self.session = 0, b"", [], None
        target = next(target for target in self.call("Target.getTargets")["targetInfos"] if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")
        return self

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGKILL)  # in a separate session, started above
        self.process.wait()
        os.close(self.out)
        os.close(self.source)
        shutil.rmtree(self.folder, ignore_errors=True)

    def messages(self, wait):
        if not select.select([self.source], [], [], max(0, wait))[0]:
            return []
        got = os.read(self.source, 1 << 20)
        if not got:
            raise RuntimeError("the browser ended")
        *whole, self.rest = (self.rest + got).split(b"\0")
        return [json.loads(message) for message in whole]

    def call(self, method, wait=120, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data) :]
        end, reply = time.monotonic() + wait, None
        while reply is None and time.monotonic() < end:
            for found in self.messages(end - time.monotonic()):
                if found.get("id") == self.number:
                    reply = found
                else:
                    self.events.append(found)
        if reply is None:
            raise TimeoutError(method)
        if "error" in reply:
            raise RuntimeError(f"{method}: {reply['error']['message']}")
        return reply["result"]

    def js(self, text):
        """Returns the value of an expression, evaluated from outside of the page, so that its policies do not apply."""
        result = self.call("Runtime.evaluate", expression=text, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"].get("exception", {}).get("description", "exception"))
        return result["result"].get("value")

    def show(self, size="desktop", dark=False, script=True):
        """Sets how later pages are shown."""
        width, height = SIZES[size]
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=size == "phone",
        )
        self.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}],
        )
        self.call("Emulation.setScriptExecutionDisabled", value=not script)

    def open(self, url):
        self.events.clear()
        frame = self.call("Page.navigate", url=url)
        if "errorText" in frame:
            raise RuntimeError(frame["errorText"])
        end = time.monotonic() + 120
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            if time.monotonic() > end:
                raise TimeoutError(url)
            self.events += self.messages(end - time.monotonic())

    def asked(self):
        """Returns the addresses that the page has requested."""
        return [
            event["params"]["request"]["url"]
            for event in self.events
            if event.get("method") == "Network.requestWillBeSent"
        ]

    def complaints(self):
        """Returns the messages in the browser's console."""
        return [
            event["params"]["entry"]["text"] for event in self.events if event.get("method") == "Log.entryAdded"
        ] + [
            event["params"]["exceptionDetails"]["text"]
            for event in self.events
            if event.get("method") == "Runtime.exceptionThrown"
        ]

    def press(self, key, code):
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    def picture(self, path):
        import base64

        height = min(6000, self.js("document.documentElement.scrollHeight"))
        width = self.js("innerWidth")
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
