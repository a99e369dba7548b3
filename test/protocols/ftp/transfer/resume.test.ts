/** resumeFrom, ifChangedSince, and what is known of a file: its size, its time. */
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RetrieveOptions } from '@retriever/fetchers'
import { ftpFetcher } from '@retriever/fetchers/ftp'
import type { Faults, FtpServerOptions } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { remarks } from '../../../support/events.ts'
import { chunkings, expectSame, octets } from '../../../support/octets.ts'
import { isFull } from '../../../support/runs.ts'
import { files, scriptedTrial, type Trial, trial } from '../support/ftp-trial.ts'

const path = 'pub/data.bin'
/** Of everything that the embedded server has. */
const time = new Date('2001-02-03T04:05:06Z')
const second = (seconds: number): Date => new Date(time.getTime() + seconds * 1000)
const size = octets.length

const place = (faults: Faults = {}, more: FtpServerOptions = {}): FtpServerOptions => ({ files, ...more, faults })
const replies = (own: NonNullable<Faults['replies']>): FtpServerOptions => place({ replies: own })

/** Retrieves with these options; the octets are those of the file from the offset that the representation names. */
async function resumed({ retrieve }: Pick<Trial, 'retrieve'>, options: RetrieveOptions, target = path) {
  const representation = await retrieve(target, options)
  expectSame(await representation.bytes(), octets.subarray(representation.offset))
  return representation
}

describe('what is known of a file', () => {
  // needs: pipelining (SIZE and MDTM where they cost no round trip)
  test('its size and its time; a length that is checked', () =>
    trial(place(), async ({ retrieve }) => {
      const representation = await retrieve(path)
      expect(representation).toMatchObject({ size, modified: time, offset: 0, completeness: 'verified' })
      expectSame(await representation.bytes(), octets)
    }))

  // needs: pipelining (SIZE and MDTM where they cost no round trip)
  test('an empty file has a size, too', () =>
    trial(place(), async ({ retrieve }) => {
      const representation = await retrieve('pub/empty.txt')
      expect(representation).toMatchObject({ size: 0, modified: time, completeness: 'verified' })
      expect(await representation.text()).toBe('')
    }))

  // needs: pipelining (SIZE and MDTM where they cost no round trip)
  test('in a kept session as in a new one', () =>
    trial(place(), async (all) => {
      for (let again = 0; again < 3; again++) {
        const representation = await all.retrieve(path)
        expect(representation).toMatchObject({ size, modified: time })
        expectSame(await representation.bytes(), octets)
      }
      expect(await all.retrieve('pub/hello.txt').then(async (hello) => [hello.size, await hello.text()])).toEqual([
        14,
        'Hello, world.\n',
      ])
    }))

  // needs: pipelining (SIZE and MDTM where they cost no round trip)
  test.each([
    ['213 20010203040506.789', '2001-02-03T04:05:06.789Z'],
    ['213 20010203040506.5', '2001-02-03T04:05:06.500Z'],
    ['213 19700101000000', '1970-01-01T00:00:00.000Z'],
    ['213 20240229235959', '2024-02-29T23:59:59.000Z'],
  ])('MDTM %s', (reply, expected) =>
    trial(replies({ MDTM: `${reply}\r\n` }), async ({ retrieve }) => {
      const representation = await retrieve(path)
      expect(representation.modified?.toISOString()).toBe(expected)
      await representation.bytes()
    }),
  )

  test.each([
    '550 no',
    '500 what?',
    '502 no',
    '213 ',
    '213 yesterday',
    '213 2001',
    '213 20011303040506',
    '213 20010203',
    '200 ok',
  ])('MDTM %s: no time, and the file comes', (reply) =>
    trial(replies({ MDTM: `${reply}\r\n` }), async ({ retrieve }) => {
      const representation = await retrieve(path)
      expect(representation.modified).toBe(null)
      expectSame(await representation.bytes(), octets)
    }),
  )

  test('text has no size and an end that is but marked', () =>
    trial(place(), async ({ retrieve }) => {
      const text = await retrieve('pub/hello.txt;type=a')
      expect(text).toMatchObject({ size: null, completeness: 'terminated' })
      expect(await text.text()).toBe('Hello, world.\n')
    }))

  test('without pipelining nothing is asked that is not needed', () =>
    trial(
      place(),
      async ({ get, server }) => {
        expectSame(await get(path), octets)
        expect(server.received.filter((line) => /^(SIZE|MDTM)/.test(line))).toEqual([])
      },
      // needs: pipelining (an option to leave it out)
      { fetchers: [ftpFetcher({ pipelining: false })] },
    ))

  // needs: pipelining (SIZE and MDTM where they cost no round trip)
  test('a file that is saved has that time', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'retrieve-test-'))
    try {
      await trial(place(), async ({ retrieve }) => (await retrieve(path)).saveTo(join(folder, 'data.bin')))
      expect((await stat(join(folder, 'data.bin'))).mtime).toEqual(time)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

describe('resumeFrom is granted', () => {
  // needs: resumption
  test.each([
    ['a number', 5000],
    ['an offset', { offset: 5000 }],
    ['with the size', { offset: 5000, size }],
    ['with the time', { offset: 5000, modified: time }],
    ['with both', { offset: 5000, size, modified: time }],
    ['with neither, in so many words', { offset: 5000, size: null, modified: null }],
    ['all but the last octet', size - 1],
    ['one octet', 1],
  ] as const)('%s', (_, resumeFrom) =>
    trial(place(), async (all) => {
      const offset = typeof resumeFrom === 'number' ? resumeFrom : resumeFrom.offset
      const representation = await resumed(all, { resumeFrom })
      expect(representation).toMatchObject({ offset, size: size - offset, completeness: 'verified' })
      expect(all.server.received).toContain(`REST ${offset}`)
      expect(remarks(all.events)).toEqual([])
    }),
  )

  // needs: resumption
  // Single octets, which cost the most, are for npm run test:all; ftp/faults.test.ts resumes by them in each run.
  test.each(chunkings.filter((each) => isFull || each !== 'bytes').map((chunking) => ({ chunking })))(
    'chunks $chunking',
    ({ chunking }) =>
      trial(place({ chunking }), async (all) => {
        expect(await resumed(all, { resumeFrom: { offset: 5000, size, modified: time } })).toMatchObject({
          offset: 5000,
        })
      }),
  )

  // needs: resumption
  test.each([true, 'explicit'] as const)('tls %s', (tls) =>
    trial(place({}, { tls, sessionReuse: true }), async (all) => {
      expect(await resumed(all, { resumeFrom: 5000 })).toMatchObject({ offset: 5000 })
    }),
  )

  // needs: resumption
  test('in a kept session; REST counts for one transfer', () =>
    trial(place(), async (all) => {
      expect(await resumed(all, {})).toMatchObject({ offset: 0 })
      expect(await resumed(all, { resumeFrom: 5000 })).toMatchObject({ offset: 5000 })
      expect(await resumed(all, {})).toMatchObject({ offset: 0 })
      expect(all.server.received.filter((line) => line.startsWith('REST'))).toEqual(['REST 5000'])
    }))

  // needs: resumption
  test('and broken off after that: it goes on where it was', () =>
    trial(place({ cutAfter: 3000, bodies: 1 }), async (all) => {
      const representation = await resumed(all, { resumeFrom: 5000 })
      expect(representation).toMatchObject({ offset: 5000 })
      expect(all.server.accepted).toBe(2)
    }))

  // needs: resumption
  test.each([300, 4500])('a range that is broken off after %i octets, with more of the file behind it', (cutAfter) =>
    trial(place({ cutAfter, bodies: 1 }), async ({ retrieve, server }) => {
      const range = [1000, 5999] as const
      expectSame(await (await retrieve(path, { range })).bytes(), octets.subarray(1000, 6000))
      expect(server.accepted).toBe(2)
    }),
  )

  // needs: resumption
  test('where the server takes one command at a time', () =>
    trial(
      place({ oneAtATime: 'close' }),
      async (all) => {
        expect(await resumed(all, { resumeFrom: { offset: 5000, size, modified: time } })).toMatchObject({
          offset: 5000,
        })
      },
      { limits: { idleTimeout: 1500 } },
    ))

  test('all of it is there already: nothing more comes, or all of it', () =>
    trial(place(), async (all) => {
      const representation = await resumed(all, { resumeFrom: size })
      expect([0, size]).toContain(representation.offset)
    }))

  test('from the first octet there is nothing to resume', () =>
    trial(place(), async (all) => {
      expect(await resumed(all, { resumeFrom: 0 })).toMatchObject({ offset: 0 })
      expect(all.server.received.filter((line) => line.startsWith('REST'))).toEqual([])
    }))
})

describe('resumeFrom is not granted: the whole comes, and a remark says why', () => {
  // needs: resumption
  test.each([
    ['the size is another one', {}, { offset: 5000, size: size + 1 }],
    ['the time is another one', {}, { offset: 5000, modified: second(1) }],
    ['it is older than it was', {}, { offset: 5000, size, modified: second(-3600) }],
    ['REST is not known', { REST: '502 no\r\n' }, 5000],
    ['REST is refused', { REST: '501 not now\r\n' }, { offset: 5000, size, modified: time }],
    ['SIZE is not known', { SIZE: '500 what?\r\n' }, 5000],
    ['SIZE is refused', { SIZE: '550 not in this mode\r\n' }, { offset: 5000, size }],
    ['SIZE says nothing', { SIZE: '213 \r\n' }, { offset: 5000, modified: time }],
    ['MDTM is not known, and the time was', { MDTM: '500 what?\r\n' }, { offset: 5000, size, modified: time }],
  ] as const)('%s', (_, own, resumeFrom) =>
    trial(replies(own), async (all) => {
      const representation = await resumed(all, { resumeFrom })
      expect(representation.offset).toBe(0)
      expect(remarks(all.events)).toHaveLength(1)
      expect(remarks(all.events)[0]).toMatch(/[a-z]{3}.*\.$/i)
    }),
  )

  test('TYPE A', () =>
    trial(place(), async ({ retrieve, server }) => {
      const text = await retrieve('pub/hello.txt;type=a', { resumeFrom: 5 })
      expect(text.offset).toBe(0)
      expect(await text.text()).toBe('Hello, world.\n')
      expect(server.received.filter((line) => line.startsWith('REST'))).toEqual([])
    }))

  test('a listing', () =>
    trial(place(), async ({ retrieve, server, events }) => {
      const listing = await retrieve('pub/', { resumeFrom: 5 })
      expect(remarks(events)).toEqual([
        'The option `resumeFrom` gets the resource from its beginning: FTP supports it for objects only.',
      ])
      expect(listing).toMatchObject({ kind: 'listing', offset: 0 })
      expect(await listing.text()).toContain('data.bin\n')
      expect(server.received.filter((line) => line.startsWith('REST'))).toEqual([])
    }))

  test('a missing file is missing', () =>
    trial(place(), async ({ failure }) => {
      expect(await failure('pub/none', { resumeFrom: 5000 })).toMatchObject({ code: 'not-found' })
    }))
})

describe('ifChangedSince', () => {
  // needs: resumption (conditions)
  test.each([
    ['the very time', time],
    ['later', second(1)],
  ])('%s: not-modified, and no octet is asked for', (_, ifChangedSince) =>
    trial(place(), async ({ failure, server, get }) => {
      expect(await failure(path, { ifChangedSince })).toMatchObject({ code: 'not-modified' })
      expect(server.received.filter((line) => /^(RETR|REST)/.test(line))).toEqual([])
      // It was a good end, of which nothing is left.
      expectSame(await get(path), octets)
    }),
  )

  // needs: resumption (conditions)
  test('step by step, too', () =>
    trial(
      place(),
      async ({ failure, get }) => {
        expect(await failure(path, { ifChangedSince: time })).toMatchObject({ code: 'not-modified' })
        expectSame(await get(path, { ifChangedSince: second(-1) }), octets)
        expect(await failure(path, { ifUnchangedSince: second(-1) })).toMatchObject({ code: 'not-modified' })
        expectSame(await get(path, { ifUnchangedSince: time }), octets)
      },
      { fetchers: [ftpFetcher({ pipelining: false })] },
    ))

  test('earlier: the file comes', () =>
    trial(place(), async (all) => {
      await resumed(all, { ifChangedSince: second(-1) })
    }))

  test.each([
    { MDTM: '502 no\r\n' },
    { MDTM: '550 no\r\n' },
    { MDTM: '213 99999999999999\r\n' },
    { MDTM: '213 0\r\n' },
  ])('%j: nobody knows, so the file comes', (own) =>
    trial(replies(own), async (all) => {
      await resumed(all, { ifChangedSince: second(3600) })
    }),
  )

  test('a listing comes: nobody knows', () =>
    trial(place(), async ({ get }) => {
      expect((await get('pub/', { ifChangedSince: second(3600) })).toString()).toContain('data.bin')
    }))

  test('a missing file is missing, not unmodified', () =>
    trial(place(), async ({ failure }) => {
      expect(await failure('pub/none', { ifChangedSince: second(3600) })).toMatchObject({ code: 'not-found' })
    }))

  // needs: resumption
  test('with resumeFrom: what has changed is not resumed', () =>
    trial(place(), async (all) => {
      const point = { offset: 5000, size, modified: second(-60) }
      const representation = await resumed(all, { ifChangedSince: second(-60), resumeFrom: point })
      expect(representation.offset).toBe(0)
    }))

  // needs: resumption (conditions)
  test('in TLS', () =>
    trial(place({}, { tls: 'explicit' }), async ({ failure }) => {
      expect(await failure(path, { ifChangedSince: time })).toMatchObject({ code: 'not-modified' })
    }))
})

// needs: pipelining (SIZE and MDTM where they cost no round trip)
test('a file that has grown since SIZE was asked: what was announced, or all of it, but never too little', () =>
  scriptedTrial({ SIZE: '213 5\r\n', MDTM: '213 20010203040506\r\n' }, async ({ retrieve }) => {
    const representation = await retrieve('hello.txt')
    expect(['Hello', 'Hello, world.\n']).toContain(await representation.text())
  }))
