/** A file that is continued: it has grown, was cut, or is another one by now. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type RetrieveOptions } from '@retriever/fetchers'
import { describe, expect, test } from 'vitest'
import { remarks } from '../../../support/events.ts'
import { failure as failureOf } from '../../../support/failure.ts'
import { expectSame, octets } from '../../../support/octets.ts'
import { files, numberIn, type ScriptedTrial, scriptedTrial, trial } from '../support/ftp-trial.ts'
import { type FtpPeer, type Script, sending } from '../support/scripted-ftp.ts'

const path = 'pub/data.bin'
const size = octets.length
const anew = 'The octets before it are not those of the file; starting over.'

/** A file that has `before` octets when SIZE is asked for the first time, and all of them from then on. */
function growing(whole: Buffer, before: number): Script {
  let asked = 0
  let restart = 0
  return {
    SIZE: (peer) => peer.say(`213 ${asked++ === 0 ? before : whole.length}\r\n`),
    MDTM: '213 20010203040506\r\n',
    REST: (peer, line) => {
      restart = numberIn([line], 'REST') ?? 0
      peer.say('350 go on\r\n')
    },
    RETR: async (peer) => {
      const from = restart
      restart = 0
      await sending(whole.subarray(from))(peer)
    },
  }
}

describe('a file that grew on the server is continued, not refused', () => {
  const grown = Buffer.from(octets)

  test.each<[string, RetrieveOptions]>([
    ['by an offset', { resumeFrom: 8000 }],
    ['by an offset and a tail', { resumeFrom: { offset: 8000, tail: octets.subarray(100, 8000) } }],
    ['by a range', { range: [8000, null] }],
  ])('%s', (_, request) =>
    scriptedTrial(growing(grown, 9000), async ({ retrieve, get, events, server }) => {
      const representation = await retrieve(path, request)
      expect(representation.offset).toBe(8000)
      expectSame(await representation.bytes(), grown.subarray(8000))
      expect(remarks(events)).toEqual([])
      // The session is as good as new.
      expectSame(await get(path), grown)
      expect(server.peers).toHaveLength(1)
    }),
  )

  test('by more than the caller had: where the tail has proved that it goes on', () =>
    scriptedTrial(growing(grown, 30), async ({ retrieve }) => {
      const representation = await retrieve(path, { resumeFrom: { offset: 20, tail: octets.subarray(0, 20) } })
      expect(representation.offset).toBe(20)
      expectSame(await representation.bytes(), grown.subarray(20))
    }))

  test('by more than there was, and nothing proves that it goes on: refused', () =>
    scriptedTrial(growing(grown, 30), async ({ failure }) => {
      expect(await failure(path, { resumeFrom: 20 })).toMatchObject({ code: 'range-refused' })
    }))

  test('REST that is ignored is no growth, whatever the file holds', () => {
    const zeros = Buffer.alloc(12_000)
    return trial({ files: { '/zeros': zeros }, faults: { ignoreRestart: true } }, async ({ failure }) => {
      expect(await failure('zeros', { resumeFrom: 8000 })).toMatchObject({ code: 'range-refused' })
      const tail = zeros.subarray(0, 8000)
      expect(await failure('zeros', { resumeFrom: { offset: 8000, tail } })).toMatchObject({ code: 'range-refused' })
    })
  })
})

describe('a local file that is longer than the one on the server is an error', () => {
  test.each<RetrieveOptions>([
    { resumeFrom: size + 1 },
    { resumeFrom: { offset: size + 1 } },
    { resumeFrom: { offset: size + 1, tail: octets } },
  ])('%#', (request) =>
    trial({ files }, async ({ failure, get, server, events }) => {
      const error = await failure(path, request)
      expect(error.code).toBe('resume-failed')
      expect(error.message).toContain(`The file has ${size} octets, but ${size + 1} are there already;`)
      expect(server.received.filter((line) => /^(?:RETR|REST)/.test(line))).toEqual([])
      expectSame(await get(path), octets)
      expect(server.accepted).toBe(1)
      expect(remarks(events)).toEqual([])
    }),
  )

  test('also where the server knows no REST', () =>
    trial({ files, faults: { replies: { REST: '502 no\r\n' } } }, async ({ failure, retrieve }) => {
      expect((await retrieve(path, { resumeFrom: 5 })).offset).toBe(0)
      expect(await failure(path, { resumeFrom: size + 1 })).toMatchObject({ code: 'resume-failed' })
    }))

  test('what is known to be another file comes whole instead', () =>
    trial({ files }, async ({ retrieve, events }) => {
      const representation = await retrieve(path, { resumeFrom: { offset: size + 1, size: size + 5 } })
      expect(representation.offset).toBe(0)
      expectSame(await representation.bytes(), octets)
      expect(remarks(events)[0]).toContain(`Its size is ${size} now, and was ${size + 5}`)
    }))
})

describe('the tail of what the caller has is compared with what the server sends', () => {
  test.each([1, 100, 4096, 4097, 5000, size - 1, size])('the same, %i octets of it: the rest', (offset) =>
    trial({ files }, async ({ retrieve, get, server, events }) => {
      const tail = octets.subarray(0, offset)
      const representation = await retrieve(path, { resumeFrom: { offset, tail } })
      expect(representation).toMatchObject({ offset, size: size - offset })
      expectSame(await representation.bytes(), octets.subarray(offset))
      expect(numberIn(server.received, 'REST') ?? 0).toBe(Math.max(0, offset - 4096))
      expectSame(await get(path), octets)
      expect(server.accepted).toBe(1)
      expect(remarks(events)).toEqual([])
    }),
  )

  test.each([
    ['the first octet of it', 0],
    ['the last octet of it', 4095],
  ])('another file, by %s: the whole, and a remark', (_, at) =>
    trial({ files }, async ({ retrieve, server, events }) => {
      const tail = Uint8Array.from(octets.subarray(5000 - 4096, 5000))
      tail[at] = (tail[at] ?? 0) ^ 1
      const representation = await retrieve(path, { resumeFrom: { offset: 5000, tail } })
      expect(representation).toMatchObject({ offset: 0, size })
      expectSame(await representation.bytes(), octets)
      expect(remarks(events)).toEqual([anew])
      expect(server.accepted).toBe(2)
    }),
  )

  test('a whole file of the same length that has changed at its end is found out', () =>
    trial({ files }, async ({ retrieve, events }) => {
      const representation = await retrieve(path, { resumeFrom: { offset: size, tail: new Uint8Array(4096) } })
      expect(representation).toMatchObject({ offset: 0, size })
      expectSame(await representation.bytes(), octets)
      expect(remarks(events)).toEqual([anew])
    }))

  test('a file of the same end that was modified later is another one, even if it only grew', () =>
    trial({ files }, async ({ retrieve, events }) => {
      const since = new Date('2000-01-01T00:00:00Z')
      const same = { offset: size, tail: octets.subarray(-4096), since }
      expect((await retrieve(path, { resumeFrom: { ...same, since: new Date() } })).offset).toBe(size)
      expect((await retrieve(path, { resumeFrom: same })).offset).toBe(0)
      const grown = { offset: 5000, tail: octets.subarray(0, 5000) }
      expect((await retrieve(path, { resumeFrom: { ...grown, since } })).offset).toBe(0)
      const why = 'It has been modified since; starting over.'
      expect(remarks(events)).toEqual([why, why])
      expect((await retrieve(path, { resumeFrom: grown })).offset).toBe(5000)
    }))

  test('a server that ignores REST is found out at once: the whole', () =>
    trial({ files, faults: { ignoreRestart: true } }, async ({ retrieve, events }) => {
      const tail = octets.subarray(1000, 8000)
      const representation = await retrieve(path, { resumeFrom: { offset: 8000, tail } })
      expect(representation.offset).toBe(0)
      expectSame(await representation.bytes(), octets)
      expect(remarks(events)).toEqual([anew])
    }))

  test('a transfer that breaks off within the tail is taken up', () =>
    trial({ files, faults: { cutAfter: 1000, bodies: 1 } }, async ({ retrieve, server }) => {
      const tail = octets.subarray(0, 8000)
      const representation = await retrieve(path, { resumeFrom: { offset: 8000, tail } })
      expect(representation.offset).toBe(8000)
      expectSame(await representation.bytes(), octets.subarray(8000))
      expect(server.accepted).toBe(2)
    }))

  test('the file that is continued is right in the end, whatever it was', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'retriever-'))
    const target = join(folder, 'data.bin')
    try {
      for (const [local, append] of [
        [octets.subarray(0, 7000), true],
        [new Uint8Array(7000), false],
      ] as const) {
        await writeFile(target, local)
        await trial({ files }, async ({ retrieve }) => {
          const representation = await retrieve(path, { resumeFrom: { offset: 7000, tail: local } })
          expect(representation.offset > 0).toBe(append)
          await representation.saveTo(target, { append })
        })
        expectSame(await readFile(target), octets)
      }
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  test('an abort within the tail closes everything', () => {
    const controller = new AbortController()
    const RETR = async (peer: FtpPeer): Promise<void> => {
      peer.say('150 -\r\n')
      const data = await peer.data()
      data.write(octets.subarray(0, 10), () => controller.abort())
    }
    const script: Script = { ...growing(Buffer.from(octets), size), RETR }
    return scriptedTrial(script, async ({ failure }: ScriptedTrial) => {
      const resumeFrom = { offset: 5000, tail: octets.subarray(0, 5000) }
      expect(await failure(path, { resumeFrom, signal: controller.signal })).toMatchObject({ code: 'aborted' })
    })
  })
})

test.each([[{ offset: 3, tail: 'abc' }], [{ offset: 2, tail: new Uint8Array(3) }], [{ offset: 3, tail: [1, 2, 3] }]])(
  '%j is no place to go on from',
  async (resumeFrom) => {
    await using client = createClient()
    const retrieval = client.retrieve('ftp://h/x', { resumeFrom } as RetrieveOptions)
    expect(await failureOf(retrieval)).toMatchObject({ code: 'invalid-option' })
  },
)
