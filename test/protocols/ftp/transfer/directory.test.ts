/** A name that turns out to be a directory: RETR says 550, CWD of the same name 250. The listing comes, and says so. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RetrieveOptions } from '@retriever/fetchers'
import { describe, expect, test } from 'vitest'
import { entriesOf } from '../../../support/entries.ts'
import { remarks } from '../../../support/events.ts'
import { failure as failureOf } from '../../../support/failure.ts'
import { chunkings, expectSame, octets } from '../../../support/octets.ts'
import { files, scriptedTrial, trial } from '../support/ftp-trial.ts'
import { type FtpPeer, sending } from '../support/scripted-ftp.ts'

describe('a directory named without a slash', () => {
  // needs: listings of directories found by RETR
  test.each(chunkings.map((chunking) => ({ chunking })))(
    'its listing, and a remark; chunks $chunking',
    ({ chunking }) =>
      trial({ files, faults: { chunking } }, async ({ retrieve, events, get, url }) => {
        const representation = await retrieve('pub')
        expect(representation).toMatchObject({ kind: 'listing', url: url('pub'), metadata: { format: 'mlsd' } })
        const entries = await entriesOf(representation)
        expect(entries.map(({ name }) => name)).toContain('name with spaces.txt')
        for (const entry of entries) expect(entry.url).toMatch(new RegExp(`^${url('pub/')}[^/]+/?$`))
        expect(remarks(events)).toHaveLength(1)
        expectSame(await get(entries.find(({ name }) => name === 'data.bin')?.url ?? 'pub/none'), octets)
      }),
  )

  // needs: listings of directories found by RETR
  test.each([
    ['three directories down', 'pub/sub/deep', 'file.txt'],
    ['with blanks', 'a%20b', 'x'],
    ['in UTF-8', 'gr%C3%BC%C3%9Fe', 'x'],
    ['from the root', '%2Fpub/sub', 'deep'],
    ['a path in one segment', 'pub%2Fsub', 'deep'],
    ['in TYPE A', 'pub/sub;type=a', 'deep'],
  ])('%s', (_, path, name) =>
    trial({ files: { '/a b/x': 'x', '/grüße/x': 'x' } }, async ({ retrieve, events }) => {
      const representation = await retrieve(path)
      expect(representation.kind).toBe('listing')
      expect((await entriesOf(representation)).map((entry) => entry.name)).toEqual([name])
      expect(remarks(events)).toHaveLength(1)
    }),
  )

  // needs: listings of directories found by RETR
  test('an empty one', () =>
    trial({}, async ({ retrieve }) => {
      const representation = await retrieve('pub/nothing')
      expect(representation.kind).toBe('listing')
      expect(await entriesOf(representation)).toEqual([])
    }))

  // needs: listings of directories found by RETR
  test('where MLSD is not known: LIST', () =>
    trial({ faults: { replies: { MLSD: '500 what?\r\n' } } }, async ({ retrieve }) => {
      const representation = await retrieve('pub')
      expect(representation).toMatchObject({ kind: 'listing', metadata: { format: 'list' } })
      expect((await entriesOf(representation)).map(({ name }) => name)).toContain('a.bin')
    }))

  // needs: listings of directories found by RETR
  test.each([true, 'explicit'] as const)('tls %s', (tls) =>
    trial({ tls, sessionReuse: true }, async ({ retrieve }) => {
      expect((await retrieve('pub')).kind).toBe('listing')
    }),
  )

  // needs: listings of directories found by RETR
  test('what is retrieved next is retrieved from where it is', () =>
    trial({ files: { '/pub/x': 'in pub', '/x': 'in the root', '/pub/sub/x': 'in sub' } }, async ({ retrieve, get }) => {
      for (let time = 0; time < 2; time++) {
        await entriesOf(await retrieve('pub'))
        expect((await get('x')).toString()).toBe('in the root')
        await entriesOf(await retrieve('pub/sub'))
        expect((await get('pub/x')).toString()).toBe('in pub')
        expect((await get('pub/sub/x')).toString()).toBe('in sub')
        expect((await get('x')).toString()).toBe('in the root')
      }
    }))

  // needs: listings of directories found by RETR
  test('ifChangedSince is for files', () =>
    trial({}, async ({ retrieve }) => {
      const representation = await retrieve('pub', { ifChangedSince: new Date() })
      expect(representation).toMatchObject({ kind: 'listing', offset: 0 })
      expect(await representation.text()).toContain('a.bin\n')
    }))
})

describe('a directory named without a slash, where octets of a file are wanted', () => {
  const wanted = { code: 'not-found', reply: '550 Failed to open file.' }
  const advice = 'It is a directory; for its listing, write a / at the end of the URL.'

  test.each<RetrieveOptions>([{ range: [0, 9] }, { resumeFrom: 5 }, { resumeFrom: { offset: 5 } }])(
    '%j is refused, and the session goes on',
    (request) =>
      trial({ files }, async ({ failure, get, server, events }) => {
        const error = await failure('pub', request)
        expect(error).toMatchObject(wanted)
        expect(error.message).toContain(advice)
        expect(server.received.filter((line) => /^(?:MLSD|LIST|NLST)/.test(line))).toEqual([])
        expectSame(await get('pub/data.bin'), octets)
        expect(server.accepted).toBe(1)
        expect(remarks(events)).toEqual([])
      }),
  )

  test.each([{}, { append: true }, { overwrite: false }])('saveTo with %j leaves the file as it was', (options) =>
    inFolder((folder) =>
      trial({}, async ({ retrieve }) => {
        const path = join(folder, 'pub')
        if (options.overwrite !== false && options.append !== true) await writeFile(path, 'my own')
        const before = await readdir(folder)
        const error = await failureOf(retrieve('pub').then((listing) => listing.saveTo(path, options)))
        expect(error).toMatchObject(wanted)
        expect(error.message).toContain(advice)
        expect(await readdir(folder)).toEqual(before)
        for (const name of before) expect(await readFile(join(folder, name), 'utf8')).toBe('my own')
      }),
    ),
  )

  test('with the slash, the listing is what is saved', () =>
    inFolder((folder) =>
      trial({}, async ({ retrieve }) => {
        await (await retrieve('pub/')).saveTo(join(folder, 'list'))
        expect(await readFile(join(folder, 'list'), 'utf8')).toContain('a.bin\n')
      }),
    ))
})

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'retriever-'))
  try {
    await use(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

describe('what is none stays an error, in the words of RETR', () => {
  test('a missing file', () =>
    trial({}, async ({ failure, events }) => {
      expect(await failure('pub/none')).toMatchObject({ code: 'not-found', reply: '550 Failed to open file.' })
      expect(remarks(events)).toEqual([])
    }))

  test.each(['450 busy', '553 no such name', '500 what?'])('%s: no question of directories', (reply) =>
    scriptedTrial({ RETR: `${reply}\r\n` }, async ({ server, failure }) => {
      expect(await failure('a/x')).toMatchObject({ reply })
      expect(server.received).not.toContain('CWD x')
    }),
  )

  // needs: listings of directories found by RETR
  test('CWD that cannot be asked any more', () => {
    const CWD = (peer: FtpPeer, line: string): void =>
      void (line === 'CWD x' ? peer.control.destroy() : peer.say('250 -\r\n'))
    return scriptedTrial({ RETR: '550 no\r\n', CWD }, async ({ failure }) => {
      expect((await failure('a/x')).code).toMatch(/^(not-found|receive-failed)$/)
    })
  })

  test('a directory that cannot be listed, in the words of MLSD', () =>
    scriptedTrial({ RETR: '550 no\r\n', MLSD: '550 not here\r\n', LIST: sending('') }, async ({ retrieve }) => {
      const error = await failureOf(retrieve('a/x').then(entriesOf))
      expect(error).toMatchObject({ code: 'not-found', reply: '550 not here' })
    }))
})

test('a server that refuses RETR of a directory by 551 (ftp-srv): its listing comes, and a range is not-found', () =>
  scriptedTrial(
    { RETR: '551 Cannot read a directory\r\n', MLSD: sending('type=file;size=3; a.txt\r\n') },
    async ({ retrieve, failure }) => {
      expect((await retrieve('pub')).kind).toBe('listing')
      expect(await failure('pub', { range: [0, 9] })).toMatchObject({
        code: 'not-found',
        message: expect.stringContaining('write a / at the end of the URL'),
        reply: '551 Cannot read a directory',
      })
    },
  ))
