/** R22: whatever the segments are, the events are the same; so are those of TLS records. */
import type { RetrievalEvent } from '@retriever/fetchers'
import type { Faults, FtpServerOptions } from '@retriever/servers'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { entriesOf } from '../../../support/entries.ts'
import { chunkings } from '../../../support/octets.ts'
import { runs } from '../../../support/runs.ts'
import { files, type Trial, trial } from '../support/ftp-trial.ts'

interface Dialogue {
  readonly options?: FtpServerOptions
  readonly faults?: Faults
  /** More than one retrieval. */
  readonly several?: boolean
  run(trial: Trial): Promise<unknown>
}

const wordy: Faults['replies'] = {
  greeting: '220-Welcome.\r\n421 is not the end\r\n \r\n220-\r\n220 Ready.\r\n',
  230: '230-One\r\n  230 two\r\n\r\n331-three\r\n230 In.\r\n',
  250: '250-Message of the directory.\r\n250-\r\n250 There.\r\n',
}

const dialogues: Readonly<Record<string, Dialogue>> = {
  'a file three directories down': { run: ({ get }) => get('pub/sub/deep/file.txt') },
  'a binary file': { options: { files }, run: ({ get }) => get('pub/data.bin') },
  'an empty file': { run: ({ get }) => get('pub/empty.txt') },
  'text with local line ends': { run: ({ get }) => get('pub/dots.txt;type=a') },
  'a user with a password': { run: ({ get, url }) => get(url('pub/hello.txt', 'alice:secret')) },
  'replies of several lines': { faults: { replies: wordy }, run: ({ get }) => get('pub/hello.txt') },
  'an empty segment': { options: { nullCwd: 'refuse' }, run: ({ get }) => get('/pub/hello.txt') },
  'a range': { run: async ({ get }) => [...(await get('pub/a.bin', { range: [4090, null] }))] },
  'a missing file': { run: ({ failure }) => failure('pub/none.txt').then(({ code }) => code) },
  'a missing directory': { run: ({ failure }) => failure('none/none.txt').then(({ code }) => code) },
  'a wrong password': { run: ({ failure, url }) => failure(url('x', 'alice:wrong')).then(({ code }) => code) },
  'a listing': { run: async ({ retrieve }) => entriesOf(await retrieve('pub/')) },
  'names alone': { run: async ({ retrieve }) => entriesOf(await retrieve('pub;type=d')) },
  'a listing that takes three tries': {
    faults: { replies: { MLSD: '500-what?\r\n500 what?\r\n', LIST: '502 no\r\n' } },
    run: async ({ retrieve }) => entriesOf(await retrieve('pub/')),
  },
  'EPSV refused': { faults: { replies: { EPSV: '522 no\r\n' } }, run: ({ get }) => get('pub/hello.txt') },
  'the final reply before the data': { faults: { earlyReply: true }, run: ({ get }) => get('pub/hello.txt') },
  'file after file': {
    several: true,
    run: async ({ get }) => {
      await get('pub/hello.txt')
      await get('pub/dots.txt')
      await get('pub/empty.txt')
      await get('pub/sub/deep/file.txt')
      return get('readme.txt')
    },
  },
  'a file, a listing, a file': {
    several: true,
    run: async ({ get, retrieve }) => {
      await get('pub/hello.txt')
      await entriesOf(await retrieve('pub/'))
      return get('pub/hello.txt')
    },
  },
  'a file in TLS': { options: { tls: true }, run: ({ get }) => get('pub/hello.txt') },
  'file after file in TLS, its session demanded': {
    several: true,
    options: { tls: true, sessionReuse: true },
    run: async ({ get }) => {
      await get('pub/hello.txt')
      await get('pub/dots.txt')
      return get('pub/sub/deep/file.txt')
    },
  },
  'a listing after AUTH TLS': {
    options: { tls: 'explicit' },
    run: async ({ retrieve }) => entriesOf(await retrieve('pub/')),
  },
}

/** The content, and every event about it. */
async function play(
  { options = {}, faults = {}, several = false, run }: Dialogue,
  chunking: NonNullable<Faults['chunking']>,
) {
  return await trial({ ...options, faults: { ...faults, chunking } }, async ({ server, events, ...scene }) => {
    const result = await run({ server, events, ...scene })
    const control = events.filter((event) => event.type !== 'progress' && !isData(event, server.port))
    const order = several ? inParts(control) : control
    return stable({ result, order, ...sums(events, server.port) }, server.port)
  })
}

/**
 * An EPSV that rides behind RETR is answered after the final reply: before or after the next retrieval has begun, and
 * perhaps when all is over. So what is sent, what is received, and what it means stand in three orders.
 */
function inParts(events: readonly RetrievalEvent[]) {
  const received = events.filter(({ type }) => type === 'received')
  const last = received.at(-1)
  if (last?.type === 'received' && last.octets.startsWith('229')) received.pop()
  return {
    sent: events.filter(({ type }) => type === 'sent'),
    received,
    rest: events.filter(({ type }) => type !== 'sent' && type !== 'received'),
  }
}

/**
 * Data come by another connection, in other pieces: of them the last number counts, and how many connections there
 * were.
 */
function sums(events: readonly RetrievalEvent[], port: number) {
  const isLast = (event: RetrievalEvent, index: number): boolean =>
    event.type === 'progress' && events.slice(index + 1).find(isProgressOrDone)?.type !== 'progress'
  return { data: events.filter((event) => isData(event, port)).length, progress: events.filter(isLast) }
}

function isData(event: RetrievalEvent, port: number): boolean {
  return (event.type === 'connected' && event.port !== port) || (event.type === 'secured' && event.resumed)
}

function isProgressOrDone({ type }: RetrievalEvent): boolean {
  return type === 'progress' || type === 'done'
}

/** As text, without what is another one each time: the ports and times. */
function stable(value: unknown, port: number): string {
  return JSON.stringify(value, (name, part) => (/^tim(?:e|ings)$/.test(name) ? undefined : part), 1)
    .replaceAll(String(port), 'PORT')
    .replace(/"localPort": \d+/g, '"localPort": PORT')
    .replace(/\|\|\|\d+\|/g, '|||PORT|')
    .replace(/\(127,0,0,1,\d+,\d+\)/g, '(PORT)')
}

// No timer ends: on a busy machine a reply to a first pipeline may come so late that its command is sent again.
beforeAll(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterAll(() => void vi.useRealTimers())

describe.each(Object.entries(dialogues))('%s', (_, dialogue) => {
  let whole: string
  beforeAll(async () => {
    whole = await play(dialogue, 'whole')
  })

  test.each(chunkings.slice(1).map((chunking) => ({ chunking })))(
    '$chunking: the same events, the same octets',
    async ({ chunking }) => {
      expect(await play(dialogue, chunking)).toBe(whole)
    },
  )
})

test('property 11: any partition of what the server says', async () => {
  const whole = new Map<Dialogue, Promise<string>>()
  const expected = (dialogue: Dialogue): Promise<string> => {
    const known = whole.get(dialogue) ?? play(dialogue, 'whole')
    whole.set(dialogue, known)
    return known
  }
  const cuts = fc.array(fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 120 })), {
    minLength: 1,
    maxLength: 20,
  })
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.values(dialogues)), cuts, async (dialogue, chunking) => {
      expect(await play(dialogue, chunking)).toBe(await expected(dialogue))
    }),
    { numRuns: runs(60) },
  )
}, 60_000)

test('the events of a dialogue say what happened', async () => {
  const events = await play(dialogues['a file three directories down'] as Dialogue, 'glued')
  for (const part of ['USER anonymous', '331 Please', 'CWD deep', '229 Entering', '226 Transfer complete', '"done"']) {
    expect(events).toContain(part)
  }
})
