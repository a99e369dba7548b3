/** Each URL in the texts of the specifications leads somewhere: to a server, to a program, or to a reason. */
import { readdirSync, readFileSync } from 'node:fs'
import { explain, findScheme, RetrievalError } from '@retriever/core'
import { schemeOf } from '@retriever/core/internal'
import { type Client, createClient, isHandoff } from '@retriever/fetchers'
import { describe, expect, test } from 'vitest'

const folder = new URL('../core/specifications/', import.meta.url)
const lists = readdirSync(folder).filter((name) => /\.(?:urls|list)$/.test(name))

/** Documentation of this machine, which has the program and the page or not; and names that the RFCs made up. */
const local = new Set(['man', 'info', 'whatis', 'ghelp', 'toc'])
const madeUp = new Set(['foo', 'example'])

/** A client that connects to a closed port of this machine, whatever the URL names. */
function offline(): Client {
  return createClient({
    network: { connectTo: { ':': '127.0.0.1:1' } },
    defaults: { newsServer: 'news.example' },
    limits: { maxRetries: 0 },
  })
}

async function outcomeOf(url: string): Promise<string> {
  await using client = offline()
  try {
    const opened = await client.open(url)
    if (isHandoff(opened)) return `handoff to ${opened.program}`
    await opened.cancel()
    return 'retrieved'
  } catch (error) {
    if (RetrievalError.is(error)) return error.code
    throw error
  }
}

describe.each(lists)('%s', (name) => {
  const urls = [...new Set(readFileSync(new URL(name, folder), 'utf8').trim().split('\n'))]

  test.each(urls)('%s', async (url) => {
    const scheme = schemeOf(url) ?? ''
    const outcome = await outcomeOf(url)
    if (madeUp.has(scheme)) expect(outcome).toBe('unknown-scheme')
    // The table of namespaces has none of these.
    else if (scheme === 'urn') expect(outcome).toBe('no-fetcher')
    else if (local.has(scheme)) expect(outcome).toMatch(/^(?:retrieved|not-found|no-fetcher)$/)
    // `scope` stands for one of three words.
    else if (url.includes('?scope')) expect(outcome).toBe('malformed-url')
    // A file of the examples may be here or not.
    else if (scheme === 'file') expect(outcome).toMatch(/^(?:retrieved|not-found|not-local|refused)$/)
    else expect(outcome).toMatch(/^(?:connect-failed|retrieved|handoff to [a-z0-9-]+)$/)
    if (!madeUp.has(scheme) && outcome !== 'malformed-url')
      expect(JSON.stringify(explain(url))).toContain(findScheme(scheme)?.mechanism)
  })
})
