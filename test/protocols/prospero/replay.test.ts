/** The recordings of a real server (ISI's dirsrv of 1994), played to our client, octet for octet in both directions. */
import { readdirSync, readFileSync } from 'node:fs'
import { createClient, type Fetcher } from '@retriever/fetchers'
import { describe, expect, test } from 'vitest'
import { wholeSource } from '../../../packages/fetchers/src/kit/byte-source.ts'
import { Exchange, type Identity } from '../../../packages/fetchers/src/protocols/prospero/exchange.ts'
import { readReply } from '../../../packages/fetchers/src/protocols/prospero/replies.ts'
import { attributesCommand, listCommands } from '../../../packages/fetchers/src/protocols/prospero/session.ts'
import { tokenLines } from '../../../packages/fetchers/src/protocols/prospero/tokens.ts'
import { openDatagrams } from '../../../packages/fetchers/src/wire/transport/datagrams.ts'
import { DatagramPlayer } from './support/player.ts'
import { type Conversation, conversationsOf, numberOf, readRecording } from './support/recording.ts'

const folder = new URL('./transcripts/', import.meta.url)

const recordings = readdirSync(folder).map((name) => {
  return [name, readRecording(readFileSync(new URL(name, folder), 'latin1'))] as const
})

/** The header of our requests is 9 octets long, and a packet holds 1250 octets. These recordings try other headers. */
const otherHeaders = /^probe-(?:hdr-|two-packets)/

const conversations = recordings.flatMap(([name, datagrams]) => {
  const found = otherHeaders.test(name) ? [] : (conversationsOf(datagrams) ?? [])
  return found.map((conversation, at) => [`${name} ${at + 1}`, conversation] as const)
})

/** A fetcher that sends one recorded request, through everything that a retrieval has, and gives the answer. */
function asker({ id, request }: Conversation): Fetcher<'prospero'> {
  const identity: Identity = { nextId: () => id, head: '' }
  return {
    mechanism: 'prospero',
    async retrieve(plan, context) {
      const packets = await openDatagrams(context, plan)
      try {
        const answer = await new Exchange(packets, request, context, identity).run('request')
        const text = answer.kind === 'message' ? answer.text : ''
        return {
          outcome: 'retrieved',
          kind: 'object',
          mediaType: null,
          charset: null,
          size: null,
          modified: null,
          completeness: 'terminated',
          metadata: { hsoname: '', attributes: [], accessMethods: [] },
          body: wholeSource(Buffer.from(text, 'latin1')),
        }
      } finally {
        packets.close()
      }
    },
  }
}

const acknowledgesAll = (octets: Buffer, { answer }: Conversation): boolean => numberOf(octets) === 0 && answer !== null

test('all recordings are read', () => {
  expect(recordings.length).toBeGreaterThan(70)
  expect(conversations.length).toBeGreaterThan(70)
  for (const [name, datagrams] of recordings) {
    const announced = [...readFileSync(new URL(name, folder), 'latin1').matchAll(/^\[\d+\] [CS]: (\d+) bytes/gm)]
    expect(
      datagrams.map(({ octets }) => octets.length),
      name,
    ).toEqual(announced.map(([, size]) => Number(size)))
  }
})

describe.each(conversations.filter(([, { answer }]) => answer !== null))('%s', (_, conversation) => {
  test('is replayed', async () => {
    await using player = await DatagramPlayer.start(conversation.datagrams)
    const fetchers: Fetcher[] = [asker(conversation) as Fetcher]
    await using client = createClient({ fetchers, limits: { maxRetries: 0 } })
    const octets = await (await client.retrieve(`prospero://127.0.0.1:${player.port}/x`)).bytes()
    expect(Buffer.from(octets).toString('latin1')).toBe(conversation.answer)
    expect(player.mismatches).toEqual([])
    // The hand-made client acknowledged whole answers too, which no server waits for.
    expect(player.missing.filter((each) => !acknowledgesAll(each, conversation))).toEqual([])
  })
})

test('a request that is given up is cancelled as the recorded client did it', async () => {
  const [, conversation] = conversations.find(([name]) => name.startsWith('probe-cancel')) ?? []
  if (conversation === undefined) throw new Error('There is no recording of a cancellation.')
  await using player = await DatagramPlayer.start(conversation.datagrams)
  await using client = createClient({
    fetchers: [asker(conversation) as Fetcher],
    limits: { idleTimeout: 300, maxRetries: 0 },
  })
  await expect(client.retrieve(`prospero://127.0.0.1:${player.port}/x`)).rejects.toMatchObject({ code: 'timeout' })
  await expect.poll(() => player.missing).toEqual([])
  expect(player.mismatches).toEqual([])
})

describe('requests', () => {
  /** The recorded requests that ours mean the same as; the real client puts names in quotes that need none. */
  const same = conversations.flatMap(([name, { request }]) => {
    if (name.startsWith('probe-unbalanced-quote')) return []
    const lines = [...tokenLines(request)].filter(([word]) => word !== 'VERSION' && word !== 'AUTHENTICATE')
    const [[command = '', ...rest] = [], [second = '', options = '', word = '', ...path] = []] = lines
    const text = request.slice(request.search(/^(?:GET-OBJECT-INFO|DIRECTORY)/m))
    if (
      command === 'GET-OBJECT-INFO' &&
      lines.length === 1 &&
      rest.length === 4 &&
      !/[\r']/.test(text) &&
      text.endsWith('\n')
    ) {
      const [names = '', , hsoname = '', version = '0'] = rest
      return [[name, text, attributesCommand(names, { hsoname, version })] as const]
    }
    const isList = command === 'DIRECTORY' && second === 'LIST' && options === 'ATTRIBUTES' && word === 'COMPONENTS'
    if (!isList || lines.length > 2 || rest.length > 2 || /'/.test(text)) return []
    return [[name, text, listCommands({ hsoname: rest[1] ?? '', version: '0' }, path[0]?.split('/'))] as const]
  })

  test.each(same)('%s', (_, recorded, ours) => {
    expect(ours).toBe(recorded)
  })

  test('are many', () => {
    expect(same.length).toBeGreaterThan(25)
  })
})

describe('answers', () => {
  const answers = conversations.flatMap(([name, { answer }]) => (answer === null ? [] : [[name, answer] as const]))
  /** Answers to STATUS and PARAMETER, which we do not send. */
  const foreign = /^(?:Prospero server|PARAMETER)/

  test.each(answers.filter(([, answer]) => !foreign.test(answer)))('%s', (_, answer) => {
    const { links, attributes, failure, unresolved } = readReply(answer)
    const count = (pattern: RegExp): number => [...answer.matchAll(pattern)].length
    expect(links).toHaveLength(count(/^LINK /gm))
    const all = [...attributes, ...links.flatMap((link) => link.attributes)]
    expect(all).toHaveLength(count(/^ATTRIBUTE /gm))
    expect(failure === null).toBe(count(/^(?:FAILURE|ERROR|VERSION-NOT-SUPPORTED) /gm) === 0)
    expect(unresolved.length > 0).toBe(/^UNRESOLVED /m.test(answer))
  })
})
