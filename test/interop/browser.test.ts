import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { explain } from '@retriever/core'
import { describe, expect, test } from 'vitest'
import { bundleCore } from '../support/core/bundle.ts'
import { launchChromium, needsChromium } from './chromium.ts'

const urls = [
  'ftp://myname@host.dom/%2Fetc/motd',
  'gopher://h/7/s%09two%20words',
  'nntp://h/g.a/12',
  'mailto:gorby%25kremvax@example.com',
  'ldap://h/o=University%20of%20Michigan,c=US??sub?(cn=Babs%20Jensen)',
  'http://0x7f.1:25/',
  'http://h/gr\u00fc\u00dfe',
  'data:;base64,aGk=',
  'nosuch:x',
  'http://a b/',
]

describe('chromium', () => {
  test('resolves URLs as Node does', async ({ skip }) => {
    needsChromium(skip)
    const explained = await inPage(urls)
    expect(explained).toEqual(urls.map((url) => explain(url)))
  })
})

const page = `<!doctype html><title>core</title>
<script type="module">import { explain } from '/core.js'; globalThis.explain = explain</script>`

interface Page {
  readonly explain?: typeof explain
}

/** The core's plans of the URLs, in a page that loads it as one module. */
async function inPage(list: readonly string[]): Promise<unknown> {
  const bundle = await bundleCore()
  const server = createServer(({ url }, response) => {
    const script = url === '/core.js'
    response.setHeader('content-type', script ? 'text/javascript' : 'text/html')
    response.end(script ? bundle : page)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const browser = await launchChromium()
  try {
    const tab = await browser.newPage()
    await tab.goto(origin)
    return await tab.evaluate((texts) => texts.map((text) => (globalThis as Page).explain?.(text)), list)
  } finally {
    await browser.close()
    server.close()
  }
}
