// Records the live page of the sample, which has to run, as docs/images/live.webp and
// docs/images/live-dark.webp: a house that is sold without a lock and with it, then a rush.
// node record.js [address of the page]
import { access, constants, stat } from 'node:fs/promises'
import path from 'node:path'

import { chromium } from 'playwright-core'
import sharp from 'sharp'

import { repository } from './repository.js'

const ADDRESS = process.argv[2] ?? 'http://localhost:8080'
const SIZE = { width: 1136, height: 744 }
const SCENES = [
  { button: '#compare-button', top: 'header', frameMillis: 300 },
  { button: '#rush-button', top: 'section:has(#rush-title)', frameMillis: 240 }
]
const SCENE_MARGIN = 24
const MAX_FRAMES_OF_SCENE = 80
const FRAMES_AFTER = 4
const FIRST_MILLIS = 1200
const LAST_MILLIS = 2500
const MAX_BYTES = 440_000
const QUALITIES = [80, 70, 60, 50, 40]
const BROWSERS = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'
]

async function installedBrowser() {
  for (const browser of BROWSERS.filter(Boolean)) {
    if (await access(browser, constants.X_OK).then(() => true, () => false)) {
      return browser
    }
  }
  throw new Error('No Chromium found. Install one, or name it in the environment variable CHROMIUM')
}

/**
 * Opens the page and waits until it knows its instances and may start something.
 */
async function open(browser, colorScheme) {
  const context = await browser.newContext({ viewport: SIZE, colorScheme })
  const page = await context.newPage()
  await page.goto(ADDRESS)
  for (const { button } of SCENES) {
    await page.locator(button).and(page.locator(':enabled')).waitFor()
  }
  return page
}

/**
 * Sells the houses once, so that each recording begins with how the sale before ended.
 */
async function sellHouses(browser) {
  const page = await open(browser, 'light')
  await page.locator('#compare-button').click()
  await page.locator('#compare-result', { hasText: 'got a ticket' }).waitFor({ timeout: 120_000 })
  await page.context().close()
}

async function record(browser, colorScheme) {
  const page = await open(browser, colorScheme)
  const frames = []
  for (const scene of SCENES) {
    frames.push(...(await recordScene(page, scene)))
  }
  await page.context().close()
  return frames
}

/**
 * Takes pictures from before the button is pressed until shortly after what it starts is over, in
 * equal steps as far as the browser keeps up.
 */
async function recordScene(page, { button, top, frameMillis }) {
  const start = page.locator(button)
  const frames = []
  const shoot = async () => frames.push({ at: Date.now(), png: await page.screenshot() })
  await page.locator(top).evaluate((element, margin) => {
    scrollTo(0, element.getBoundingClientRect().top + scrollY - margin)
  }, SCENE_MARGIN)
  await page.waitForTimeout(FIRST_MILLIS)
  await shoot()
  await start.click()
  await page.mouse.move(0, 0)
  for (let after = 0; after < FRAMES_AFTER; after += (await start.isEnabled()) ? 1 : 0) {
    if (frames.length === MAX_FRAMES_OF_SCENE) {
      throw new Error(`What ${button} starts takes more than ${MAX_FRAMES_OF_SCENE} frames. Is the machine busy?`)
    }
    await page.waitForTimeout(Math.max(0, frameMillis - (Date.now() - frames.at(-1).at)))
    await shoot()
  }
  return frames.map(({ at, png }, index) => ({ png, millis: millisOf(frames, index, at) }))
}

function millisOf(frames, index, at) {
  if (index === 0) {
    return FIRST_MILLIS
  }
  return index < frames.length - 1 ? frames[index + 1].at - at : LAST_MILLIS
}

async function save(frames, file) {
  for (const quality of QUALITIES) {
    await sharp(frames.map(({ png }) => png), { join: { animated: true } })
      .webp({ quality, effort: 4, minSize: true, delay: frames.map(({ millis }) => millis), loop: 0 })
      .toFile(file)
    const { size } = await stat(file)
    console.log(`${path.relative(repository, file)}: ${frames.length} frames, quality ${quality}, ${size} bytes`)
    if (size <= MAX_BYTES) {
      return
    }
  }
  throw new Error(`${file} has more than ${MAX_BYTES} bytes: record fewer or smaller frames`)
}

const browser = await chromium.launch({
  executablePath: await installedBrowser(),
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync']
})
try {
  await sellHouses(browser)
  const images = path.join(repository, 'docs/images')
  await save(await record(browser, 'light'), path.join(images, 'live.webp'))
  await save(await record(browser, 'dark'), path.join(images, 'live-dark.webp'))
} finally {
  await browser.close()
}
