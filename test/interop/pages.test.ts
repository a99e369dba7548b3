/** The pages of the gateway in Chromium: a person's way, and what axe-core says of each page on it. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startServers, type TestServers } from '@retriever/servers'
import axe from 'axe-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startPages } from '../gateway/support/pages.ts'
import { launchChromium, needsChromium } from './chromium.ts'

/** A folder for pictures of all pages, or `docs` for those of docs/gateway.md; without it, none are made. */
const asked = process.env.RETRIEVER_PICTURES
const isForDocs = asked === 'docs'
const pictures = isForDocs ? fileURLToPath(new URL('../../docs/gateway', import.meta.url)) : asked
const inDocs: ReadonlySet<string> = new Set([
  ...['ftp-folder-light', 'ftp-folder-dark', 'gopher-menu-light', 'news-article-light', 'gopher-menu-phone'],
])

let servers: TestServers
let pages: Awaited<ReturnType<typeof startPages>>
let browser: Browser | undefined
beforeAll(async () => {
  servers = await startServers()
  pages = await startPages()
  if (pictures !== undefined) await mkdir(pictures, { recursive: true })
})
afterAll(async () => {
  await browser?.close()
  await pages[Symbol.asyncDispose]()
  await servers.close()
})

const views = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1000, height: 800 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1000, height: 800 } },
  { name: 'phone', colorScheme: 'light', viewport: { width: 375, height: 800 } },
] as const

describe.each(views)('$name', ({ name: view, ...options }) => {
  let context: BrowserContext
  let page: Page
  beforeEach(async ({ skip }) => {
    needsChromium(skip)
    browser ??= await launchChromium()
    context = await browser.newContext({ ...options, javaScriptEnabled: true })
    context.setDefaultTimeout(10_000)
    page = await context.newPage()
    return () => context.close()
  })

  /** Types a URL into the field of the first page, as a person does. */
  async function go(url: string): Promise<void> {
    await page.goto(pages.origin)
    await page.getByLabel('URL').fill(url)
    await page.getByRole('button', { name: 'Go' }).click()
  }

  /** The page has this text, and nothing is wrong with it for a screen reader; nothing of it lies beside the screen. */
  async function isFine(name: string, text: string): Promise<void> {
    await shows(text)
    await page.evaluate(axe.source)
    const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run())
    const found = violations.map(({ id, nodes }) => `${name}: ${id} ${nodes.map(({ html }) => html).join(' ')}`)
    expect(found).toEqual([])
    const widths = await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')
    const [width = 0, screen = 0] = widths as number[]
    expect({ name, fits: width <= screen }).toEqual({ name, fits: true })
    await takePicture(`${name}-${view}`)
  }

  async function takePicture(name: string): Promise<void> {
    if (pictures === undefined || (isForDocs && !inDocs.has(name))) return
    // The picture is as high as the page, and as narrow as a page of text shows it.
    if (isForDocs) await page.setViewportSize({ width: Math.min(720, options.viewport.width), height: 100 })
    const picture = await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
    if (isForDocs) expect(picture.length).toBeLessThan(65_536)
  }

  const link = (name: string) => page.getByRole('link', { name, exact: true })
  /** Waits for the page that has this text. */
  const shows = (text: string) => page.locator('main').filter({ hasText: text }).waitFor()

  test('FTP: a folder, a folder in it, a file', async () => {
    await page.goto(pages.origin)
    await isFine('home', 'gopher')
    await go(servers.ftp.url)
    await link('pub/').click()
    await isFine('ftp-folder', 'hello.txt')
    await link('hello.txt').click()
    await isFine('ftp-file', 'Hello, world.')
  })

  test('Gopher: a menu, a search, its result', async () => {
    await go(servers.gopher.url)
    await isFine('gopher-menu', 'Search the files')
    await page.locator('form[action="/search"] input:not([type=hidden])').first().fill('read')
    await page.locator('form[action="/search"] button').first().click()
    await isFine('gopher-results', 'read')
    await page.locator('main a[href^="/gopher/"]').first().click()
    await isFine('gopher-text', 'test server')
  })

  test('a form of Gopher+', async () => {
    await go(`${servers.gopher.url}0/ask`)
    await isFine('ask', 'Your name?')
    await page.getByLabel('Your name?').fill('Ann')
    await page.locator('form[action="/form"] button').click()
    await isFine('ask-answer', 'Ann')
  })

  test('Gemini: a page, its prompt', async () => {
    await go(servers.gemini.url)
    await isFine('gemini', 'The test server')
    await go(`${servers.gemini.url}input`)
    await isFine('gemini-prompt', 'Send')
    await page.locator('form[action="/form"] input:not([type=hidden])').fill('a word')
    await page.locator('form[action="/form"] button').click()
    await shows('a%20word')
  })

  test('News: a group, a thread, an article, its attachment', async () => {
    await go(servers.nntp.url)
    await link('retriever.test').click()
    await isFine('news-group', 'A text and an attachment')
    await link('A text and an attachment').click()
    await isFine('news-article', 'Attach')
    const waiting = page.waitForEvent('download')
    await page.locator('main a[href*="part="]').first().click()
    expect((await waiting).suggestedFilename()).toMatch(/\w/)
  })

  test('a warning, declined and accepted; a danger', async () => {
    const url = servers.ftp.url.replace('127.0.0.1', view === 'dark' ? '017700000001' : '2130706433')
    const before = servers.ftp.accepted
    await go(url)
    if (view !== 'phone') {
      await isFine('warning', 'Before you go on')
      await page.goBack()
      expect(servers.ftp.accepted).toBe(before)
      await go(url)
      await page.locator('form[action="/accept"] button').click()
    }
    await shows('pub/')
    await go('gopher://127.0.0.1:25/1HELO')
    await isFine('danger', 'port 25')
  })

  test('a login, and an error', async () => {
    await using guarded = await startServers({ ftp: { auth: 'required' } })
    await go(`${guarded.ftp.url}pub/hello.txt`)
    await isFine('login', 'Password')
    await page.getByLabel('User').fill('alice')
    await page.getByLabel('Password').fill('secret')
    await page.locator('form[action="/login"] button').click()
    await shows('Hello, world.')
    await go(`${servers.ftp.url}no/such`)
    await isFine('error', 'check the path')
  })
})
