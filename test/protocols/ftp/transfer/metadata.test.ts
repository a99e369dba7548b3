/** Metadata alone (`head`), ranges that keep the session, and maxSize: what is not wanted is not asked for. */
import type { RetrieveOptions } from '@retriever/fetchers'
import { ftpFetcher } from '@retriever/fetchers/ftp'
import { describe, expect, test } from 'vitest'
import { remarks, retries } from '../../../support/events.ts'
import { expectSame, octets } from '../../../support/octets.ts'
import { dialogues, files, scriptedTrial, trial } from '../support/ftp-trial.ts'
import type { FtpPeer, Script } from '../support/scripted-ftp.ts'

const path = 'pub/data.bin'
const size = octets.length
const modified = new Date('2001-02-03T04:05:06Z')
const head: RetrieveOptions = { head: true }
const transfers = /^(?:RETR|REST|MLSD|LIST|NLST|EPSV|PASV)/

describe('metadata alone', () => {
  test('of a file: SIZE and MDTM, no port and no RETR', () =>
    trial({ files }, async ({ retrieve, server }) => {
      const representation = await retrieve(path, head)
      expect(representation).toMatchObject({ kind: 'object', size, modified, completeness: 'verified' })
      expect(await representation.bytes()).toHaveLength(0)
      expect(server.received).toEqual([
        'USER anonymous',
        'PASS anonymous@',
        'CWD pub',
        'TYPE I',
        'SIZE data.bin',
        'MDTM data.bin',
      ])
    }))

  test('the session serves the next retrieval, and the port that was asked for ahead too', () =>
    trial({ files }, async ({ retrieve, get, server, events }) => {
      for (let times = 0; times < 3; times++) expectSame(await get(path), octets)
      await retrieve(path, head)
      expectSame(await get(path), octets)
      expect(server.accepted).toBe(1)
      expect(retries(events)).toEqual([])
    }))

  test('warm, in the same directory: one flight', () =>
    trial({ files }, async ({ retrieve, server, get }) => {
      await get('pub/hello.txt')
      const before = server.received.length
      expect(await retrieve(path, head)).toMatchObject({ size, modified })
      expect(server.received.slice(before)).toEqual(['SIZE data.bin', 'MDTM data.bin'])
      expect(server.accepted).toBe(1)
    }))

  test('warm, in another directory: one flight, with the way back in it', () =>
    scriptedTrial(
      { SIZE: '213 14\r\n', MDTM: '213 20010203040506\r\n' },
      async ({ retrieve, server, get }) => {
        // The second session is the first that asks for the way back.
        for (const name of ['a/x', 'b/x', 'a/x']) await get(name)
        const before = server.segments.length
        expect(await retrieve('b/x', head)).toMatchObject({ size: 14, modified })
        expect(server.segments.slice(before)).toEqual(['CWD /\r\nPWD\r\nCWD b\r\nSIZE x\r\nMDTM x\r\n'])
        expect(server.peers).toHaveLength(2)
      },
      { fetchers: [ftpFetcher({ connections: 1 })] },
    ))

  test('one command at a time', () =>
    trial(
      { files },
      async ({ retrieve, server }) => {
        await retrieve('pub/hello.txt', head)
        const before = server.received.length
        expect(await retrieve(path, head)).toMatchObject({ size, modified })
        expect(server.received.slice(before)).toEqual(['SIZE data.bin', 'MDTM data.bin'])
      },
      { fetchers: [ftpFetcher({ pipelining: false })] },
    ))

  test('of text: its time, and no size', () =>
    trial({ files }, async ({ retrieve, server }) => {
      expect(await retrieve('pub/hello.txt;type=a', head)).toMatchObject({ size: null, modified })
      expect(server.received.filter((line) => transfers.test(line))).toEqual([])
    }))

  test('of a missing file: not-found, in the words of SIZE', () =>
    trial({ files }, async ({ failure, get, server }) => {
      expect(await failure('pub/none', head)).toMatchObject({
        code: 'not-found',
        reply: '550 Could not get file size.',
      })
      expectSame(await get(path), octets)
      expect(server.accepted).toBe(1)
    }))

  test.each(['pub/sub/', 'pub/sub;type=d', 'pub/sub'])('of the directory %s: that it is there', (name) =>
    trial({ files }, async ({ retrieve, get, server, events }) => {
      const listing = await retrieve(name, head)
      expect(listing).toMatchObject({ kind: 'listing', size: null, mediaType: 'text/plain' })
      expect(await listing.text()).toBe('')
      expect(server.received.filter((line) => transfers.test(line))).toEqual([])
      expect(remarks(events)).toHaveLength(name === 'pub/sub' ? 1 : 0)
      expect((await get('pub/sub/deep/file.txt')).toString()).toBe('Three directories down.\n')
      expect(server.accepted).toBe(1)
    }),
  )

  test.each(['none/', 'pub/none/', 'pub/none;type=d'])('of the missing directory %s: not-found', (name) =>
    trial({}, async ({ failure }) => {
      expect(await failure(name, head)).toMatchObject({ code: 'not-found' })
    }),
  )

  test('of a directory to which MDTM gives a time: it is no file', () => {
    const CWD = (peer: FtpPeer): void => peer.say('250 there\r\n')
    const script: Script = { SIZE: '550 not a plain file\r\n', MDTM: '213 20010203040506\r\n', CWD }
    return scriptedTrial(script, async ({ retrieve }) => {
      expect((await retrieve('pub', head)).kind).toBe('listing')
    })
  })

  test('where the server knows neither SIZE nor MDTM: a remark says that nothing is known', () =>
    scriptedTrial({ CWD: '550 no\r\n' }, async ({ retrieve, events, server }) => {
      expect(await retrieve('x', head)).toMatchObject({ kind: 'object', size: null, modified: null })
      expect(remarks(events)).toEqual(['The server tells neither size nor time of it.'])
      expect(server.received.filter((line) => transfers.test(line))).toEqual([])
    }))

  test.each<[string, RetrieveOptions, object]>([
    ['a range', { range: [10, 19] }, { offset: 10, size: 10 }],
    ['resumeFrom', { resumeFrom: 5000 }, { offset: 5000, size: size - 5000 }],
  ])('with %s: what would come', (_, request, expected) =>
    trial({ files }, async ({ retrieve }) => {
      expect(await retrieve(path, { ...head, ...request })).toMatchObject(expected)
    }),
  )

  test('with ifChangedSince: not-modified', () =>
    trial({ files }, async ({ failure }) => {
      expect(await failure(path, { ...head, ifChangedSince: modified })).toMatchObject({ code: 'not-modified' })
    }))

  test('of a hundred files, over one session', () =>
    trial({ files }, async ({ client, url, server }) => {
      const urls = Array.from({ length: 100 }, (_, index) => url(`${path}#${index}`))
      const sizes: (number | null | undefined)[] = []
      for await (const { representation } of client.retrieveAll(urls, head)) sizes.push(representation?.size)
      expect(sizes).toEqual(urls.map(() => size))
      expect(server.accepted).toBeLessThanOrEqual(4)
      expect(server.received.filter((line) => transfers.test(line))).toEqual([])
    }))
})

describe('a range keeps the session where little comes behind it', () => {
  const big = Buffer.concat(Array.from({ length: 20 }, () => octets))
  const place = { files: { ...files, '/big.bin': big } }

  test.each<[string, [number, number | null]]>([
    ['at the beginning', [0, 99]],
    ['in the middle', [5000, 5999]],
    ['up to the last octet', [10_000, size - 1]],
    ['beyond the end', [10_000, size + 100]],
    ['the whole', [0, size - 1]],
  ])('%s', (_, range) =>
    trial(place, async ({ get, server }) => {
      for (let times = 0; times < 3; times++) {
        expectSame(await get(path, { range }), octets.subarray(range[0], (range[1] ?? size) + 1))
      }
      expectSame(await get(path), octets)
      expect(server.accepted).toBe(1)
    }),
  )

  test('but not where much does: that is not read', () =>
    trial(place, async ({ get, server }) => {
      expectSame(await get('big.bin', { range: [0, 99] }), big.subarray(0, 100))
      expectSame(
        await get('big.bin', { range: [big.length - 60_000, big.length - 50_000] }),
        big.subarray(-60_000, -49_999),
      )
      expectSame(await get(path), octets)
      expect(dialogues(server.received)).toHaveLength(2)
    }))

  test.each<[string, (peer: FtpPeer) => void]>([
    ['stalls', () => {}],
    ['is broken off', (peer) => peer.say('426 no more\r\n')],
    ['is lost with the session', (peer) => void peer.control.destroy()],
  ])('a rest that %s costs the session, not the range', (_, then) => {
    const RETR = async (peer: FtpPeer): Promise<void> => {
      peer.say('150 -\r\n')
      const data = await peer.data()
      data.write('Hello', () => then(peer))
    }
    const script: Script = { SIZE: '213 14\r\n', MDTM: '213 20010203040506\r\n', RETR }
    return scriptedTrial(
      script,
      async ({ get, server }) => {
        for (let times = 0; times < 2; times++) {
          expect((await get('hello.txt', { range: [0, 4] })).toString()).toBe('Hello')
        }
        expect(server.peers).toHaveLength(2)
      },
      { limits: { idleTimeout: 400 } },
    )
  })
})

describe('a file that is known to be over maxSize is not asked for', () => {
  test.each([
    ['cold', 0],
    ['warm', 2],
  ])('%s', (_, before) =>
    trial(
      { files },
      async ({ get, failure, server }) => {
        for (let times = 0; times < before; times++) await get('pub/hello.txt')
        const error = await failure(path)
        expect(error).toMatchObject({ code: 'limit-exceeded', phase: 'body' })
        expect(error.message).toContain(`${size} octets, and the limit set by \`limits.maxSize\` is ${size - 1}`)
        expect(server.received).not.toContain('RETR data.bin')
        await get('pub/hello.txt')
        expect(server.accepted).toBe(1)
      },
      { limits: { maxSize: size - 1 } },
    ),
  )

  test('but a part of it that is small enough comes, and its metadata', () =>
    trial(
      { files },
      async ({ get, retrieve }) => {
        expectSame(await get(path, { range: [0, 99] }), octets.subarray(0, 100))
        expectSame(await get(path, { range: [size - 100, null] }), octets.subarray(-100))
        expect(await retrieve(path, head)).toMatchObject({ size })
      },
      { limits: { maxSize: 100 } },
    ))

  test('of the very size it comes', () =>
    trial({ files }, async ({ get }) => expectSame(await get(path), octets), { limits: { maxSize: size } }))
})
