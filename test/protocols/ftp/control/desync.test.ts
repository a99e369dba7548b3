/**
 * Cases 66 and 67 of docs/internals/threats.md, section 1: numbers and keys that are none, replies too many or too
 * soon.
 */
import { ftpFetcher } from '@retriever/fetchers/ftp'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { entriesOf } from '../../../support/entries.ts'
import { retries } from '../../../support/events.ts'
import { expectSame, octets } from '../../../support/octets.ts'
import { runs } from '../../../support/runs.ts'
import { scriptedTrial } from '../support/ftp-trial.ts'
import { type FtpPeer, type Script, sending } from '../support/scripted-ftp.ts'

const hello = 'Hello, world.\n'

describe('case 66, hostile numbers and keys', () => {
  const file: Script = { RETR: sending(octets), MDTM: '213 20010203040506\r\n', REST: '350 go on\r\n' }

  // needs: pipelining (SIZE where it costs nothing) for what it says; today SIZE is not asked for
  test.each([
    '-5',
    '1e400',
    '0x10',
    '14.5',
    '+14',
    `${2 ** 60}`,
    `${2 ** 53}`,
    '9'.repeat(400),
    '12,288',
    'NaN',
    '',
    '1 2',
  ])('SIZE %s is none', (size) =>
    scriptedTrial({ ...file, SIZE: `213 ${size}\r\n` }, async ({ retrieve }) => {
      const representation = await retrieve('data.bin')
      expect(representation).toMatchObject({ size: null, completeness: 'terminated' })
      expectSame(await representation.bytes(), octets)
    }),
  )

  test.each(['-5', '1e400', '0x10', '12,288', `${2 ** 60}`])('SIZE %s does not move a range', (size) =>
    scriptedTrial({ ...file, SIZE: `213 ${size}\r\n` }, async ({ server, retrieve }) => {
      const representation = await retrieve('data.bin', { range: [4, 9] })
      expect(representation.size === null || representation.size === 6).toBe(true)
      expectSame(await representation.bytes(), octets.subarray(0, 6))
      expect(server.received).toContain('REST 4')
    }),
  )

  // needs: pipelining (SIZE where it costs nothing)
  test.each([`${2 ** 40}`, '999999999999999'])('SIZE %s is a size, and what is missing is missing', (size) =>
    scriptedTrial({ ...file, SIZE: `213 ${size}\r\n`, MDTM: '550 no\r\n' }, async ({ retrieve }) => {
      const representation = await retrieve('data.bin')
      expect(representation.size).toBe(Number(size))
      await expect(representation.bytes()).rejects.toMatchObject({ code: 'partial' })
    }),
  )

  test.each(['(99999999999999999999 bytes)', '(-5 bytes)', '(1e3 bytes)', '(12 bytes) (0x10 bytes)'])(
    '150 %s announces nothing',
    (words) =>
      scriptedTrial({ ...file, RETR: sending(octets, `150 data.bin ${words}\r\n`) }, async ({ retrieve }) => {
        const representation = await retrieve('data.bin')
        expect(representation.size).toBe(null)
        expectSame(await representation.bytes(), octets)
      }),
  )

  const hostile = ['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'prototype']

  test.each(hostile)('MLSD: the fact %s is one like any other', (key) =>
    scriptedTrial(
      { MLSD: sending(`${key}=polluted;type=file;size=3; x\r\ntype=file; y\r\n`) },
      async ({ retrieve }) => {
        const entries = await entriesOf(await retrieve('pub/'))
        expect(entries).toMatchObject([{ name: 'x', kind: 'file', size: 3 }, { name: 'y' }])
        expect(Object.getPrototypeOf(entries[0]?.details)).toBe(Object.prototype)
        expect(Object.keys(entries[0]?.details ?? {})).toContain(key.toLowerCase())
        expect(({} as Record<string, unknown>).polluted).toBeUndefined()
      },
    ),
  )

  test.each(hostile)('MLSD: a type %s, a name %s', (key) =>
    scriptedTrial({ MLSD: sending(`type=${key}; x\r\ntype=file; ${key}\r\n`) }, async ({ retrieve }) => {
      expect(await entriesOf(await retrieve('pub/'))).toMatchObject([
        { name: 'x', kind: 'other' },
        { name: key, kind: 'file' },
      ])
    }),
  )

  test.each([
    ...['modify=zz', 'modify=', 'modify=99999999999999', 'modify=20011303040506', 'modify=-1', 'modify=1e13'],
    ...['size=-5', 'size=1e400', 'size=0x10', `size=${2 ** 60}`, `size=${2 ** 53}`, 'size=', 'size=1.5'],
  ])('MLSD: %s is left out, and the entry is kept', (fact) =>
    scriptedTrial({ MLSD: sending(`type=file;${fact}; x\r\n`) }, async ({ retrieve }) => {
      const [entry] = await entriesOf(await retrieve('pub/'))
      expect(entry).toMatchObject({ name: 'x', kind: 'file' })
      expect(entry).not.toHaveProperty(fact.startsWith('size') ? 'size' : 'modified')
    }),
  )

  test.each([
    '-rw-r--r--   1 ann      ann      99999999999999999999 Feb  3  2001 x',
    `-rw-r--r--   1 ann      ann      ${2 ** 53} Feb  3  2001 x`,
    '-rw-r--r--   1 ann      ann      27 Feb 99  2001 x',
    '-rw-r--r--   1 ann      ann      27 Feb 30  2001 x',
    '99-99-99  99:99AM                   27 x',
    '02-03-01  04:05AM 99999999999999999999 x',
    '+r,s99999999999999999999,m99999999999999999999,\tx',
    '+r,s-5,m-5,\tx',
  ])('LIST: %s has no number that is none', (line) =>
    scriptedTrial({ MLSD: '500 -\r\n', LIST: sending(`${line}\r\n`) }, async ({ retrieve }) => {
      const entries = await entriesOf(await retrieve('pub/'))
      expect(entries).toHaveLength(1)
      const { size = 0, modified = new Date(0) } = entries[0] ?? {}
      expect(Number.isSafeInteger(size) && size >= 0).toBe(true)
      expect(Number.isNaN(modified.getTime())).toBe(false)
    }),
  )
})

describe('cases 61 and 67, desync: a reply too many, or too soon', () => {
  /** The answer of the good server, and one more. */
  const doubled = (verb: string, answer: string): Script => ({ [verb]: `${answer}\r\n${answer}\r\n` })
  const everywhere: readonly (readonly [string, Script])[] = [
    ['USER', doubled('USER', '331 password')],
    ['PASS', doubled('PASS', '230 in')],
    ['CWD', doubled('CWD', '250 there')],
    ['TYPE', doubled('TYPE', '200 type')],
    ['EPSV', { EPSV: (peer) => peer.say(`229 (|||${peer.dataPort}|)\r\n`.repeat(2)) }],
    ['RETR, in place of its end', { RETR: sending(hello, '150 -\r\n150 -\r\n') }],
    ['the greeting', { greeting: '220 ready\r\n220 ready\r\n' }],
  ]

  test.each(everywhere)('two replies to %s, step by step', (_, script) =>
    scriptedTrial(
      script,
      async ({ server, failure }) => {
        expect(await failure('a/hello.txt')).toMatchObject({ code: 'protocol-violation' })
        expect(server.peers).toHaveLength(1)
      },
      // needs: pipelining (an option to leave it out)
      { fetchers: [ftpFetcher({ pipelining: false })] },
    ),
  )

  test.each(everywhere)('two replies to %s, in a flight: tried once more at most', (_, script) =>
    scriptedTrial(script, async ({ server, events, failure }) => {
      expect(await failure('a/hello.txt')).toMatchObject({ code: 'protocol-violation' })
      expect(server.peers.length).toBeLessThanOrEqual(2)
      expect(retries(events).length).toBeLessThanOrEqual(1)
    }),
  )

  test.each([
    ['226 before 150', { RETR: '226 done\r\n150 now\r\n' }],
    ['226 in place of 150', { RETR: '226 done\r\n' }],
    ['a reply before our command', { greeting: '220 ready\r\n331 password\r\n' }],
    ['350 after RETR (P7: answered by another RETR, without end)', { RETR: '350 again\r\n' }],
    ['350 after REST, and after RETR', { REST: '350 go on\r\n', RETR: '350 again\r\n', SIZE: '213 14\r\n' }],
    ['1yz to a command that moves no data', { TYPE: '150 type\r\n' }],
    ['3yz to one that has one step', { CWD: '350 more\r\n' }],
  ] satisfies [string, Script][])('%s', (_, script) =>
    scriptedTrial(
      script,
      async ({ server, failure }) => {
        expect((await failure('a/hello.txt')).code).toMatch(/^(protocol-violation|server-refused)$/)
        expect(server.received.filter((line) => line.startsWith('RETR')).length).toBeLessThanOrEqual(1)
      },
      { limits: { idleTimeout: 1000 } },
    ),
  )

  test('property 17: one reply too many, wherever and whichever: the right file or a coded error, and no other octet', async () => {
    const verbs = ['greeting', 'USER', 'PASS', 'CWD', 'TYPE', 'SIZE', 'MDTM', 'PWD', 'EPSV', 'RETR']
    const codes = [
      '120',
      '150',
      '200',
      '213 5',
      '220',
      '226',
      '229 (|||1|)',
      '230',
      '250',
      '257 "/x"',
      '331',
      '350',
      '421',
      '500',
      '550',
    ]
    const answers = (peer: FtpPeer): Readonly<Record<string, string>> => ({
      greeting: '220 ready',
      USER: '331 password',
      PASS: '230 in',
      CWD: '250 there',
      TYPE: '200 type',
      SIZE: `213 ${octets.length}`,
      MDTM: '213 20010203040506',
      PWD: '257 "/"',
      EPSV: `229 (|||${peer.dataPort}|)`,
    })
    const extra = fc.record({
      verb: fc.constantFrom(...verbs),
      code: fc.constantFrom(...codes),
      after: fc.boolean(),
      time: fc.nat(2),
    })
    await fc.assert(
      fc.asyncProperty(extra, async ({ verb, code, after, time }) => {
        const seen = new Map<string, number>()
        const strange = (each: string): boolean => {
          const count = seen.get(each) ?? 0
          seen.set(each, count + 1)
          return each === verb && count === time
        }
        const answer = (each: string) => (peer: FtpPeer) => {
          const right = `${answers(peer)[each]}\r\n`
          const wrong = strange(each) ? `${code} extra\r\n` : ''
          peer.say(after ? right + wrong : wrong + right)
        }
        const script: Script = {
          ...Object.fromEntries(verbs.map((each) => [each, answer(each)])),
          RETR: (peer) => {
            const wrong = strange('RETR') ? `${code} extra\r\n` : ''
            return after
              ? sending(octets, '150 -\r\n', `226 done\r\n${wrong}`)(peer)
              : sending(octets, `${wrong}150 -\r\n`)(peer)
          },
        }
        await scriptedTrial(
          script,
          async ({ retrieve }) => {
            for (const path of ['a/data.bin', 'a/data.bin', 'b/data.bin']) {
              const outcome = await retrieve(path)
                .then((representation) => representation.bytes())
                .catch((error: { code: string }) => error.code)
              if (typeof outcome === 'string') expect(outcome).toMatch(/^[a-z]+(-[a-z]+)*$/)
              else expectSame(outcome, octets)
            }
          },
          { limits: { idleTimeout: 300 } },
        )
      }),
      { numRuns: runs(60) },
    )
  }, 60_000)
})
