/** Lists of newsgroups: descriptions, and no further than the wildmat. */
import { type ClientOptions, createClient, type RetrievalEvent } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { entriesOf } from '../../../support/entries.ts'
import { failure } from '../../../support/failure.ts'
import { type NewsScript, scriptedNews } from '../support/scripted-news.ts'

const active = '215 list\r\na.b 9 1 y\r\na.c 9 1 n\r\nz.z 9 1 y\r\n.\r\n'
const descriptions = '215 list\r\na.b\tGr\xC3\xBC\xC3\x9Fe\r\na.c \t ?\r\nz.z\r\nother\tx\r\n.\r\n'

/** A server that takes no notice of wildmats, unless the script says otherwise. */
function lists(script: NewsScript = () => undefined): NewsScript {
  return (peer, line) => {
    const scripted = script(peer, line)
    if (scripted !== undefined) return scripted
    if (line.startsWith('LIST ACTIVE') || line === 'LIST') return active
    return line.startsWith('LIST NEWSGROUPS') ? descriptions : undefined
  }
}

async function groups(script: NewsScript, path: string, options: ClientOptions = {}) {
  await using server = await scriptedNews(script)
  const events: RetrievalEvent[] = []
  await using client = createClient({ limits: { maxRetries: 0 }, onEvent: (event) => events.push(event), ...options })
  const entries = await entriesOf(await client.retrieve(`news://127.0.0.1:${server.port}/${path}`))
  const remarks = events.flatMap((event) => (event.type === 'remark' ? [event.message] : []))
  return {
    entries,
    remarks,
    commands: server.peers.flatMap(({ commands }) => commands).filter((line) => line !== 'QUIT'),
  }
}

test('groups come with what the server says of them', async () => {
  const { entries, commands } = await groups(lists(), '*')
  expect(entries.map(({ name, details }) => [name, details?.description])).toEqual([
    ['a.b', 'Grüße'],
    ['a.c', undefined],
    ['z.z', undefined],
  ])
  expect(commands).toEqual(['LIST ACTIVE', 'LIST NEWSGROUPS'])
})

test.each(['500 what', '501 what', '503 not kept', '502 not for you', '403 broken'])(
  'groups come without descriptions where the server says %s',
  async (reply) => {
    const { entries, remarks } = await groups(
      lists((_, line) => (line.startsWith('LIST NEWSGROUPS') ? `${reply}\r\n` : undefined)),
      '*',
    )
    expect(entries.map(({ name }) => name)).toEqual(['a.b', 'a.c', 'z.z'])
    expect(remarks.length).toBe(/^50[013]/.test(reply) ? 0 : 1)
  },
)

test('groups come, and a remark, where the connection ends within the descriptions', async () => {
  const { entries, remarks } = await groups(
    lists(({ socket }, line) => {
      if (!line.startsWith('LIST NEWSGROUPS')) return undefined
      socket.end('215 list\r\na.b\tx\r\n')
      return ''
    }),
    '*',
  )
  expect(entries).toHaveLength(3)
  expect(remarks).toEqual([expect.stringContaining('The groups come without their descriptions')])
})

test('silence instead of the descriptions ends the retrieval in time', async () => {
  const silent = lists((_, line) => (line.startsWith('LIST NEWSGROUPS') ? '' : undefined))
  const error = await failure(groups(silent, '*', { limits: { idleTimeout: 300, maxRetries: 0 } }))
  expect(error).toMatchObject({ code: 'timeout' })
})

test('a server is asked for no more than the wildmat, and groups beyond it are left out', async () => {
  const { entries, commands } = await groups(lists(), 'a.*')
  expect(entries.map(({ name }) => name)).toEqual(['a.b', 'a.c'])
  expect(commands).toEqual(['LIST ACTIVE a.*', 'LIST NEWSGROUPS a.*'])
  await using server = await scriptedNews(lists())
  await using client = createClient()
  const listing = await client.retrieve(`news://127.0.0.1:${server.port}/a.*`)
  expect(await listing.text()).toBe('a.b 9 1 y\r\na.c 9 1 n\r\n')
  expect(server.peers[0]?.commands).toEqual(['LIST ACTIVE a.*'])
})

test('a server of RFC 977 sends all groups, and those of the wildmat come', async () => {
  const old = lists((_, line) => (/^LIST ./.test(line) ? '501 what\r\n' : undefined))
  const { entries, commands } = await groups(old, 'a.*')
  expect(entries.map(({ name }) => name)).toEqual(['a.b', 'a.c'])
  expect(commands).toEqual(['LIST ACTIVE a.*', 'LIST', 'LIST NEWSGROUPS a.*'])
})

test("a set in brackets is the server's to understand (RFC 3977 4.1 leaves it open)", async () => {
  const { entries } = await groups(lists(), 'a.%5Bbc%5D*')
  expect(entries).toHaveLength(3)
})

test('a flood of descriptions ends at maxCollected, since they are kept; the groups come, and a remark', async () => {
  const flood = `215 list\r\n${'a.b\tx\r\n'.repeat(100)}.\r\n`
  const script = lists((_, line) => (line.startsWith('LIST NEWSGROUPS') ? flood : undefined))
  const { entries, remarks } = await groups(script, '*', { limits: { maxRetries: 0, maxCollected: 200 } })
  expect(entries.map(({ name }) => name)).toEqual(['a.b', 'a.c', 'z.z'])
  expect(remarks).toEqual([expect.stringContaining('over 200 octets')])
})

test('a flood of groups ends at maxCollected, since they are kept', async () => {
  const flood = `215 list\r\n${'a.b 9 1 y\r\n'.repeat(100)}.\r\n`
  const script = lists((_, line) => (line.startsWith('LIST ACTIVE') ? flood : undefined))
  const limited = groups(script, '*', { limits: { maxRetries: 0, maxCollected: 200 } })
  expect(await failure(limited)).toMatchObject({ code: 'limit-exceeded' })
})
