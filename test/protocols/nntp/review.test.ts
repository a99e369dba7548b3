/** News servers and callers that do what none should: nothing hangs, goes on for ever, or tells what it must not. */
import { type Client, type ClientOptions, createClient, type RetrievalEvent } from '@retriever/fetchers'
import { nntpFetcher } from '@retriever/fetchers/nntp'
import { describe, expect, test } from 'vitest'
import { failure } from '../../support/failure.ts'
import { article, type NewsScript, type ScriptedNews, scriptedNews } from './support/scripted-news.ts'

interface Trial {
  readonly server: ScriptedNews
  readonly client: Client
  readonly events: readonly RetrievalEvent[]
}

/** With one connection, unless told otherwise; nothing may be open once the client is closed. */
async function trial(
  script: NewsScript,
  use: (trial: Trial) => Promise<void>,
  { limits, ...options }: ClientOptions = {},
): Promise<void> {
  await using server = await scriptedNews(script)
  const events: RetrievalEvent[] = []
  const client = createClient({
    fetchers: [nntpFetcher({ connections: 1 })],
    credentials: () => ({ user: 'alice', password: 'topsecret' }),
    onEvent: (event) => events.push(event),
    limits: { maxRetries: 0, idleTimeout: 5000, ...limits },
    ...options,
  })
  try {
    await use({ server, client, events })
  } finally {
    await client.close()
  }
  await server.closed()
}

/** Resolves once the server has been told so much. */
async function told({ peers }: ScriptedNews, command: string): Promise<void> {
  while (!peers.some(({ commands }) => commands.includes(command))) await new Promise(setImmediate)
}

describe('a server that has the client connect again and again', () => {
  const loseAfter480: NewsScript = ({ socket }, line) => {
    if (!line.startsWith('GROUP')) return undefined
    socket.end('480 login\r\n')
    return ''
  }
  const longAfter480: NewsScript = (_, line) => {
    if (line.startsWith('GROUP')) return '480 login\r\n'
    return line.startsWith('ARTICLE') ? `220 1 <1@x>\r\n${'x'.repeat(300_000)}\r\n.\r\n` : undefined
  }

  test.each([
    ['wants a login and leaves', loseAfter480],
    ['sends a long article although its group was refused', longAfter480],
  ])('one that %s is given up soon', (_, script) =>
    trial(script, async ({ server, client }) => {
      const error = await failure(client.retrieve(`${server.url}g/1`))
      expect(error).toMatchObject({ code: 'receive-failed', transient: true })
      expect(server.peers).toHaveLength(1)
    }),
  )

  test('also by many at a time', () =>
    trial(loseAfter480, async ({ server, client }) => {
      const urls = Array.from({ length: 9 }, (_, index) => `${server.url}g/${index + 1}`)
      const errors = await Promise.all(urls.map((url) => failure(client.retrieve(url))))
      expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['receive-failed']))
      expect(server.peers.length).toBeLessThan(40)
    }))
})

describe('a retrieval that is aborted or cancelled', () => {
  test('frees its slot while its login waits behind a body', () =>
    trial(
      (_, line) => (line === 'GROUP secret' ? '480 login\r\n' : undefined),
      async ({ server, client }) => {
        const controller = new AbortController()
        const first = await client.retrieve(`${server.url}open/1`)
        const secret = failure(client.retrieve(`${server.url}secret/1`, { signal: controller.signal }))
        const second = client.retrieve(`${server.url}open/2`)
        await first.text()
        const before = await second
        await told(server, 'AUTHINFO USER alice').catch(() => {})
        controller.abort()
        expect(await secret).toMatchObject({ code: 'aborted' })
        const behind = client.retrieve(`${server.url}open/3`)
        expect(await before.text()).toBe(article('2'))
        expect(await (await behind).text()).toBe(article('3'))
      },
    ))

  test('while others wait says nothing of how many the server takes', () =>
    trial(
      async ({ index, commands }, line) => {
        if (index === 0) return line === 'ARTICLE 1' ? '' : undefined
        // None comes before all three have been asked for.
        while (commands.length < 4) await new Promise(setImmediate)
        return undefined
      },
      async ({ server, client }) => {
        const controller = new AbortController()
        const stalled = failure(client.retrieve(`${server.url}g/1`, { signal: controller.signal }))
        const others = [2, 3, 4].map((number) => client.retrieve(`${server.url}g/${number}`))
        await told(server, 'ARTICLE 1')
        controller.abort()
        await stalled
        const all = await Promise.all(others.map(async (other) => (await other).text()))
        expect(all).toEqual(['2', '3', '4'].map(article))
        expect(server.peers).toHaveLength(2)
      },
    ))
})

test('a GROUP that failed for a cancelled retrieval is sent again for the next one', () => {
  let groups = 0
  let answer = (_: string): void => {}
  return trial(
    (_, line) => {
      // More than is read ahead, so that it keeps the session.
      if (line === 'ARTICLE 1') return `220 1 <1@x>\r\n${'x'.repeat(100_000)}\r\n.\r\n`
      if (line !== 'GROUP g' || ++groups > 1) return undefined
      return new Promise((resolve) => (answer = resolve))
    },
    async ({ server, client }) => {
      const controller = new AbortController()
      const first = await client.retrieve(`${server.url}other/1`)
      const gone = failure(client.retrieve(`${server.url}g/1`, { signal: controller.signal }))
      const refused = failure(client.retrieve(`${server.url}g/2`))
      const open = client.retrieve(`news://127.0.0.1:${server.port}/3@x`)
      await told(server, 'GROUP g')
      controller.abort()
      await gone
      await first.text()
      answer('403 not now\r\n')
      expect(await refused).toMatchObject({ reply: '403 not now' })
      // Holds the session.
      const held = await open
      const later = client.retrieve(`${server.url}g/4`)
      await held.text()
      expect(await (await later).text()).toBe(article('4'))
      expect(server.peers).toHaveLength(1)
    },
  )
})

describe('an overview made of HEADs', () => {
  const noOverview: NewsScript = (_, line) => (/^X?OVER/.test(line) ? '500 what\r\n' : undefined)

  test('is of no other group if the GROUP of another retrieval has failed', () => {
    let groups = 0
    return trial(
      (peer, line) => (line === 'GROUP a' && ++groups > 1 ? '403 not now\r\n' : noOverview(peer, line)),
      async ({ server, client }) => {
        const listing = await client.retrieve(`${server.url}a`)
        // GROUP b, ARTICLE, GROUP a, ARTICLE; the HEADs rely on that GROUP.
        const others = ['b/1', 'a/1'].map((each) => client.retrieve(server.url + each).catch(() => null))
        await told(server, 'GROUP b')
        const reading = listing.text()
        await (await others[0])?.text()
        expect(await failure(reading)).toMatchObject({ code: 'server-refused', reply: '403 not now' })
      },
    )
  })

  test('is of no other group, where its own GROUP has an answer that is none', () => {
    let groups = 0
    return trial(
      (peer, line) => (line === 'GROUP a' && ++groups > 1 ? '200 hello\r\n' : noOverview(peer, line)),
      async ({ server, client }) => {
        const listing = await client.retrieve(`${server.url}a`)
        await (await client.retrieve(`${server.url}b/1`)).text()
        expect(await failure(listing.text())).toMatchObject({ code: 'protocol-violation', reply: '200 hello' })
      },
    )
  })

  test.each([
    ['another article', '221 7 <7@x>\r\nSubject: 7\r\n.\r\n'],
    ['what was not asked for', '220 1 <1@x>\r\nSubject: 1\r\n\r\nbody\r\n.\r\n'],
  ])('%s in it is an error, and the end of the session', (_, answer) =>
    trial(
      (peer, line) => (line === 'HEAD 1' ? answer : noOverview(peer, line)),
      async ({ server, client }) => {
        const listing = await client.retrieve(`${server.url}g`)
        expect(await failure(listing.text())).toMatchObject({ code: 'protocol-violation' })
        expect(await (await client.retrieve(`${server.url}g/2`)).text()).toBe(article('2'))
        expect(server.peers).toHaveLength(2)
      },
    ),
  )

  test('says that it is not whole if another retrieval loses its session', () =>
    trial(
      (peer, line) => (line === 'ARTICLE 1' ? 'no reply\r\n' : noOverview(peer, line)),
      async ({ server, client }) => {
        const listing = await client.retrieve(`${server.url}g`)
        const broken = failure(client.retrieve(`${server.url}g/1`))
        await told(server, 'ARTICLE 1')
        expect(await failure(listing.text())).toMatchObject({ code: 'partial' })
        await broken
      },
    ))
})

describe('a login', () => {
  const response = Buffer.from('\0alice\0topsecret').toString('base64')

  test.each(['482 bad', '281 welcome', '383 more'])(
    'case 47, by SASL, repeated in a reply ("%s"), is shown nowhere',
    (reply) =>
      trial(
        (_, line) => {
          if (line.startsWith('GROUP')) return '480 login\r\n'
          if (line === 'CAPABILITIES') return '101 list\r\nVERSION 2\r\nSASL PLAIN\r\n.\r\n'
          if (line.startsWith('AUTHINFO SASL')) return `${reply} ${line}\r\n`
          return line === '*' ? `481 ${response} topsecret\r\n` : undefined
        },
        async ({ server, client, events }) => {
          const error = await failure(client.retrieve(`${server.url}g/1`))
          const shown = JSON.stringify([events, error, error.message])
          expect(shown).toContain('AUTHINFO SASL PLAIN <password>')
          expect(shown).not.toContain(response)
          expect(shown).not.toContain('topsecret')
        },
      ),
  )
})

test.each(['411 no topsecret', '411 no dG9wc2VjcmV0', 'no reply, topsecret'])(
  'case 47, a password repeated long after the login ("%s") is shown nowhere',
  (reply) =>
    trial(
      ({ commands }, line) => {
        if (line.startsWith('GROUP')) return commands.includes('AUTHINFO PASS topsecret') ? `${reply}\r\n` : '480 x\r\n'
        return line.startsWith('AUTHINFO') ? `${line.includes('PASS') ? 281 : 381} x\r\n` : undefined
      },
      async ({ server, client, events }) => {
        const error = await failure(client.retrieve(`${server.url}g/1`))
        expect(error.message).toContain('<password>')
        expect(JSON.stringify([events, error, error.message])).not.toMatch(/topsecret|dG9wc2VjcmV0/)
      },
    ),
)

test('a login whose password is a number changes no number of a reply', () =>
  trial(
    ({ commands }, line) => {
      if (line.startsWith('GROUP')) return commands.includes('AUTHINFO PASS 3') ? '211 3 1 3 g\r\n' : '480 x\r\n'
      if (line.startsWith('AUTHINFO')) return `${line.includes('PASS') ? 281 : 381} x\r\n`
      return line === 'ARTICLE 3' ? '220 3 <3@x>\r\nSubject: 3\r\n\r\nthree\r\n.\r\n' : undefined
    },
    async ({ server, client }) => {
      expect(await (await client.retrieve(`${server.url}g/3`)).text()).toContain('three')
    },
    { credentials: () => ({ user: 'alice', password: '3' }) },
  ))

test('the answer to an article by message-id is none to one by number', () =>
  trial(
    (_, line) => (line === 'ARTICLE 2' ? '220 0 <2@x>\r\nSubject: 2\r\n\r\nid\r\n.\r\n' : undefined),
    async ({ server, client }) => {
      expect(await failure(client.retrieve(`${server.url}g/2`))).toMatchObject({ code: 'protocol-violation' })
      const byId = await client.retrieve(`news://127.0.0.1:${server.port}/2@x`)
      expect(byId.metadata).toEqual({ messageId: '2@x' })
      await byId.cancel()
    },
  ))

test('? of a wildmat is one character, of however many octets (RFC 3977 4.2)', () =>
  trial(
    (_, line) => (line.startsWith('LIST') ? '215 list\r\nx.\xC3\xA9 9 1 y\r\nx.ab 9 1 y\r\n.\r\n' : undefined),
    async ({ server, client }) => {
      const names: string[] = []
      const listing = await client.retrieve(`news://127.0.0.1:${server.port}/x.%3F`)
      for await (const { name } of listing.entries()) names.push(name)
      expect(names).toEqual(['x.é'])
    },
  ))
