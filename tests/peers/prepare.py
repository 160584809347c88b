"""Installs the extractors of peers.toml below target/peers, and tests each of them.

Prints the installed extractors with their versions and the missing ones with the
reason, and writes both to target/peers/ready.json. Fails if an installed one does not
extract.
"""

from __future__ import annotations

import json
import platform
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PEERS = ROOT / "target" / "peers"
ENVIRONMENT = PEERS / "python"

# The sentence that every extractor must find on page.html.
SENTENCE = "the captain had to leave two bicycles and their owners on the pier"


def main() -> None:
    peers = tomllib.loads((HERE / "peers.toml").read_text())["peer"]
    PEERS.mkdir(parents=True, exist_ok=True)
    install_python()
    install_rust()

    ready: list[dict[str, str]] = []
    missing: list[dict[str, str]] = []
    broken: list[str] = []
    for peer in peers:
        header, answer, complaint = attempt(peer)
        if not header:
            if "needs" in peer:
                complaint += f" (needs {peer['needs']})"
            missing.append({"name": peer["name"], "reason": complaint})
        elif SENTENCE not in " ".join(answer.get("text", "").split()):
            text = answer.get("text", "")[:200]
            broken.append(f"{peer['name']}: {answer.get('error') or f'found {text!r}'}")
        else:
            ready.append({"name": peer["name"], "version": header["version"]})
            print(f"{peer['name']:30} {header['version']:10} {header['runtime']}")
    for peer in missing:
        print(f"MISSING {peer['name']}: {peer['reason']}")
    for line in broken:
        print(f"BROKEN {line}")
    report = json.dumps({"ready": ready, "missing": missing}, indent=2)
    (PEERS / "ready.json").write_text(f"{report}\n")
    if broken or not ready:
        sys.exit(f"{len(broken)} of {len(peers)} extractors are broken")


def install_python() -> None:
    """Installs requirements.txt, package by package if that fails as a whole."""
    configuration = ENVIRONMENT / "pyvenv.cfg"
    if not (
        configuration.exists()
        and f"version = {platform.python_version()}\n" in configuration.read_text()
    ):
        run([sys.executable, "-m", "venv", "--clear", str(ENVIRONMENT)])
    requirements = HERE / "requirements.txt"
    if pip_install(requirements):
        return
    alone = PEERS / "requirement.txt"
    for requirement in re.findall(
        r"^\w.*(?:\n .*)*", requirements.read_text(), re.MULTILINE
    ):
        alone.write_text(f"{requirement}\n")
        pip_install(alone)


def pip_install(requirements: Path) -> bool:
    # The file has all dependencies with their hashes, so pip need not resolve any.
    python = str(ENVIRONMENT / "bin" / "python")
    install = [python, "-m", "pip", "--disable-pip-version-check", "install"]
    exact = ["--quiet", "--no-deps", "--require-hashes", "-r", str(requirements)]
    return run([*install, *exact])


def install_rust() -> None:
    manifest = HERE / "rust" / "Cargo.toml"
    target = PEERS / "rust"
    command = ["cargo", "build", "--quiet", "--release", "--locked"]
    run([*command, "--manifest-path", str(manifest), "--target-dir", str(target)])


def run(command: list[str]) -> bool:
    """Runs a command, shows its output, and returns whether it succeeds."""
    try:
        return subprocess.run(command, cwd=ROOT, check=False).returncode == 0
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return False


def attempt(peer: dict[str, Any]) -> tuple[dict[str, str], dict[str, Any], str]:
    """Returns the peer's header, its answer to page.html, and its error message."""
    page = {
        "page": 0,
        "url": "https://courier.example/ferry",
        "html": (HERE / "page.html").read_text(encoding="utf-8"),
    }
    try:
        done = subprocess.run(
            peer["command"],
            cwd=ROOT,
            input=f"{json.dumps(page)}\n",
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
    except FileNotFoundError as error:
        return {}, {}, str(error)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    complaint = "; ".join(done.stderr.strip().splitlines()[-2:]) or "no error message"
    match lines:
        case [header, answer]:
            return header, answer, ""
        case [header]:
            return header, {"error": complaint}, ""
        case _:
            return {}, {}, complaint


if __name__ == "__main__":
    main()
