"""A site in memory, and the same pages in a job."""

import csv
import gc
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import urltree
from pages import FIRST, html, pages, sentences

COMMAND = [sys.executable, "-m", "urltree"]


class Learning(unittest.TestCase):
    def test_a_site_learns_its_menu(self) -> None:
        site = urltree.Site()
        found = [site.extract(*page) for page in pages(30)]
        last = found[-1]
        self.assertEqual(site.domain, "teahouse.example")
        self.assertEqual((last.status, last.support), ("unique", 30))
        menu = next(block for block in last.blocks if block.text == "What we serve")
        self.assertEqual((menu.label, menu.is_content, menu.count, menu.support), ("boilerplate", False, 30, 30))
        self.assertEqual((menu.dom_path, menu.link_chars), ("ul.menu>li", len("What we serve")))
        story = next(block for block in last.blocks if block.text == sentences(290, 4))
        self.assertEqual((story.label, story.reason, story.count), ("content", "unique", 1))
        self.assertEqual(last.text.splitlines(), [block.text for block in last.blocks if block.is_content])
        self.assertIn("A reader says", last.to_text(comments=True))
        self.assertIn("- One **cup** of", last.markdown)

    def test_a_page_has_what_it_says_about_itself(self) -> None:
        page = urltree.Site().extract("http://www.teahouse.example/stories/3", html(3), FIRST)
        self.assertEqual(page.title, sentences(3, 1)[:40])
        self.assertEqual(page.fetched_at, FIRST)
        self.assertEqual((page.charset, page.charset_source, page.warnings), ("UTF-8", "http", []))
        said = page.metadata
        assert said is not None
        self.assertEqual(said.author, "Ann Leaf")
        self.assertEqual(said.published_at, datetime(2011, 10, 23, 6, tzinfo=timezone.utc))
        self.assertEqual(said.html_lang, "en")
        self.assertEqual(said.canonical_url, "http://www.teahouse.example/stories/3")
        self.assertEqual(said.sources["author"], "meta")
        self.assertEqual((said.modified_at, said.image), (None, None))
        self.assertEqual(page.language, "en")
        self.assertGreater(page.language_score or 0, 0.5)
        for shown in (page, page.blocks[0], said):
            self.assertRegex(repr(shown), r"^(Page|Block|Metadata)\(")

    def test_pages_that_were_added_know_the_whole_site(self) -> None:
        site = urltree.Site()
        made = pages(12)
        statuses = [site.add(*page) for page in made]
        self.assertEqual(statuses.count("duplicate"), 1)
        first = site.extract(*made[0])
        self.assertEqual((first.status, first.support, first.is_duplicate), ("known", 12, False))
        copy = site.extract(*made[9])
        self.assertEqual((copy.status, copy.is_duplicate), ("duplicate", True))
        self.assertEqual(copy.duplicate_of, made[8][0])
        self.assertEqual(copy.url_key, first.url_key[:-1] + "8")

    def test_a_look_adds_nothing(self) -> None:
        site = urltree.Site()
        for page in pages(6):
            site.add(*page)
        url, content, fetched_at = pages(8)[-1]
        for _ in range(2):
            seen = site.extract(url, content, fetched_at, add=False)
            self.assertEqual((seen.status, seen.support), ("not_added", 6))

    def test_settings_are_those_of_a_job(self) -> None:
        site = urltree.Site(settings={"window.max_pages": 5, "window.min_pages": 2})
        supports = [site.extract(*page).support for page in pages(9)[:9]]
        # The seven pages of a day are known before the window is cut to five.
        self.assertEqual(max(supports), 7)
        strict = urltree.Site(settings={"method": "paper", "url_key.rules": "none"})
        reasons = {block.reason for page in pages(9) for block in strict.extract(*page).blocks}
        self.assertEqual(reasons, {"unique", "repeated"})
        for settings, named in (
            ({"window.max_page": 5}, "window.max_page"),
            ({"method": "paper", "paper.heuristic": "best"}, "paper.heuristic"),
            ({"tree.relabel_days": 3}, "tree.relabel_days"),
            ({"paper.heuristic": {"a": 1}}, "paper.heuristic"),
            ({"paper.heuristic": "strict"}, "method"),
        ):
            with self.assertRaisesRegex(urltree.UsageError, named):
                urltree.Site(settings=settings)
        with self.assertRaisesRegex(urltree.UsageError, "no-such-job.toml"):
            urltree.Site(job="no-such-job.toml")

    def test_pages_that_do_not_belong_are_refused(self) -> None:
        site = urltree.Site("teahouse.example")
        with self.assertRaisesRegex(urltree.InputError, "milk.example.*teahouse.example") as raised:
            site.add("http://milk.example/1", html(1), FIRST)
        self.assertFalse(raised.exception.retryable)
        site.add("http://www.teahouse.example/1", html(1), FIRST)
        with self.assertRaisesRegex(urltree.InputError, "Sort the pages by time"):
            site.add("http://www.teahouse.example/2", html(2), FIRST - timedelta(seconds=1))
        for wrong in ("yesterday", 3, datetime(2011, 10, 24)):
            with self.assertRaises(urltree.UsageError):
                site.add("http://www.teahouse.example/3", html(3), wrong)  # type: ignore[arg-type]

    def test_times_are_datetimes_or_texts(self) -> None:
        for text in ("2011-10-24T08:00:00Z", "2011-10-24T10:00:00+02:00", "2011-10-24T08:00:00", FIRST):
            page = urltree.Site().extract("http://a.example/1", html(1), text)
            self.assertEqual(page.fetched_at, FIRST)
        self.assertIsNone(urltree.Site().extract("http://a.example/1", html(1)).fetched_at)

    def test_what_is_no_page_is_quarantined_and_ends_nothing(self) -> None:
        site = urltree.Site()
        url = "http://www.teahouse.example/1"
        for content, problem in ((None, "null"), (b"", "empty"), (b"\0\1\2\0\0\0\0", "NUL")):
            page = site.extract(url, content, FIRST)
            self.assertEqual((page.status, page.text, page.markdown, page.blocks), ("quarantined", "", "", []))
            self.assertIn(problem, page.problem or "")
            self.assertIsNone(page.metadata)
        self.assertEqual(site.extract("no url", html(1), FIRST).status, "quarantined")
        self.assertEqual(site.extract(url, html(1), FIRST).status, "unique")

    def test_extract_all_forgets_pages_of_an_iterator_that_is_left(self) -> None:
        site = urltree.Site()
        made = pages(20)
        found = site.extract_all(made)
        self.assertEqual(next(found).url, made[0][0])
        with self.assertRaisesRegex(urltree.UsageError, "wait"):
            site.add(*made[19])
        del found
        gc.collect()
        self.assertEqual(site.add(*made[19]), "unique")


class Threads(unittest.TestCase):
    def test_other_threads_run_while_pages_are_read(self) -> None:
        ticks, done = [0], threading.Event()

        def tick() -> None:
            while not done.is_set():
                ticks[0] += 1
                time.sleep(0.001)

        # A page that takes long: without other load, there are some eighty ticks.
        page = "<body>" + "".join(f"<p class=c{number % 97}>{sentences(number, 3)}</p>" for number in range(20_000))
        ticker = threading.Thread(target=tick)
        ticker.start()
        before, started = ticks[0], time.perf_counter()
        urltree.extract(page)
        seconds, ticked = time.perf_counter() - started, ticks[0] - before
        done.set()
        ticker.join()
        self.assertGreater(seconds, 0.02, "the page is read too fast for this test")
        # If the lock were held, there would be a tick at most before and after.
        self.assertGreater(ticked, 3, f"{ticked} ticks in {seconds:.2f} s")

    def test_a_site_is_safe_in_many_threads(self) -> None:
        site = urltree.Site()
        made = pages(8)[:8]
        errors: list[BaseException] = []

        def work(number: int) -> None:
            try:
                for turn in range(40):
                    url = f"http://www.teahouse.example/stories/{number}-{turn}"
                    page = site.extract(url, made[number][1])
                    # A page that another thread extracted first has its text.
                    assert page.status in ("unique", "duplicate"), page
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(errors, [])
        look = site.extract("http://www.teahouse.example/other", html(77), add=False)
        self.assertEqual(look.support, 8 * 40)


class Jobs(unittest.TestCase):
    """A job over an archive of files, beside a site in memory over the same pages."""

    folder: tempfile.TemporaryDirectory[str]
    job: Path
    made: list[tuple[str, str, datetime]]

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        root = Path(cls.folder.name)
        cls.made = pages(60)
        with open(root / "pages.csv", "w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["url", "fetched_at", "path"])
            for number, (url, content, fetched_at) in enumerate(cls.made):
                (root / f"{number}.html").write_text(content, "utf-8")
                rows.writerow([url, fetched_at.isoformat(), f"{number}.html"])
        imported = ["import", "pages", str(root), "--manifest", str(root / "pages.csv"), "--output", str(root / "archive")]
        subprocess.run([*COMMAND, *imported], check=True, capture_output=True)
        cls.job = root / "job.toml"
        cls.job.write_text(
            f"[archive]\nlocation = '{root}/archive'\nlayout = 'hive'\n[output]\nlocation = '{root}/tables'\n"
            "write = ['language', 'markdown']\n"
        )

    @classmethod
    def tearDownClass(cls) -> None:
        cls.folder.cleanup()

    def sql(self, query: str, tables: str) -> list[dict[str, Any]]:
        location = f"output.location={tables}"
        command = [*COMMAND, "sql", "--job", str(self.job), "--set", location, "--format", "json", query]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_a_site_gives_the_texts_of_the_tables(self) -> None:
        for number, settings in enumerate(({}, {"method": "paper"}, {"method": "paper", "paper.batching": "run"})):
            tables = f"{self.folder.name}/same-{number}"
            seen: list[urltree.Progress] = []
            of_run = {**settings, "output.location": tables}
            report = urltree.run(self.job, "2011-10-24..2011-11-02", of_run, on_progress=seen.append)
            assert report is not None
            self.assertEqual(seen[-1]["rows"], len(self.made), seen[-1])
            self.assertEqual(seen[-1]["stage"], "commit")
            columns = "url, title, text, markdown, language, support, node, url_key, content_blocks"
            documents = {row["url"]: row for row in self.sql(f"SELECT {columns} FROM documents", tables)}
            self.assertEqual(len(documents), 60)
            site = urltree.Site(settings=settings)
            found = list(site.extract_all(self.made))
            self.assertEqual([page.url for page in found], [url for url, _, _ in self.made])
            unique = [page for page in found if page.status == "unique"]
            self.assertEqual(len(unique), 60)
            for page in unique:
                row = documents[page.url]
                content = sum(block.is_content for block in page.blocks)
                made = (page.title, page.text, page.markdown, page.language, page.support, page.node, page.url_key, content)
                self.assertEqual(made, tuple(row[name.strip()] for name in columns.split(",")[1:]))

    def test_a_run_goes_on_where_it_ended_and_says_so(self) -> None:
        settings = {"output.location": f"{self.folder.name}/twice"}
        first = urltree.run(self.job, "2011-10-24..2011-10-26", settings)
        assert first is not None
        later = urltree.run(self.job, settings=settings)
        assert later is not None
        self.assertEqual((first["last_date"], later["first_date"]), ("2011-10-26", "2011-10-27"))
        self.assertIsNone(urltree.run(self.job, settings=settings))
        with self.assertRaisesRegex(urltree.UsageError, "settings") as raised:
            urltree.run(self.job, "2011-10-24", {**settings, "method": "paper"})
        self.assertEqual((raised.exception.stage, raised.exception.dates), ("job", "2011-10-24"))
        changed = urltree.run(self.job, "2011-10-24", {**settings, "method": "paper"}, change_settings=True)
        self.assertIsNotNone(changed)

    def test_errors_have_classes(self) -> None:
        with self.assertRaisesRegex(urltree.UsageError, "dates"):
            urltree.run(self.job, "soon")
        with self.assertRaisesRegex(urltree.UsageError, "run.thread"):
            urltree.run(self.job, "2011-10-24", {"run.thread": 1})
        with self.assertRaises(urltree.InputError):
            urltree.run(self.job, "2011-10-24", {"archive.location": f"{self.folder.name}/nothing"})
        with self.assertRaises(urltree.StorageError):
            urltree.run(self.job, "2011-10-24", {"output.location": "/proc/no-tables"})

    def test_warnings_of_a_run_are_records_of_logging(self) -> None:
        archive = Path(self.folder.name) / "broken"
        shutil.copytree(Path(self.folder.name) / "archive", archive)
        (archive / "date=2011-10-24" / "broken.parquet").write_bytes(b"no Parquet")
        settings = {"archive.location": str(archive), "output.location": f"{self.folder.name}/warned"}
        with self.assertLogs("urltree", "WARNING") as logged:
            urltree.run(self.job, "2011-10-24", settings, allow_missing=True)
        texts = [record.getMessage() for record in logged.records]
        self.assertTrue(any("broken.parquet" in text for text in texts), texts)
        with self.assertNoLogs("urltree"):
            urltree.run(self.job, "2011-10-25", {"output.location": f"{self.folder.name}/unwarned"})

    def test_an_error_of_the_callback_stops_the_run(self) -> None:
        def full(progress: urltree.Progress) -> None:
            raise OverflowError("enough")

        settings = {"output.location": f"{self.folder.name}/stopped"}
        with self.assertRaisesRegex(OverflowError, "enough"):
            urltree.run(self.job, "2011-10-24..2011-11-02", settings, on_progress=full)
        self.assertIsNotNone(urltree.run(self.job, "2011-10-24..2011-11-02", settings))

    def test_other_threads_run_during_a_run(self) -> None:
        ticks, done = [0], threading.Event()

        def tick() -> None:
            while not done.is_set():
                ticks[0] += 1
                time.sleep(0.005)

        ticker = threading.Thread(target=tick)
        ticker.start()
        started = time.perf_counter()
        urltree.run(self.job, "2011-10-24..2011-11-02", {"output.location": f"{self.folder.name}/ticks"})
        seconds = time.perf_counter() - started
        done.set()
        ticker.join()
        self.assertGreater(ticks[0], seconds / 0.005 * 0.1, f"{ticks[0]} ticks in {seconds:.2f} s")


class Command(unittest.TestCase):
    def finished(self, *args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*COMMAND, *args], capture_output=True, text=True)

    def test_the_script_is_the_command(self) -> None:
        script = Path(sys.executable).with_name("urltree")
        if not script.exists():
            script = Path(os.environ.get("URLTREE_SCRIPT", script))
        done = subprocess.run([script, "--version"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, f"urltree {urltree.__version__}\n"))

    def test_exit_codes_and_streams_are_those_of_the_command(self) -> None:
        usage = self.finished("backfill")
        self.assertEqual((usage.returncode, usage.stdout), (2, ""))
        self.assertIn("Usage: urltree backfill", usage.stderr)
        self.assertEqual(self.finished("--help").returncode, 0)
        with tempfile.TemporaryDirectory() as folder:
            missing = self.finished("import", "warc", f"{folder}/none.warc.gz", "--output", f"{folder}/pages")
            self.assertEqual(missing.returncode, 3, missing.stderr)
            self.assertIn(f"error: cannot find {folder}/none.warc.gz", missing.stderr)

    def test_a_closed_pipe_is_no_error(self) -> None:
        command = " ".join(COMMAND)
        done = subprocess.run(f"set -o pipefail; {command} --help | head -c1", shell=True, executable="/bin/bash", capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, done.stdout[:1], ""))

    def test_ctrl_c_ends_a_run_in_order(self) -> None:
        run = (
            "import sys, urltree\n"
            "try: urltree.run(sys.argv[1], '2011-10-24..2011-12-19', on_progress=lambda at: print(at['stage'], flush=True))\n"
            "except KeyboardInterrupt: print('interrupted', flush=True); sys.exit(130)\n"
        )
        with tempfile.TemporaryDirectory() as root:
            sample = [os.environ["URLTREE_SAMPLE"], "--output", f"{root}/sample", "--dates", "2011-10-24..2011-12-19"]
            subprocess.run(sample, check=True, capture_output=True)
            job = Path(root, "job.toml")
            job.write_text(
                f"[archive]\nlocation = '{root}/sample/pages'\nlayout = 'hive'\n[output]\nlocation = '{root}/tables'\n"
                "[run]\nheartbeat = '10m'\n"
            )
            dates = ["--dates", "2011-10-24..2011-12-19"]
            tables = Path(root, "tables")
            for command in (
                [*COMMAND, "backfill", "--job", str(job), *dates],
                [sys.executable, "-c", run, str(job)],
            ):
                leases = len(list(tables.glob("_leases/*.json")))
                with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
                    # The run has begun when it has its lease.
                    until = time.monotonic() + 60
                    while len(list(tables.glob("_leases/*.json"))) == leases and time.monotonic() < until:
                        time.sleep(0.01)
                    time.sleep(0.2)
                    process.send_signal(signal.SIGINT)
                    said, _ = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 130, said)
                self.assertIn("interrupted", said)
                self.assertNotIn("Traceback", said)
            # The lease was released. Without that, the next run would wait for three heartbeats.
            few = ["--dates", "2011-10-24..2011-10-25"]
            subprocess.run([*COMMAND, "backfill", "--job", str(job), *few], check=True, capture_output=True, timeout=300)


if __name__ == "__main__":
    unittest.main()
