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

/// Opens a file, and fails on every error of the console, dialog, and request that is not for the file itself.
async function visit(file, { colorScheme = "light", viewport = WIDE } = {}) {
  const context = await browser.newContext({ colorScheme, viewport });
  const page = await context.newPage();
  const problems = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`error: ${error}`));
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const isPage = request.url().startsWith("file://") && request.isNavigationRequest();
    if (!isPage) problems.push(`request: ${request.url()}`);
  });
  await page.goto(pathToFileURL(file).href);
  return {
    page,
    async done() {
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
    for (const colorScheme of ["light", "dark"]) {
      for (const viewport of [WIDE, NARROW]) {
        const what = `${name}, ${colorScheme}, ${viewport.width}`;
        const { page, done } = await visit(file, { colorScheme, viewport });
        await assertAccessible(page, what);
        await assertFits(page, what);
        const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        const [red] = background.match(/\d+/g).map(Number);
        assert.equal(red < 128, colorScheme === "dark", `${what}: ${background}`);
        await screenshot(page, `${name}-${colorScheme}-${viewport.width}`);
        await done();
      }
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

async function blocksAreFilteredByReason() {
  const { page, done } = await visit(places.blocks);
  const shown = () => page.locator(".block:visible").count();
  const all = await shown();
  const boxes = page.locator(".filters input[id^=r-]");
  assert.ok((await boxes.count()) >= 2);
  for (const box of await boxes.all()) {
    const reason = (await box.getAttribute("id")).replace("r-", "");
    const ofReason = await page.locator(`.block.r-${reason}`).count();
    await box.uncheck();
    assert.equal(await shown(), all - ofReason, reason);
    await box.check();
  }
  assert.equal(await shown(), all);
  await page.getByLabel(/only where label and gold disagree/).check();
  assert.equal(await shown(), await page.locator(".block.disagrees").count());
  assert.ok((await page.getByRole("heading", { name: "Gold text" }).count()) === 1);
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

async function hostileTextsStayTexts() {
  for (const file of places.hostile) {
    const { page, done } = await visit(file);
    const scripts = await page.locator("script:not([type='application/json'])").count();
    assert.ok(scripts <= 1, file);
    assert.equal(await page.locator("img, iframe, object, embed, base, form").count(), 0, file);
    assert.equal(await page.evaluate(() => globalThis.hacked), undefined, file);
    assert.match(await page.locator("body").innerText(), /globalThis\.hacked/, file);
    const search = page.getByRole("searchbox", { name: "Search" });
    if ((await search.count()) > 0) await search.fill("<script>");
    await assertAccessible(page, file);
    await done();
  }
}

try {
  for (const part of [
    everyPageInEveryForm,
    fromTheOverviewToABlock,
    blocksAreFilteredByReason,
    aHundredThousandDomainsStayUsable,
    hostileTextsStayTexts,
  ]) {
    await part();
    console.log(`passed ${part.name}`);
  }
} finally {
  await browser.close();
}
