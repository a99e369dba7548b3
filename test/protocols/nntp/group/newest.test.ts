/** The newest articles of groups whose numbers have gaps, as cancelled and expired articles leave them. */
import { type Client, createClient, type Limits } from '@retriever/fetchers'
import { nntpFetcher } from '@retriever/fetchers/nntp'
import { expect, test } from 'vitest'
import { entriesOf } from '../../../support/entries.ts'
import { remarks } from '../../../support/events.ts'
import { failure } from '../../../support/failure.ts'
import { told } from '../../../support/outcome.ts'
import { type NewsScript, type ScriptedNews, scriptedNews } from '../support/scripted-news.ts'

/** A group with the numbers of these articles; `count` is the server's estimate, `answers` what it says otherwise. */
interface Sparse {
  readonly numbers: readonly number[]
  readonly count?: number
  readonly low?: number
  readonly high?: number
  readonly answers?: NewsScript
}

function sparse({ numbers, count = numbers.length, low, high, answers }: Sparse): NewsScript {
  const bounds = { low: low ?? Math.min(...numbers), high: high ?? Math.max(...numbers) }
  return (peer, line) => {
    const scripted = answers?.(peer, line)
    if (scripted !== undefined) return scripted
    if (line.startsWith('GROUP ')) return `211 ${count} ${bounds.low} ${bounds.high} ${line.slice(6)}\r\n`
    if (line.startsWith('LISTGROUP ')) return `211 list\r\n${numbers.map((number) => `${number}\r\n`).join('')}.\r\n`
    const [, verb, from, to = from] = /^(X?OVER|HEAD) (\d+)(?:-(\d+))?$/.exec(line) ?? []
    const found = numbers.filter((number) => number >= Number(from) && number <= Number(to))
    if (verb === undefined) return undefined
    if (found.length === 0) return '423 none\r\n'
    if (verb === 'HEAD') return `221 ${from} <${from}@x>\r\nSubject: ${from}\r\nMessage-ID: <${from}@x>\r\n.\r\n`
    const lines = found.map((number) => `${number}\tS ${number}\tf\td\t<${number}@x>\t\t1\t1\r\n`)
    return `224 overview\r\n${lines.join('')}.\r\n`
  }
}

async function trial(group: Sparse, use: (client: Client, server: ScriptedNews) => Promise<void>): Promise<void> {
  await using server = await scriptedNews(sparse(group))
  const client = createClient({ limits: { maxRetries: 0, idleTimeout: 5000 } })
  await use(client, server)
  await client.close()
  await server.closed()
}

async function newest(client: Client, url: string, limit?: number): Promise<unknown[]> {
  const entries = await entriesOf(await client.retrieve(url, limit === undefined ? {} : { limit }))
  return entries.map(({ details }) => details?.number)
}

const everyTenth = Array.from({ length: 50 }, (_, index) => 10 * (index + 1))

test.each<[what: string, group: Sparse, limit: number, expected: readonly number[], asked: number]>([
  ['without gaps: in one question', { numbers: [1, 2, 3, 4, 5] }, 2, [5, 4], 1],
  ['whose newest article was cancelled', { numbers: [37, 38, 39], high: 40, count: 4 }, 1, [39], 2],
  ['with a gap below the newest', { numbers: [1, 2, 3, 4, 6], count: 6 }, 5, [6, 4, 3, 2, 1], 2],
  ['with few articles, evenly spread', { numbers: everyTenth }, 7, everyTenth.slice(-7).reverse(), 1],
  ['with fewer than are wanted', { numbers: [3, 900], count: 2 }, 5, [900, 3], 1],
  ['whose count is wrong by far', { numbers: [5, 1_000_000], count: 1_000_000 }, 2, [1_000_000, 5], 20],
  ['in which only old articles are left', { numbers: [1], high: 2_147_483_647, count: 2_000_000_000 }, 1, [1], 32],
  ['without any, although GROUP counts some', { numbers: [], low: 1, high: 1000, count: 900 }, 3, [], 10],
])('the newest articles of a group %s', (_what, group, limit, expected, asked) =>
  trial(group, async (client, server) => {
    expect(await newest(client, `${server.url}g`, limit)).toEqual(expected)
    expect(server.peers[0]?.commands.filter((line) => line.startsWith('OVER')).length).toBeLessThanOrEqual(asked)
    expect(server.peers).toHaveLength(1)
  }),
)

test('the newest articles of a range stay within it', () =>
  trial({ numbers: [5, 10, 15, 20, 30], count: 26 }, async (client, server) => {
    expect(await newest(client, `${server.url}g/10-29`, 2)).toEqual([20, 15])
    expect(await newest(client, `${server.url}g/10-29`, 9)).toEqual([20, 15, 10])
    expect(await newest(client, `${server.url}g/10-29`)).toEqual([20, 15, 10])
  }))

test('the octets of a group are the lines of its newest articles alone, the oldest first', () =>
  trial({ numbers: [1, 2, 3, 7], count: 7 }, async (client, server) => {
    const overview = await (await client.retrieve(`${server.url}g`, { limit: 3 })).text()
    expect(overview.split('\r\n').map((line) => line.split('\t')[1])).toEqual(['S 2', 'S 3', 'S 7', undefined])
  }))

const unknown = (line: string, verbs: readonly string[]): string | undefined =>
  verbs.some((verb) => line.startsWith(verb)) ? '500 what\r\n' : undefined

test('of a server without overviews, LISTGROUP names the articles to ask for', () =>
  trial(
    { numbers: [2, 1_000_000], count: 2, answers: (_, line) => unknown(line, ['OVER', 'XOVER']) },
    async (client, server) => {
      expect(await newest(client, `${server.url}g`, 2)).toEqual([1_000_000, 2])
      expect(await newest(client, `${server.url}g`, 1)).toEqual([1_000_000])
      const heads = server.peers[0]?.commands.filter((line) => line.startsWith('HEAD'))
      expect(heads).toEqual(['HEAD 2', 'HEAD 1000000', 'HEAD 1000000'])
    },
  ))

test('of a server without overviews and LISTGROUP, each number is asked for, down to the ones that exist', () =>
  trial(
    { numbers: [3, 20], count: 20, answers: (_, line) => unknown(line, ['OVER', 'XOVER', 'LISTGROUP']) },
    async (client, server) => {
      expect(await newest(client, `${server.url}g`, 2)).toEqual([20, 3])
      expect(await newest(client, `${server.url}g`, 1)).toEqual([20])
      const listGroups = server.peers[0]?.commands.filter((line) => line.startsWith('LISTGROUP'))
      expect(listGroups).toHaveLength(1)
    },
  ))

test('a field of a header with TAB, CR, LF or NUL in it has blanks there in the overview (RFC 3977 8.3.2)', () => {
  const head = 'Subject: a\tb\rc\nFrom: evil\0\r\n\td\r\nFrom: f\r\n'
  const answers: NewsScript = (_, line) =>
    line.startsWith('HEAD') ? `221 1 <1@x>\r\n${head}.\r\n` : unknown(line, ['OVER', 'XOVER'])
  return trial({ numbers: [1], answers }, async (client, server) => {
    const overview = await (await client.retrieve(`${server.url}g`)).text()
    expect(overview).toBe('1\ta b c From: evil  d\tf\t\t\t\t\t\r\n')
  })
})

test.each([
  ['below what was asked for', '1\tS\r\n'],
  ['above it', '9\tS\r\n'],
])('an overview with a number %s is the answer to something else', (_, line) =>
  trial(
    {
      numbers: [5],
      low: 5,
      high: 6,
      answers: (_, sent) => (sent === 'OVER 5-6' ? `224 x\r\n${line}.\r\n` : undefined),
    },
    async (client, server) => {
      for (const url of [`${server.url}g`, `${server.url}g/5-6`]) {
        const listing = client.retrieve(url).then(entriesOf)
        expect(await failure(listing)).toMatchObject({ code: 'protocol-violation' })
      }
    },
  ),
)

test('an overview whose second piece was asked for in a session that is lost says that it is not whole', async () => {
  const group = sparse({ numbers: [1], count: 10, high: 10 })
  await using server = await scriptedNews(async (peer, line) => {
    if (line !== 'ARTICLE 1') return group(peer, line)
    while (peer.commands.filter((command) => command.startsWith('OVER')).length < 2) await new Promise(setImmediate)
    return 'no reply\r\n'
  })
  await using client = createClient({ limits: { maxRetries: 0 }, fetchers: [nntpFetcher({ connections: 1 })] })
  const listing = await client.retrieve(`${server.url}g`, { limit: 1 })
  const broken = failure(client.retrieve(`${server.url}g/1`))
  while (!server.peers[0]?.commands.includes('ARTICLE 1')) await new Promise(setImmediate)
  expect(await failure(listing.text())).toMatchObject({ code: 'partial', transient: true })
  expect(await broken).toMatchObject({ code: 'protocol-violation' })
})

test('an article of the group that was not asked for is the answer to something else', () =>
  trial(
    {
      numbers: [5],
      low: 1,
      high: 1000,
      count: 1000,
      answers: (_, sent) => (sent === 'OVER 999-1000' ? '224 x\r\n5\tS\r\n.\r\n' : undefined),
    },
    async (client, server) => {
      const listing = client.retrieve(`${server.url}g`, { limit: 2 }).then(entriesOf)
      expect(await failure(listing)).toMatchObject({ code: 'protocol-violation' })
    },
  ))

test.each<[what: string, limits: Partial<Limits>]>([
  ['of listings', { maxListing: 100_000 }],
  ['of what is held in memory', { maxCollected: 100_000 }],
])('an overview that comes in many pieces keeps to the limit %s as a whole', async (_, limits) => {
  const subject = 'x'.repeat(60_000)
  // One article, at the beginning of each piece: there are always too few.
  await using server = await scriptedNews((_, line) => {
    const [, first] = /^OVER (\d+)/.exec(line) ?? []
    if (first !== undefined) return `224 x\r\n${first}\t${subject}\r\n.\r\n`
    return line === 'GROUP g' ? '211 9000 1 9000 g\r\n' : undefined
  })
  await using client = createClient({ limits: { ...limits, maxRetries: 0 } })
  const { body } = await client.retrieve(`${server.url}g`, { limit: 5 })
  const read = async (): Promise<void> => {
    for await (const _ of body) expect(_.length).toBeGreaterThan(0)
  }
  expect(await failure(read())).toMatchObject({ code: 'limit-exceeded' })
})

test('an overview beyond the limit of listings is given up', async () => {
  const lines = `1\t${'x'.repeat(500)}\r\n`.repeat(300)
  await using server = await scriptedNews((_, line) => (line.startsWith('OVER') ? `224 x\r\n${lines}.\r\n` : undefined))
  await using client = createClient({ limits: { maxListing: 100_000, maxRetries: 0 } })
  const listing = client.retrieve(`${server.url}g`).then((group) => group.text())
  expect(await failure(listing)).toMatchObject({ code: 'limit-exceeded' })
})

test.each([
  ['names another group', '211 9 1 9 other.group'],
  ['has numbers that no article can have', '211 9 1 9999999999999999 g'],
  ['has no numbers', '211 g'],
])('an answer to GROUP that %s is an error', (_, reply) =>
  trial(
    { numbers: [1], answers: (_, line) => (line === 'GROUP g' ? `${reply}\r\n` : undefined) },
    async (client, server) => {
      expect(await failure(client.retrieve(`${server.url}g`))).toMatchObject({ code: 'protocol-violation', reply })
    },
  ),
)

test('an article of a group that the server did not select is none', () =>
  trial(
    { numbers: [1], answers: (_, line) => (line === 'GROUP g' ? '211 9 1 9 other.group\r\n' : undefined) },
    async (client, server) => {
      expect(await failure(client.retrieve(`${server.url}g/1`))).toMatchObject({ code: 'protocol-violation' })
    },
  ))

test.each(['211 1 1 1', '211 1 1 1 group selected', '211 1 1 1 g group selected'])('%s selects the group', (reply) =>
  trial(
    { numbers: [1], answers: (_, line) => (line === 'GROUP g' ? `${reply}\r\n` : undefined) },
    async (client, server) => {
      expect(await newest(client, `${server.url}g`)).toEqual([1])
    },
  ),
)

test.each([
  ['by number, without one', 'nntp', 'g/1', '220 article follows'],
  ['by number, with one that is none', 'nntp', 'g/1', '220 1x <1@x>'],
  ['by message-id, without one', 'news', '1@x', '220 1'],
  ['by message-id, with no id behind the number', 'news', '1@x', '220 1 article follows'],
])('an article that does not say which it is, asked for %s, is refused', (_, scheme, path, reply) =>
  trial(
    {
      numbers: [1],
      answers: (_, line) => (line.startsWith('ARTICLE') ? `${reply}\r\nSubject: x\r\n\r\nx\r\n.\r\n` : undefined),
    },
    async (client, server) => {
      const url = `${scheme}://127.0.0.1:${server.port}/${path}`
      expect(await failure(client.retrieve(url))).toMatchObject({ code: 'protocol-violation', reply })
    },
  ),
)

test('an article by number needs no message-id in the answer', () =>
  trial(
    {
      numbers: [1],
      answers: (_, line) => (line === 'ARTICLE 1' ? '220 1\r\nSubject: x\r\n\r\nx\r\n.\r\n' : undefined),
    },
    async (client, server) => {
      expect(await (await client.retrieve(`${server.url}g/1`)).text()).toBe('Subject: x\r\n\r\nx\r\n')
    },
  ))

test.each([
  ['a part of the group', 2, ['The server has about 50 articles there; the newest 2 are listed (`limit`).']],
  ['the whole group', 50, []],
])('a remark says that there are more articles: %s', async (_, limit, expected) => {
  await using server = await scriptedNews(sparse({ numbers: everyTenth }))
  const { got, events } = await told(async (client) =>
    entriesOf(await client.retrieve(`${server.url}misc.test`, { limit })),
  )
  expect(got).toHaveLength(limit)
  expect(remarks(events)).toEqual(expected)
})

test('and in a range of numbers, at most as many as the range has', async () => {
  await using server = await scriptedNews(sparse({ numbers: everyTenth }))
  const of = (range: string) =>
    told(async (client) => entriesOf(await client.retrieve(`${server.url}misc.test/${range}`, { limit: 2 })))
  const [narrow, wide] = [await of('10-11'), await of('10-39')]
  expect(remarks(narrow.events)).toEqual([])
  expect(remarks(wide.events)).toEqual([expect.stringContaining('about 30 articles there; the newest 2 are listed')])
})
