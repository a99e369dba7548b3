import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { entriesOf, expectOctets, failure, retrieve, retrieveToFile, type ServerUnderTest, suite } from './suite.ts'

/** Octets and output of yaz-client for the commands; `marc` are the MARC records that it got, as they came. */
function byYaz(place: string, ...commands: readonly string[]): { readonly text: string; readonly marc: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), 'yaz-'))
  try {
    const input = [`set_marcdump ${folder}/marc`, ...commands, 'quit', ''].join('\n')
    const text = execFileSync('yaz-client', [place], { input, encoding: 'utf8', maxBuffer: 1 << 26 })
    return { text, marc: readFileSync(join(folder, 'marc'), { flag: 'a+' }) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The record in what yaz-client prints, behind the name of its syntax. */
function recordIn(text: string): string {
  const [, record = ''] = /Record type: [^\n]*\n(.*?)\n?nextResultSetPosition/s.exec(text) ?? []
  // It prints octets beyond ASCII as \\XC3.
  const octets = Buffer.from(record).toString('latin1')
  const whole = octets.replace(/\\X([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(whole, 'latin1').toString()
}

const place = (server: ServerUnderTest): string => server.url('z39.50r', '').replace('z39.50r://', '')
const find = (docid: string): string => `find @attr 1=1032 @attr 4=104 ${docid}`

suite('yaz-ztest', (server) => {
  const url = (path: string): string => server.url('z39.50r', `/Default?${path}`)

  test('MARC: the octets that yaz-client gets', async () => {
    const { marc } = byYaz(`${place(server)}/Default`, 'format usmarc', find('1abc'), 'show 1')
    expect(marc.length).toBeGreaterThan(300)
    expectOctets(await retrieveToFile(url('1abc;rs=usmarc')), marc)
  })

  test.each(['sutrs', 'xml', 'opac'])('%s: the text that yaz-client gets', async (syntax) => {
    const { text } = byYaz(`${place(server)}/Default`, `format ${syntax}`, find('1abc'), 'show 1')
    const ours = (await retrieveToFile(url(`1abc;rs=${syntax}`))).toString()
    if (syntax === 'opac') {
      const [, number] = /callNumber: (.*)/.exec(text) ?? []
      expect(ours).toContain(`<callNumber>${number}</callNumber>`)
    } else expect(ours.trimEnd()).toBe(recordIn(text).trimEnd())
  })

  test('diagnostics, and numbers of hits', async () => {
    expect(await failure(78, server.url('z39.50r', '/Nowhere?1abc'))).toContain('109')
    expect(await failure(78, url('0abc'))).toContain('0 hits')
    expect(await failure(78, url('17abc'))).toContain('17 hits')
    expect(await failure(8, url('1abc;rs=explain'))).toContain('239')
  })
})

suite('zebra', (server) => {
  const url = (path: string): string => server.url('z39.50r', `/Default?${path}`)

  // 18 MARC records of 100 octets to 90 KB, whose lengths take one to three octets of BER.
  test.each([1, 60, 102, 104, 106, 108, 110, 114, 118, 120])(
    'MARC: the octets that yaz-client gets of doc%i',
    async (number) => {
      const { marc } = byYaz(`${place(server)}/Default`, 'format usmarc', find(`doc${number}`), 'show 1')
      expect(marc.length).toBeGreaterThan(100)
      expectOctets(await retrieveToFile(url(`doc${number};rs=usmarc`)), marc)
    },
  )

  describe.each(['sutrs', 'xml', 'grs-1'])('%s', (syntax) => {
    test.each(['doc3', 'doc112'])('the text that yaz-client gets of %s', async (docid) => {
      const { text } = byYaz(`${place(server)}/Default`, `format ${syntax}`, find(docid), 'show 1')
      const ours = (await retrieveToFile(url(`${docid};rs=${syntax}`))).toString()
      const lines = (all: string): string[] =>
        all
          .trimEnd()
          .split('\n')
          .map((line) => line.trimEnd())
      expect(recordIn(text).length).toBeGreaterThan(50)
      expect(lines(ours)).toEqual(lines(recordIn(text)))
    })
  })

  test('a query lists all records, and each URL leads to its record', async () => {
    const root = server.url('z39.50s', '/Default')
    const entries = await entriesOf(`${root};query=${encodeURIComponent('ti="volume number" and series')}`)
    expect(entries).toHaveLength(120)
    for (const at of [0, 60, 119]) {
      const { name, url: own } = entries[at] ?? {}
      expect((await retrieveToFile(`${own};rs=marc`)).toString()).toContain(name)
    }
    const { text } = byYaz(`${place(server)}/Default`, 'find @attr 1=4 volume')
    expect(text).toContain('Number of hits: 120,')
  })

  test('the command lists, in CCL and in PQF', async () => {
    for (const query of ['au=3 and ti=10', '@and @attr 1=1003 3 @attr 1=4 10']) {
      const { stdout, status } = await retrieve('ls', server.url('z39.50s', '/Default'), '--search', query)
      expect(status).toBe(0)
      expect(stdout.toString()).toContain('Volume number 10 of the grüne series')
    }
  })

  test('what it does not have', async () => {
    expect(await failure(78, url('nope'))).toContain('0 hits')
    expect(await failure(78, server.url('z39.50r', '/Nowhere?doc1'))).toContain('109')
    expect(await failure(8, `${server.url('z39.50s', '/Default')};query=%40attr%201%3D9999%20x`)).toContain('114')
  })
})
