/** Cases 42 to 44 of docs/internals/threats.md, section 1: texts without end, and texts that are hard to read. */
import { describe, expect, test } from 'vitest'
import { entriesOf } from '../../support/entries.ts'
import { runs } from '../../support/runs.ts'
import { scriptedTrial } from './support/ftp-trial.ts'
import { endless, type FtpPeer, type Script, sending } from './support/scripted-ftp.ts'

const hello = 'Hello, world.\n'

describe('case 42, control text without end: limit-exceeded, and the server is left alone', () => {
  const forms: Readonly<Record<string, string>> = {
    'a reply without end': '220-x\r\n'.repeat(1000),
    'a line without end': '2'.repeat(8000),
    'a line without end, within a reply': `220-${'x'.repeat(8000)}`,
    'empty lines': '\r\n'.repeat(4000),
  }
  const stages: Readonly<Record<string, (speak: (peer: FtpPeer) => void) => Script>> = {
    greeting: (greeting) => ({ greeting }),
    USER: (USER) => ({ USER }),
    PASS: (PASS) => ({ PASS }),
    CWD: (CWD) => ({ CWD }),
    TYPE: (TYPE) => ({ TYPE }),
    EPSV: (EPSV) => ({ EPSV }),
    RETR: (RETR) => ({ RETR }),
    'the end of the data': (speak) => ({
      RETR: async (peer) => {
        const data = await peer.data()
        peer.say('150 -\r\n')
        await new Promise<void>((done) => data.end(hello, () => done()))
        speak(peer)
      },
    }),
  }

  describe.each(Object.entries(forms))('%s', (_, form) => {
    test.each(Object.entries(stages))('at %s', (_stage, script) => {
      const said: Promise<number>[] = []
      const speak = (peer: FtpPeer): void => void said.push(endless(peer.control, form))
      return scriptedTrial(script(speak), async ({ failure, server }) => {
        const error = await failure('a/hello.txt')
        // With all the octets of a known size there, only the confirmation is missing: R16 lets them count.
        expect(error.code).toMatch(/^(limit-exceeded|partial)$/)
        expect(server.peers.length).toBeLessThanOrEqual(2)
        // Only as much as the kernels hold: the body was not read on.
        for (const count of await Promise.all(said)) expect(count).toBeLessThan(16 * 1024 * 1024)
      })
    })
  })

  test('preliminary replies without end', () => {
    const greeting = (peer: FtpPeer): void => void endless(peer.control, '120 in a minute\r\n'.repeat(10))
    return scriptedTrial({ greeting }, async ({ failure }) => {
      expect((await failure('hello.txt')).code).toMatch(/^(limit-exceeded|protocol-violation)$/)
    })
  })

  // needs: pooling
  test('on an idle session: closed, and the next retrieval is well', () =>
    scriptedTrial({}, async ({ server, get }) => {
      await get('hello.txt')
      const [first] = server.peers
      if (first === undefined) return expect.fail('no connection')
      await endless(first.control, '200-x\r\n'.repeat(1000))
      expect((await get('hello.txt')).toString()).toBe(hello)
    }))
})

describe('case 43, a listing without end: limit-exceeded at limits.maxListing; the octets themselves are not limited', () => {
  const limits = { maxListing: 100_000 }
  const lines: Readonly<Record<string, string>> = {
    MLSD: 'type=file; x\r\n',
    LIST: '-rw-r--r--   1 ann      ann            27 Feb  3  2001 x\r\n',
    NLST: 'x\r\n',
  }
  const streaming = (line: string) => async (peer: FtpPeer) => {
    const data = await peer.data()
    peer.say('150 -\r\n')
    await endless(data, line.repeat(100))
    peer.say('426 broken\r\n')
  }
  const only = (verb: string, answer: Script[string]): Script => ({
    ...Object.fromEntries(Object.keys(lines).map((each) => [each, '502 no\r\n'])),
    [verb]: answer,
  })

  test.each(Object.entries(lines))('%s', (verb, line) =>
    scriptedTrial(
      only(verb, streaming(line)),
      async ({ retrieve }) => {
        const listing = await retrieve('pub/')
        let count = 0
        const reading = async (): Promise<void> => {
          for await (const entry of listing.entries()) if (entry.name === 'x') count++
        }
        await expect(reading()).rejects.toMatchObject({ code: 'limit-exceeded' })
        // CR is not counted: lines are read with the line ends of this machine.
        expect(count * (line.length - 1)).toBeLessThanOrEqual(limits.maxListing)
      },
      { limits },
    ),
  )

  test.each(Object.keys(lines))('%s: one line without end', (verb) =>
    scriptedTrial(
      only(verb, streaming('x'.repeat(1000))),
      async ({ retrieve }) => {
        await expect(retrieve('pub/').then(entriesOf)).rejects.toMatchObject({ code: 'limit-exceeded' })
      },
      { limits },
    ),
  )

  test.each([0, 1])('of the very size, and %i octets more', (more) => {
    const line = 'type=file; x\r\n'
    const text = line.repeat(100)
    // Lines are read with the line ends of this machine.
    const maxListing = text.replaceAll('\r', '').length - more
    return scriptedTrial(
      { MLSD: sending(text) },
      async ({ retrieve }) => {
        const reading = retrieve('pub/').then(entriesOf)
        if (more === 0) expect(await reading).toHaveLength(100)
        else await expect(reading).rejects.toMatchObject({ code: 'limit-exceeded' })
      },
      { limits: { maxListing } },
    )
  })

  test('a directory of 48 MiB is listed to its end, where nobody sets a limit', () => {
    // Long names, so that the test is short.
    const line = `type=file; ${'x'.repeat(30_000)}\r\n`
    const count = Math.ceil((48 * 2 ** 20) / line.length)
    return scriptedTrial({ MLSD: sending(line.repeat(count)) }, async ({ retrieve }) => {
      let entries = 0
      for await (const { kind } of (await retrieve('pub/')).entries()) if (kind === 'file') entries++
      expect(entries).toBe(count)
    })
  })

  test('collected, it keeps to maxCollected', () =>
    scriptedTrial(
      { MLSD: sending('type=file; x\r\n'.repeat(100)) },
      async ({ failure }) => {
        expect(await failure('pub/')).toMatchObject({ code: 'limit-exceeded' })
      },
      { limits: { maxCollected: 1000 } },
    ))

  test('as a stream it may go on for as long as somebody reads', () =>
    scriptedTrial(
      only('LIST', streaming(lines.LIST ?? '')),
      async ({ retrieve }) => {
        let length = 0
        for await (const chunk of await retrieve('pub/')) {
          length += chunk.length
          if (length > 10 * limits.maxListing) break
        }
        expect(length).toBeGreaterThan(10 * limits.maxListing)
      },
      { limits },
    ))
})

// Quadratic time would be hours here: the test's time limit is the budget.
describe('case 44, texts that are hard to match: linear time', () => {
  const mebi = runs(8) * 128 * 1024
  const pieces = ['-', '0', ' ', '1,', '9 ', 'a=', ';', '|', '"', '(', 'Feb ', '-rw-r--r-- 1 ', '02-03-01 ', '+', '\t']
  const long = (piece: string, length: number): string => piece.repeat(length / piece.length)

  test.each(pieces)('%j as one line of a listing', (piece) => {
    const line = long(piece, mebi)
    const lines = ['', '-rw-r--r--   1 ', '02-03-01  04:05AM ', '+', 'type=file;', ' '].map(
      (start) => `${start}${line}\r\n`,
    )
    const limits = { maxLine: 2 * mebi, maxReply: 2 * mebi }
    const read = (script: Script) =>
      scriptedTrial(
        script,
        async ({ retrieve }) => {
          for (const entry of await retrieve('pub/').then(entriesOf)) expect(entry.kind).toBeTruthy()
        },
        { limits },
      )
    return read({ MLSD: sending(lines.join('')) }).then(() =>
      read({ MLSD: '500 -\r\n', LIST: sending(lines.join('')) }),
    )
  })

  test.each(pieces)('%j in every reply', (piece) => {
    const text = long(piece, 60_000)
    const limits = { maxLine: 65_000, maxReply: 65_000, idleTimeout: 5000 }
    const answers: Readonly<Record<string, string>> = {
      greeting: '220',
      USER: '331',
      PASS: '230',
      CWD: '250',
      TYPE: '200',
      SIZE: '213',
      MDTM: '213',
      PWD: '257',
    }
    const wordy = Object.fromEntries(Object.entries(answers).map(([verb, code]) => [verb, `${code} ${text}\r\n`]))
    const script: Script = {
      ...wordy,
      EPSV: (peer) => peer.say(`229 ${text}(|||${peer.dataPort}|)\r\n`),
      PASV: (peer) => peer.say(`227 ${text}(127,0,0,1,${peer.dataPort >> 8},${peer.dataPort & 255})\r\n`),
      RETR: sending(hello, `150 ${text} (14 bytes)\r\n`, `226 ${text}\r\n`),
    }
    return scriptedTrial(
      script,
      async ({ get }) => {
        for (const path of ['a/hello.txt', 'b/hello.txt', 'c/hello.txt']) {
          const outcome = await get(path).then(String, (error: { code: string }) => error.code)
          expect(outcome).toMatch(/^(Hello, world\.\n|protocol-violation|limit-exceeded|partial|server-refused)$/)
        }
      },
      { limits },
    )
  })
})
