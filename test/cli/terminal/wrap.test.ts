import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hanging, widthOf, wrap } from '../../../packages/cli/src/terminal/wrap.ts'
import { retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'
import { hasTmux, onTmux } from '../../support/cli/tmux.ts'
import { isFull } from '../../support/runs.ts'

useBundle()
const folder = temporaryFolder()
let servers: TestServers

beforeAll(async () => {
  servers = await startServers()
})
afterAll(() => servers.close())

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '')

describe.skipIf(!hasTmux)('on a terminal of tmux', () => {
  /** Each kind of output, and whether it is one message of standard error, which is one line in a pipe. */
  const kinds: readonly (readonly [name: string, args: () => string, isMessage?: boolean])[] = [
    ['a finding', () => "explain 'gopher://localhost:25/x'"],
    ['an explanation of FTP', () => 'explain ftp://ftp.example.org/pub/a%20folder/some/where/file.txt'],
    ['an error in a URL', () => 'explain http://h/%zz'],
    ['an error of an option', () => '--time-con x', true],
    ['an error of a server', () => `${servers.http.url}no/such/resource`, true],
    ['a refusal', () => 'gopher://localhost:25/x', true],
    ['warnings', () => '-m 5 http://u:p@www.example.com:81@localhost:1/', true],
    ['the trace of HTTP', () => `-v ${servers.http.url}readme.txt -o /dev/null`],
    ['the trace of FTP', () => `-v ${servers.ftp.url}pub/hello.txt -o /dev/null`],
    ['the trace of gopher', () => `-v ${servers.gopher.url}0/readme.txt -o /dev/null`],
  ]

  test.each(isFull ? [80, 50, 25] : [25])('nothing breaks within a word at %i columns', async (columns) => {
    for (const [name, args, isMessage] of kinds) {
      const { lines } = await onTmux(folder(), `retrieve ${args()}`, { columns })
      for (const line of lines) {
        // Only a word that is longer than a line may pass the edge.
        if (widthOf(line) > columns) expect(widthOf(line.split(' ').at(-1) ?? ''), name).toBeGreaterThan(columns)
      }
      if (isMessage !== true) continue
      const { stderr } = await retrieve(args().split(' '))
      expect(words(lines.join(' ')), name).toEqual(words(stderr))
      expect(stderr, name).toMatch(/^(?:retrieve: [^\n]+\n)+$/)
    }
  })

  test('a URL that is longer than a line stays whole', async () => {
    const url = `${servers.http.url}${'long/'.repeat(30)}file.txt`
    const { lines } = await onTmux(folder(), `retrieve ${url}`, { columns: 50 })
    expect(lines[0]).toBe(`retrieve: ${url}:`)
  })
})

test.skipIf(hasTmux)('SKIPPED: these tests need tmux', () => {})

describe('wrap', () => {
  test.each([
    ['one two three', 8, {}, ['one two', 'three']],
    ['one two three', 8, { indent: 2 }, ['one two', '  three']],
    ['  indented text', 10, {}, ['  indented', 'text']],
    ['a  b', 80, {}, ['a  b']],
    ['after a head', 9, { first: 6, indent: 2 }, ['', '  after a', '  head']],
    ['a-word-that-is-long b', 8, { indent: 2 }, ['a-word-that-is-long', '  b']],
    ['so a-wide-word', 12, { indent: 6 }, ['so', '  a-wide-word'.slice(1)]],
    ['漢字漢字', 5, {}, ['漢字', '漢字']],
    ['x漢字 yz', 5, {}, ['x漢字', 'yz']],
    ['e\u0301e\u0301 e\u0301', 4, {}, ['e\u0301e\u0301 e\u0301']],
    ['', 10, {}, ['']],
  ] as const)('%j at %i columns %j', (text, columns, layout, lines) => {
    expect(wrap(text, columns, layout)).toEqual(lines)
  })

  test('behind a head, further lines stand under the text, or under the head where that leaves too little room', () => {
    expect(hanging('  1  text  ', 'A name of several words', 28)).toBe('  1  text  A name of several\n           words')
    expect(hanging('  1  text  ', 'A name of several words', 24)).toBe('  1  text  A name of\n    several words')
  })

  test('an emoji of several characters takes two columns', () => {
    expect([widthOf('👩‍👩‍👧'), widthOf('👍🏽'), widthOf('grüße')]).toEqual([2, 2, 5])
  })
})
