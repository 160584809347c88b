// Visits the pages of a report in a headless browser, as a reader does: clicks, keys, a narrow screen, dark mode.
// tests/browser.rs makes the pages and runs this with their places as JSON.
//
//   node visit.mjs '{"modules": "node_modules", "chromium": "/usr/bin/chromium", ...}'

import assert from "node:assert/strict";
import { readFileSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const places = JSON.parse(process.argv[2]);
const require = createRequire(join(places.modules, "here.js"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const browser = await chromium.launch({
  executablePath: places.chromium,
  args: ["--no-sandbox", "--disable-gpu"],
});

const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 360, height: 740 };

/// Contrast depends on the colours and overlaps on the width, not one on the other. axe takes seconds a page.
const FORMS = [["light", WIDE], ["dark", NARROW]];

/// Opens a file or an address, and fails on every error of the console, dialog, and request that is not for the
/// file itself or for the server. What the frame with an original is refused is no error. `refusals` are responses of the server that the visit is about: a browser says
/// in the console that they are errors.
async function visit(
  file,
  { colorScheme = "light", viewport = WIDE, javaScriptEnabled = true, refusals = [] } = {},
) {
  const isServed = file.startsWith("http://");
  const address = isServed ? file : pathToFileURL(file).href;
  const context = await browser.newContext({ colorScheme, viewport, javaScriptEnabled });
  const page = await context.newPage();
  const problems = [];
  /// Requests for anything else than the page, until they end.
  const asked = new Set();
  page.on("console", (message) => {
    const text = message.text();
    const from = message.location().url;
    if (from === "about:srcdoc" || from.includes("/original?")) return;
    // Chromium says these two in the name of the page around the frame.
    if (/^Blocked script execution in '[^']*\/original\?/.test(text)) return;
    if (/^Framing '.*' violates .* "frame-src 'self'"\. The request has been blocked/.test(text)) return;
    if (refusals.some((status) => text.includes(`status of ${status} `))) return;
    if (["error", "warning"].includes(message.type())) problems.push(`console: ${text}`);
  });
  page.on("pageerror", (error) => problems.push(`error: ${error}`));
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const isFile = request.url().startsWith("file://") && request.isNavigationRequest();
    const isOwn = isServed ? new URL(request.url()).origin === new URL(address).origin : isFile;
    if (!isOwn) asked.add(request);
  });
  // Chromium reports some requests of the frame before it refuses them: by the policy, or, of a frame of a file, because
  // it may read no other file. None is sent.
  page.on("requestfailed", (request) => {
    const { errorText } = request.failure();
    const isRefused = errorText === "csp" || (errorText === "other" && request.url().startsWith("file://"));
    if (asked.delete(request) && !isRefused) problems.push(`request: ${request.url()}: ${errorText}`);
  });
  page.on("requestfinished", (request) => {
    if (asked.delete(request)) problems.push(`request: ${request.url()}`);
  });
  await page.goto(address);
  return {
    page,
    async done() {
      for (let waits = 0; asked.size > 0 && waits < 50; waits += 1) await page.waitForTimeout(100);
      problems.push(...[...asked].map((request) => `request without an end: ${request.url()}`));
      assert.deepEqual(problems, [], file);
      await context.close();
    },
  };
}

/// Asserts that axe finds nothing.
async function assertAccessible(page, what) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document));
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`);
  assert.deepEqual(found, [], what);
}

/// Asserts that the page has no sideways scroll bar.
async function assertFits(page, what) {
  const [content, window] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    document.documentElement.clientWidth,
  ]);
  assert.ok(content <= window, `${what}: ${content} wider than ${window}`);
}

/// Asserts that a page can be read in its colours and width.
async function assertReadable(page, what, colorScheme) {
  await assertAccessible(page, what);
  await assertFits(page, what);
  const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const [red] = background.match(/\d+/g).map(Number);
  assert.equal(red < 128, colorScheme === "dark", `${what}: ${background}`);
}

async function screenshot(page, name) {
  if (!places.screenshots) return;
  mkdirSync(places.screenshots, { recursive: true });
  await page.screenshot({ path: join(places.screenshots, `${name}.png`), fullPage: false });
}

const report = (file) => join(places.report, file);
const firstCells = (page) => page.locator("#rows tbody th").allTextContents();
const count = (text) => Number(text.replace(/\D/g, ""));

async function everyPageInEveryForm() {
  const { page, done } = await visit(report("domains.html"));
  const domain = await page.locator("#rows tbody th a").first().getAttribute("href");
  await done();
  const files = {
    overview: report("index.html"),
    domains: report("domains.html"),
    quarantine: report("quarantine.html"),
    domain: report(domain),
    blocks: places.blocks,
  };
  for (const [name, file] of Object.entries(files)) {
    for (const [colorScheme, viewport] of FORMS) {
      const what = `${name}, ${colorScheme}, ${viewport.width}`;
      const { page, done } = await visit(file, { colorScheme, viewport });
      await assertReadable(page, what, colorScheme);
      await screenshot(page, `${name}-${colorScheme}-${viewport.width}`);
      await done();
    }
  }
}

async function fromTheOverviewToABlock() {
  const { page, done } = await visit(report("index.html"));
  assert.ok((await page.locator(".plot svg").count()) >= 4);
  await page.getByText("The numbers of these charts").click();
  assert.ok(await page.getByRole("columnheader", { name: "Date" }).isVisible());
  await page.getByRole("link", { name: "Domains" }).click();
  await page.waitForURL("**/domains.html");

  // Sorting with the mouse and with the keyboard.
  const pages = page.getByRole("columnheader", { name: "Pages", exact: true });
  await pages.getByRole("button").click();
  assert.equal(await pages.getAttribute("aria-sort"), "descending");
  const numbers = async () =>
    (await page.locator("#rows tbody tr td:nth-child(2)").allTextContents()).map(count);
  const falling = await numbers();
  assert.deepEqual(falling, [...falling].sort((a, b) => b - a));
  assert.ok(falling.length > 5);
  await pages.getByRole("button").press("Enter");
  assert.equal(await pages.getAttribute("aria-sort"), "ascending");
  const rising = await numbers();
  assert.deepEqual(rising, [...rising].sort((a, b) => a - b));
  const names = page.getByRole("columnheader", { name: "Domain" });
  await names.getByRole("button").press(" ");
  const sorted = await firstCells(page);
  assert.deepEqual(sorted, [...sorted].sort());

  // Searching.
  const wanted = sorted[Math.floor(sorted.length / 2)];
  await page.getByRole("searchbox", { name: "Search" }).fill(wanted.toUpperCase());
  const found = await firstCells(page);
  assert.ok(found.length >= 1 && found.every((name) => name.includes(wanted)), String(found));
  await page.getByRole("searchbox", { name: "Search" }).fill("no such domain");
  assert.equal(await page.getByRole("status").textContent(), "No row has this text");
  await page.getByRole("searchbox", { name: "Search" }).fill(wanted);

  // A domain, and its worst page block by block.
  await page.getByRole("link", { name: wanted }).first().click();
  await page.getByRole("heading", { level: 1, name: wanted }).waitFor();
  for (const heading of ["Along the stream", "URL tree", "DOM paths and their roles", "Most frequent boilerplate"]) {
    assert.ok(await page.getByRole("heading", { name: heading }).isVisible(), heading);
  }
  assert.ok((await page.locator("[aria-labelledby=paths] tbody tr").count()) > 0);
  await page.locator("[aria-labelledby=worst] a").first().click();
  await page.getByRole("heading", { name: "Blocks" }).waitFor();
  assert.ok((await page.locator(".block").count()) > 0);
  await page.goBack();
  await page.getByRole("link", { name: "Overview" }).click();
  await page.waitForURL("**/index.html");
  await done();
}

/// Kept blocks and folded runs of dropped blocks that are shown.
const shownItems = (page) => page.locator(":is(.block.kept, .run):visible").count();

async function theTextIsBesideTheOriginal() {
  for (const viewport of [WIDE, NARROW]) {
    const { page, done } = await visit(places.blocks, { viewport });
    const frame = page.locator("iframe.original");
    assert.equal(await frame.getAttribute("sandbox"), "");
    assert.match(await page.frameLocator("iframe.original").locator("body").innerText(), /\w/);
    const [text, original] = [
      await page.locator(".view > div").first().boundingBox(),
      await frame.boundingBox(),
    ];
    const isBeside = original.x >= text.x + text.width;
    const isBelow = original.y >= text.y + text.height;
    assert.deepEqual([isBeside, isBelow], [viewport === WIDE, viewport === NARROW]);
    await done();
  }
}

async function blocksAreFilteredByLabelAndReason() {
  const { page, done } = await visit(places.blocks);
  const shown = () => shownItems(page);
  const all = await shown();
  const boxes = page.locator(".filters input[id^=r-]");
  assert.ok((await boxes.count()) >= 2);
  for (const box of await boxes.all()) {
    const reason = (await box.getAttribute("id")).replace("r-", "");
    const ofReason = await page.locator(`.r-${reason}`).count();
    await box.uncheck();
    assert.equal(await shown(), all - ofReason, reason);
    await box.check();
  }
  assert.equal(await shown(), all);
  await page.getByRole("radio", { name: /only kept/ }).check();
  assert.equal(await shown(), await page.locator(".block.kept").count());
  await page.getByRole("radio", { name: /only dropped/ }).check();
  assert.equal(await shown(), await page.locator(".run").count());
  assert.equal(await page.locator(".block:visible").count(), 0);
  await page.locator(".run summary").first().press("Enter");
  assert.ok(await page.locator(".run .block").first().isVisible());
  await assertAccessible(page, "dropped blocks");
  await done();
}

async function aHundredThousandDomainsStayUsable() {
  const begun = Date.now();
  const { page, done } = await visit(places.many);
  const within = async (what, most, action) => {
    const begun = Date.now();
    await action();
    const took = Date.now() - begun;
    assert.ok(took < most, `${what} took ${took} ms`);
  };
  assert.ok(Date.now() - begun < 20_000, `opening took ${Date.now() - begun} ms`);
  assert.equal(await page.locator("#rows tbody tr").count(), 100);
  assert.match(await page.getByRole("status").textContent(), /of 100.000$/);
  await within("sorting", 5_000, async () => {
    await page.getByRole("columnheader", { name: "Kept" }).getByRole("button").click();
  });
  await within("searching", 5_000, async () => {
    await page.getByRole("searchbox", { name: "Search" }).fill("site-99999.example");
    assert.deepEqual(await firstCells(page), ["site-99999.example"]);
  });
  await page.getByRole("searchbox", { name: "Search" }).fill("");
  await page.getByRole("button", { name: "Next" }).click();
  assert.match(await page.getByRole("status").textContent(), /^Rows 101 to 200 /);
  assert.equal(await page.locator("#rows tbody tr").count(), 100);
  await page.getByRole("button", { name: "Previous" }).click();
  assert.ok(await page.getByRole("button", { name: "Previous" }).isDisabled());
  await done();
}

/// Elements that no page has. The frame with the original may do nothing.
const FOREIGN = 'img, iframe:not(.original[sandbox=""]), object, embed, base';

async function hostileTextsStayTexts() {
  for (const file of places.hostile) {
    const { page, done } = await visit(file);
    const scripts = await page.locator("script:not([type='application/json'])").count();
    assert.ok(scripts <= 1, file);
    assert.equal(await page.locator(`${FOREIGN}, form`).count(), 0, file);
    assert.equal(await page.evaluate(() => globalThis.hacked), undefined, file);
    assert.match(await page.locator("body").innerText(), /globalThis\.hacked/, file);
    const search = page.getByRole("searchbox", { name: "Search" });
    if ((await search.count()) > 0) await search.fill("<script>");
    await assertAccessible(page, file);
    await done();
  }
}

const live = (path) => `http://${places.live}/${path}`;

/// The address of the first link to the page of something.
const firstLink = (page, kind) => page.locator(`main a[href^="${kind}?"]`).first().getAttribute("href");

async function everyLivePageInEveryForm() {
  const { page, done } = await visit(live("domains"));
  const domain = await firstLink(page, "domain");
  await page.goto(live(domain));
  const blocks = await firstLink(page, "page");
  await page.goto(live(blocks));
  const mark = await firstLink(page, "mark");
  await done();
  const paths = {
    overview: "",
    domains: "domains",
    pages: "search?text=the",
    quarantine: "quarantine",
    domain,
    blocks,
    mark,
    sql: "sql?query=SELECT%201",
    missing: "domain?name=a",
  };
  for (const [name, path] of Object.entries(paths)) {
    for (const [colorScheme, viewport] of FORMS) {
      const what = `live ${name}, ${colorScheme}, ${viewport.width}`;
      const { page, done } = await visit(live(path), { colorScheme, viewport, refusals: [404] });
      if (name === "sql") {
        for (const table of await page.locator("summary").all()) await table.click();
        await page.getByRole("button", { name: "Run" }).click();
        await page.getByRole("status").waitFor();
      }
      await assertReadable(page, what, colorScheme);
      await screenshot(page, `live-${name}-${colorScheme}-${viewport.width}`);
      await done();
    }
  }
}

async function fromTheLiveOverviewToAQueryAndBack() {
  const { page, done } = await visit(live(""), { refusals: [404, 422] });
  assert.ok((await page.locator(".plot svg").count()) >= 4);

  // Domains: sorted, searched, opened; and the page of any URL from there.
  await page.getByRole("link", { name: "Domains" }).click();
  const pages = page.getByRole("columnheader", { name: "Pages", exact: true });
  await pages.getByRole("button").click();
  assert.equal(await pages.getAttribute("aria-sort"), "descending");
  const names = await firstCells(page);
  const wanted = names[names.length - 1];
  await page.getByRole("searchbox", { name: "Search" }).fill(wanted);
  await page.getByRole("link", { name: wanted }).first().click();
  await page.getByRole("heading", { level: 1, name: wanted }).waitFor();
  await page.locator("[aria-labelledby=worst] a").first().click();
  await page.getByRole("heading", { name: "Blocks" }).waitFor();
  const boxes = page.locator(".filters input[id^=r-]");
  const all = await shownItems(page);
  await boxes.first().uncheck();
  assert.ok((await shownItems(page)) < all);
  await page.getByRole("link", { name: "The site of the page" }).click();
  await page.getByRole("heading", { level: 1, name: wanted }).waitFor();
  await page.getByRole("link", { name: "All pages of the site, as a query" }).click();
  assert.match(await page.getByRole("textbox", { name: /A query/ }).inputValue(), new RegExp(wanted));
  assert.equal(await page.locator(".result").count(), 0, "a link runs no query");
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByRole("status").waitFor();
  assert.match(await page.getByRole("status").textContent(), /^\d+ rows?$/);

  // A query is typed, fails, is mended, and leads to a page.
  const form = page.getByRole("textbox", { name: /A query/ });
  const broken = "SELECT url, tittle\nFROM documents ORDER BY url LIMIT 7";
  await form.fill(broken);
  await page.getByRole("button", { name: "Run" }).click();
  assert.match(await page.getByRole("alert").textContent(), /tittle/);
  assert.equal(await form.inputValue(), broken);
  await form.fill(broken.replace("tittle", "title"));
  await page.getByRole("button", { name: "Run" }).click();
  assert.equal(await page.getByRole("status").textContent(), "7 rows");
  const url = await page.locator(".result a").first().textContent();
  await page.locator(".result a").first().click();
  await page.getByRole("heading", { name: "Blocks" }).waitFor();
  assert.equal(await page.locator("p.url").textContent(), url);

  // The search for a URL, by keyboard.
  const search = page.getByRole("searchbox", { name: "URL of a page" });
  await search.fill("http://nowhere.example/");
  await search.press("Enter");
  assert.match(await page.locator("main").innerText(), /no page of the job has the URL/);
  await page.getByRole("searchbox", { name: "URL of a page" }).fill(url);
  await page.getByRole("button", { name: "Explain" }).click();
  await page.getByRole("heading", { name: "Blocks" }).waitFor();
  await page.goBack();
  await page.getByRole("link", { name: "Overview" }).click();
  await page.getByRole("heading", { name: "Night by night" }).waitFor();
  await done();
}

async function pagesAreFoundAndResultsSaved() {
  const { page, done } = await visit(live(""));
  await page.getByRole("link", { name: "Pages" }).click();
  const urls = await firstCells(page);
  const wanted = urls[Math.floor(urls.length / 2)];
  await page.getByRole("textbox", { name: /Text in the URL/ }).fill(wanted.toUpperCase());
  await page.getByRole("button", { name: "Find" }).click();
  await page.waitForURL("**/search?*");
  const found = await firstCells(page);
  assert.ok(found.includes(wanted) && found.length < urls.length, String(found));
  await page.getByRole("link", { name: wanted, exact: true }).first().click();
  await page.getByRole("heading", { name: "Blocks" }).waitFor();
  await page.getByRole("link", { name: "The site of the page" }).click();
  await page.getByRole("link", { name: "All pages of the site", exact: true }).click();
  assert.ok((await firstCells(page)).includes(wanted));
  await page.getByRole("link", { name: "SQL" }).click();
  await page.getByRole("textbox", { name: /A query/ }).fill("SELECT 40 + 2 AS answer");
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download as CSV" }).click();
  assert.equal((await saved).suggestedFilename(), "result.csv");
  assert.equal(readFileSync(await (await saved).path(), "utf8"), "answer\n42\n");
  await done();
}

/// The original of a live page has its own styles and images, and neither scripts nor a network.
async function theOriginalOfALivePageIsShownInItsStyles() {
  const { page, done } = await visit(`http://${places.evil}/${places.original}`);
  const frame = page.frameLocator("iframe.original");
  const color = await frame.locator("h1").evaluate((heading) => getComputedStyle(heading).color);
  assert.equal(color, "rgb(1, 2, 3)");
  const width = (image) => image.naturalWidth;
  assert.equal(await frame.locator("#inside").evaluate(width), 1);
  assert.equal(await frame.locator("#outside").evaluate(width), 0);
  await screenshot(page, "live-original-light-1280");
  // A link leads nowhere: the policy of the page around the frame allows no other place.
  await frame.locator("#away").evaluate((link) => link.click());
  await page.waitForTimeout(300);
  assert.ok(page.frames().every((one) => !one.url().startsWith("http://evil.example")), String(page.frames().map((one) => one.url())));
  assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
  await done();
}

async function aPathIsMarkedOnceItsEffectIsSeen() {
  const { page, done } = await visit(live("domains"), { refusals: [422] });
  await page.goto(live(await firstLink(page, "domain")));
  await page.goto(live(await firstLink(page, "page")));
  for (const run of await page.locator(".run summary").all()) await run.click();
  await page.getByRole("link", { name: /mark this path/ }).first().click();
  const save = page.getByRole("button", { name: "Save this mark" });
  assert.equal(await save.count(), 0, "no effect was seen");
  await page.getByRole("radio", { name: /boilerplate/ }).check();
  await page.getByRole("button", { name: "Show the effect" }).click();
  await page.getByRole("heading", { name: "Effect" }).waitFor();
  assert.match(await page.getByRole("status").textContent(), /this page: .*\n[^]*site: /);
  await assertAccessible(page, "the effect of a mark");
  await assertFits(page, "the effect of a mark");
  // The job of these pages names no file of marks.
  await save.click();
  assert.match(await page.getByRole("alert").textContent(), /names no file of marks/);
  await page.getByRole("link", { name: "The page, block by block" }).click();
  await page.getByRole("heading", { name: "Blocks" }).waitFor();
  await done();
}

async function withoutScriptsTheLivePagesWork() {
  const { page, done } = await visit(live("domains"), { javaScriptEnabled: false, refusals: [404] });
  const name = await page.locator("#rows tbody th a").last().textContent();
  await page.getByRole("textbox", { name: /Name of a domain/ }).fill(name.slice(0, -3));
  await page.getByRole("button", { name: "Open" }).click();
  await page.getByRole("heading", { name: "No such domain" }).waitFor();
  await page.getByRole("link", { name, exact: true }).click();
  await page.getByRole("heading", { level: 1, name }).waitFor();
  await page.getByRole("link", { name: "SQL" }).click();
  await page.getByRole("textbox", { name: /A query/ }).fill("SELECT 40 + 2 AS answer");
  await page.getByRole("button", { name: "Run" }).click();
  assert.equal(await page.locator(".result tbody td").innerText(), "42");
  await done();
}

async function hostileTextsOfALiveSiteStayTexts() {
  for (const path of places.hostileLive) {
    const { page, done } = await visit(`http://${places.evil}/${path}`, { refusals: [404] });
    assert.equal(await page.locator(FOREIGN).count(), 0, path);
    assert.equal(await page.evaluate(() => globalThis.hacked), undefined, path);
    assert.match(await page.locator("body").textContent(), /globalThis\.hacked/, path);
    const links = await page.locator("a[href]").evaluateAll((all) => all.map((link) => link.href));
    assert.ok(links.every((link) => link.startsWith(`http://${places.evil}/`)), path);
    await assertAccessible(page, path);
    await done();
  }
}

/// A page of another site in the same browser reads no page and runs no query.
async function anotherSiteCannotAsk() {
  const context = await browser.newContext();
  const page = await context.newPage();
  const form = `<form method="post" action="${live("sql")}"><input name="query" value="SELECT 1"><button>Send</button></form>`;
  await page.route("http://elsewhere.example/**", (route) =>
    route.fulfill({ contentType: "text/html", body: form }));
  await page.goto("http://elsewhere.example/");
  const asked = await page.evaluate(async (addresses) => {
    const body = () => new URLSearchParams({ query: "SELECT 1" });
    const read = async (address, options) => {
      try {
        const response = await fetch(address, options);
        return `${response.type} ${await response.text()}`.trim();
      } catch {
        return "refused";
      }
    };
    return [
      await read(addresses.domains),
      await read(addresses.sql, { method: "POST", body: body() }),
      await read(addresses.sql, { method: "POST", body: body(), mode: "no-cors" }),
    ];
  }, { domains: live("domains"), sql: live("sql") });
  assert.ok(asked.every((text) => ["refused", "opaque"].includes(text)), String(asked));
  const answer = page.waitForResponse(live("sql"));
  await page.getByRole("button", { name: "Send" }).click();
  assert.equal((await answer).status(), 403);
  await page.waitForURL(live("sql"));
  assert.match(await page.locator("body").innerText(), /page of another site/);
  await context.close();
}

try {
  for (const part of [
    everyPageInEveryForm,
    fromTheOverviewToABlock,
    theTextIsBesideTheOriginal,
    blocksAreFilteredByLabelAndReason,
    aHundredThousandDomainsStayUsable,
    hostileTextsStayTexts,
    everyLivePageInEveryForm,
    fromTheLiveOverviewToAQueryAndBack,
    pagesAreFoundAndResultsSaved,
    theOriginalOfALivePageIsShownInItsStyles,
    aPathIsMarkedOnceItsEffectIsSeen,
    withoutScriptsTheLivePagesWork,
    hostileTextsOfALiveSiteStayTexts,
    anotherSiteCannotAsk,
  ]) {
    const begun = performance.now();
    await part();
    console.log(`passed ${part.name} (${((performance.now() - begun) / 1000).toFixed(1)} s)`);
  }
} finally {
  await browser.close();
}
