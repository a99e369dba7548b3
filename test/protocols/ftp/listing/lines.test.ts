import type { Entry } from '@retriever/fetchers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ListingFormat, readEntries } from '../../../../packages/fetchers/src/protocols/ftp/listing/entries.ts'
import { runs } from '../../../support/runs.ts'

/** threats.md section 4, properties 13 and 14, of the lines themselves, without a server: thousands of listings. */

async function read(format: ListingFormat, lines: readonly string[]): Promise<Entry[]> {
  async function* source(): AsyncGenerator<string> {
    yield* lines
  }
  const entries: Entry[] = []
  for await (const entry of readEntries(source(), format, { url: 'ftp://h/pub/', name: '' })) entries.push(entry)
  return entries
}

const octets = fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)) })
const pieces =
  '-rw-r--r-- |drwxr-xr-x |d [R----F--] |1 |ann |27 |Feb |3 |2001 |04:05 |2001-02-03 | -> |+|,|\t|s1|m1|r|/|02-03-01  |04:05AM |<DIR> |A.B;1|.DIR;1| |1/3 |3-FEB-2001 |[A,B] |(RWED,,,)|%RMS-E-PRV, |Directory A:[B]|Total of 1 file|total 1|type=file;|size=1;|modify=20010203040506;|; |=|..|.|\0|__proto__=|constructor=1;'.split(
    '|',
  )
const line = fc
  .oneof(
    octets,
    fc.array(fc.oneof(fc.constantFrom(...pieces), octets), { maxLength: 12 }).map((parts) => parts.join('')),
  )
  .map((text) => text.replaceAll('\n', ''))
const anyFormat = fc.constantFrom<ListingFormat>('mlsd', 'list', 'nlst')

test('property 14: no line throws, leads out of the directory, or gives a number or date that is none', async () => {
  await fc.assert(
    fc.asyncProperty(anyFormat, fc.array(line, { maxLength: 8 }), async (format, lines) => {
      const entries = await read(format, lines)
      expect(entries.length).toBeLessThanOrEqual(lines.length)
      for (const { url, size, modified, kind } of entries) {
        if (url !== null) expect(url).toMatch(/^ftp:\/\/h\/pub\/(?!\.{1,2}\/?$)[\w.%-]+\/?$/)
        if (url !== null) expect(url).not.toContain('%2F')
        if (url === null) expect(['other', 'info']).toContain(kind)
        if (size !== undefined) expect(Number.isSafeInteger(size) && size >= 0, String(size)).toBe(true)
        if (modified !== undefined) expect(Number.isFinite(modified.getTime())).toBe(true)
      }
    }),
    { numRuns: runs(3000) },
  )
})

/** Good lines of each format, and what they name. */
const good: Readonly<Record<string, (name: string) => readonly string[]>> = {
  'ls -l': (name) => [`-rw-r--r--   1 ann      ann            27 Feb  3  2001 ${name}`],
  dir: (name) => [`02-03-01  04:05AM                   27 ${name}`],
  EPLF: (name) => [`+r,s27,\t${name}`],
  VMS: (name) => [`${name};1   1/3   15-JAN-1997 12:34:56 [GROUP,OWNER] (RWED,RWED,RE,)`],
  'VMS, two lines': (name) => [
    `${name};1`,
    '                  1/3   15-JAN-1997 12:34:56 [GROUP,OWNER] (RWED,RWED,RE,)',
  ],
}

test('one line of garbage costs no other line its entry', async () => {
  const formats = fc.array(fc.constantFrom(...Object.values(good)), { minLength: 1, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(formats, fc.nat(), line, async (writers, where, garbage) => {
      const names = writers.map((_, index) => `GOOD${index}.TXT`)
      const entries = writers.map((write, index) => write(names[index] ?? ''))
      entries.splice(where % (entries.length + 1), 0, [garbage])
      const found = (await read('list', entries.flat())).map(({ name }) => /^GOOD\d\.TXT/.exec(name)?.[0])
      expect(found.filter((name) => name !== undefined)).toEqual(names)
    }),
    { numRuns: runs(3000) },
  )
})

test('property 15: ls -l is read back as it was written, whatever its numbers are', async () => {
  const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
  const word = fc.oneof(
    fc.nat({ max: 2000 }).map(String),
    fc.constantFrom('ann', 'staff', 'wheel', 'ftp-admin', 'set', 'may'),
  )
  // With three, `1 14 set 2000` could be a date in Italian indeed.
  const owners = fc.oneof(fc.array(word, { minLength: 1, maxLength: 2 }), fc.constant(['group', 'domain', 'user']))
  const size = fc.oneof(
    fc.nat({ max: 40 }),
    fc.nat({ max: 3000 }),
    fc.maxSafeNat().map((big) => big % 1e15),
  )
  const day = fc.date({ min: new Date('1970-01-01'), max: new Date('2037-12-31'), noInvalidDate: true })
  const name = fc.constantFrom('x', ' x', 'a b', '27 Feb  3  2001 y', '04:05 z', '2001', 'NAME.EXT;1', '-> q')
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 99 }),
      owners,
      size,
      day,
      name,
      async (links, users, length, date, text) => {
        const month = months[date.getUTCMonth()]
        const written = `${month} ${date.getUTCDate()}  ${date.getUTCFullYear()}`
        const [entry] = await read('list', [`-rw-r--r-- ${links} ${users.join(' ')} ${length} ${written} ${text}`])
        const modified = new Date(date.toISOString().slice(0, 10))
        expect(entry).toMatchObject({ name: text, kind: 'file', size: length, modified })
      },
    ),
    { numRuns: runs(10_000) },
  )
})

/**
 * threats.md case 44, a megabyte (`npm test`: an eighth of it). No stopwatch: what is quadratic runs into the time
 * limit of the test by orders of magnitude, what is linear takes part of a second for each line.
 */
describe('a long line', () => {
  const million = runs(8) * 128 * 1024
  const heads = ['', '-rw-r--r-- ', '-rw-r--r-- 1 a a 27 Feb  3  2001 ', '02-03-01  04:05AM ', '+', 'A;1 ', ' 1 ']
  const seeds = ['-', '1', ' ', '- 1', '1 ', 'a', ';1', '=;', '; ', '(', '[', ' -> ']

  test.each(seeds)('of %j', async (seed) => {
    const long = seed.repeat(million / seed.length)
    for (const head of heads) expect((await read('list', [`${head}${long}`, 'total 0'])).length).toBeLessThanOrEqual(1)
    for (const head of ['', 'type=', 'type=file;'])
      expect((await read('mlsd', [head + long])).length).toBeLessThanOrEqual(1)
  })

  test('many lines that may go on with the one before', async () => {
    const pieces = Array.from({ length: runs(100_000) }, () => '     1/3 ')
    expect((await read('list', ['A.B;1', ...pieces])).length).toBeLessThanOrEqual(pieces.length + 1)
    expect((await read('list', ['A.B;1', ...pieces.map(() => '   [A] ')])).length).toBeLessThanOrEqual(
      pieces.length + 1,
    )
  })
})
