import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { errorCodes } from '@retriever/core'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandNames, commandSpecs } from '../../../packages/cli/src/commands/index.ts'
import { examples } from '../../../packages/cli/src/help/examples.ts'
import { helpOn, helpWords } from '../../../packages/cli/src/help/index.ts'
import { topics } from '../../../packages/cli/src/help/topics.ts'
import { applies, categories, categoryWord, type OptionSpec, options } from '../../../packages/cli/src/options/index.ts'
import { bin, retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'
import { stride } from '../../support/runs.ts'

useBundle()

const synopsisOf = ({ short, long, arg }: OptionSpec): string =>
  `${short === undefined ? '    ' : `-${short}, `}--${long}${arg === undefined ? '' : ` ${arg}`}`

/** The long names of the options that a page of help lists. */
const listed = (page: string): string[] =>
  [...page.matchAll(/^ {2}(?: {4}|-\S, )--([\w.-]+)/gm)].map(([, name = '']) => name)

/** The help that one line prints, which must succeed. */
async function help(...args: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await retrieve(args)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return stdout
}

describe('the short help', () => {
  test('fits one screen of 24 lines and 80 columns, and names commands, categories and topics', async () => {
    const text = await help('--help')
    const lines = text.trimEnd().split('\n')
    expect(lines.length).toBeLessThan(24)
    expect(lines.filter((line) => line.length > 80)).toEqual([])
    const words = text.split(/[\s,]+/)
    const wanted = [...commandNames, ...categories.map(categoryWord), ...topics.map(({ name }) => name)]
    expect(wanted.filter((name) => !words.includes(name))).toEqual([])
    expect(await help('-h')).toBe(text)
    expect(await help('help')).toBe(text)
  })

  test('every word that it names has help', async () => {
    const texts = await Promise.all(helpWords.map((word) => help('help', word)))
    expect(texts.filter((text) => text.split('\n').length < 3)).toEqual([])
  })
})

describe('the ten examples work as they stand', () => {
  const files = { '/README': 'read me\n', '/gnu/README': 'of gnu\n', '/': 'a page\n' }
  const folder = temporaryFolder()
  let servers: TestServers<'http' | 'ftp' | 'gopher'>
  beforeAll(async () => {
    servers = await startServers({ files, http: true, ftp: true, gopher: true })
  })
  afterAll(() => servers.close())

  test('there are ten', () => expect(examples).toHaveLength(10))

  test.each(examples.filter((_, at) => at % stride === 0))('$command', async ({ command }) => {
    const local = command
      .replace('https://example.org/', servers.http.url)
      .replace(/ftp:\/\/(?:me@)?ftp.gnu.org\//, servers.ftp.url)
      .replace('gopher://gopher.floodgap.com/', servers.gopher.url)
    const own = await mkdtemp(join(folder(), 'example-'))
    const prelude = `set -o pipefail; retrieve() { '${process.execPath}' '${bin}' "$@"; }\n`
    const { stdout } = await promisify(execFile)('bash', ['-c', prelude + local], { cwd: own })
    expect(stdout !== '' || readdirSync(own).length > 0).toBe(true)
  })
})

describe('help on one word', () => {
  test('all: every command and every option of the table, once', async () => {
    const text = await help('--help', 'all')
    const lines = text.split('\n')
    for (const option of options) {
      const line = new RegExp(`^ {2}${escaped(synopsisOf(option))}(?: {2,}|$)`)
      expect(lines.filter((each) => line.test(each))).toHaveLength(1)
    }
    for (const name of commandNames) expect(text).toContain(`\n  ${name} ${commandSpecs[name].operands}`.trimEnd())
    expect(lines.filter((line) => line.length > 100 && !line.startsWith('  retrieve '))).toEqual([])
  })

  test.each(commandNames)(
    '%s: its options and no other, but for those that it names another help for',
    async (command) => {
      const text = await help(command, '--help')
      expect(text).toMatch(new RegExp(`^Usage: retrieve ${command} \\[OPTION\\.\\.\\.\\]`))
      const own: string[] = options.filter((option) => applies(option, command)).map(({ long }) => long)
      const { sharesWith } = commandSpecs[command]
      const elsewhere = sharesWith === undefined ? [] : listed(await help(sharesWith, '--help'))
      const others = elsewhere.filter((name) => own.includes(name) && !listed(text).includes(name))
      expect([...listed(text), ...others].sort()).toEqual([...own].sort())
      expect(text.includes('Its workers take')).toBe(sharesWith !== undefined)
      expect(await help('help', command)).toBe(text)
      expect(await help('--help', command)).toBe(text)
    },
  )

  const withoutCommands = categories.filter((name) => !commandNames.some((command) => command === categoryWord(name)))
  test.each(withoutCommands)('%s: its options and no other', async (category) => {
    const text = await help('--help', categoryWord(category))
    expect(listed(text)).toEqual(options.filter((option) => option.category === category).map(({ long }) => long))
    expect(await help('help', categoryWord(category).toUpperCase())).toBe(text)
  })

  test('category: the categories, commands and topics', async () => {
    const text = await help('--help', 'category')
    const names = [...text.matchAll(/^ {2}([\w-]+) {2}/gm)].map(([, name]) => name)
    expect(names.sort()).toEqual(helpWords.filter((word) => word !== 'category').sort())
  })

  test.each([['-m'], ['--max-time']])('%s: one option, with its commands and an example', async (word) => {
    const text = await help('--help', word)
    expect(text).toMatch(/^-m, --max-time SECONDS\n {4}\S.*\n/)
    expect(text).toContain('\n    Commands: get, ls')
    expect(text).toMatch(/\n {4}Category: transfer\n {4}Example: retrieve -m 60 \S+\n$/)
  })

  test.each(options.map(({ long }) => long))('--%s: the row of the table', async (long) => {
    const text = await help('help', `--${long}`)
    const option = options.find((each) => each.long === long)
    expect(text.split('\n')[0]).toBe(option && synopsisOf(option).trimStart())
    expect(text).toContain(`Example: ${option?.example}`)
  })

  test('the name of an option without dashes, or its beginning', async () => {
    expect(await help('help', 'retry')).toMatch(/^(--retry N\n|Transfer:\n)/)
    expect(listed(await help('help', 'netrc-'))).toEqual(['netrc-optional', 'netrc-file'])
    expect(await help('help', 'output')).toContain('For the option of this name: retrieve help --output\n')
  })

  test('an option of curl that has no effect, or is refused', async () => {
    expect(await help('--help', '-L')).toBe('-L is accepted and has no effect: redirects are followed anyway.\n')
    expect(await help('help', '-T')).toMatch(/^-T is refused\. [^\n]+\n/)
  })

  test.each(['post', 'PUT', 'upload'])('%s says that nothing is sent', async (word) => {
    const answer = 'Retriever sends nothing (GET and HEAD only); keep curl for POST.\n'
    expect(await help('help', word)).toBe(answer)
  })

  test.each([
    [['help', 'otput'], 'There is no help on otput. Did you mean: retrieve help output?'],
    [['--help', '--otuput'], 'There is no help on --otuput. Did you mean: retrieve help --output?'],
    [['help', '--'], 'There is no help on --. retrieve help category lists the topics.'],
    [['help', 'get', 'ls'], 'Help is on one word at a time, not on: get ls.'],
  ])('%j is exit code 2 and one sentence', async (argv, message) => {
    expect(await retrieve(argv)).toEqual({ status: 2, stdout: '', stderr: `retrieve: ${message}\n` })
  })
})

describe('topics', () => {
  test('exit-status has every number of the table of errors', () => {
    const topic = topics.find(({ name }) => name === 'exit-status')
    const named = topic?.rows.map(([number]) => Number(number)) ?? []
    expect(Object.values(errorCodes).filter(({ exit }) => !named.includes(exit))).toEqual([])
    expect(named).toEqual(named.toSorted((a, b) => a - b))
  })

  test.each([
    ['78', 'Exit status 78: Not found; for HTTP it is 22. In --json: not-found.'],
    [
      '2',
      'Exit status 2: A wrong option or argument, or a form that needs answers. In --json: invalid-option, form-required.',
    ],
    ['47', 'Exit status 47: Too many redirects. In --json: too-many-redirects.'],
    ['82', 'Exit status 82: A list of revoked certificates cannot be read.'],
    ['connect-failed', 'The code connect-failed has exit status 7: No connection.'],
  ])('help %s explains an exit status, or the code of an error', async (word, text) => {
    expect((await help('help', word)).replaceAll('\n', ' ').trim()).toBe(text)
  })

  test('environment has every variable that the sources read', () => {
    const folder = fileURLToPath(new URL('../../../packages/cli/src/', import.meta.url))
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))
    const read = sources.flatMap((path) => [
      ...readFileSync(`${folder}${path}`, 'utf8').matchAll(/\benv\.([A-Za-z_]+)/g),
    ])
    const names = new Set(read.map(([, name = '']) => name.replace(/^(ALL|NO)_PROXY$/, (text) => text.toLowerCase())))
    const topic = topics.find(({ name }) => name === 'environment')
    const named = topic?.rows.flatMap(([text]) => text.split(', ')) ?? []
    expect(names.size).toBeGreaterThan(2)
    expect([...names].filter((name) => !named.includes(name))).toEqual([])
  })
})

test.each([25, 50, 59, 80, 200])('nothing breaks within a word on a terminal of %i columns', (columns) => {
  const words = (text: string): string[] => text.split(/\s+/).filter(Boolean)
  for (const word of ['', 'all', 'category', 'http', 'exit-status', '--output']) {
    const typed = word === '' ? [] : [word]
    expect(words(helpOn(typed, columns))).toEqual(words(helpOn(typed, 1000)))
    for (const line of helpOn(typed, columns).trimEnd().split('\n')) {
      if (line.length > Math.min(columns, 120)) expect(line).toMatch(/^ *\S+$|retrieve |^ {2}(-\S, | {4})--|^ {2}\w+/)
    }
  }
})

test('--version', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../../packages/cli/package.json', import.meta.url), 'utf8'))
  const { status, stdout, stderr } = await retrieve(['-V'])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const [first, protocols, features] = stdout.split('\n')
  expect(first).toBe(`retrieve ${version}`)
  const listed = (await retrieve(['schemes', '--json'])).stdout.trim().split('\n')
  const retrieved = listed.map((line) => JSON.parse(line)).filter(({ fetched, session }) => fetched || session)
  expect(protocols).toBe(
    `Protocols: ${retrieved
      .map(({ scheme }) => scheme)
      .sort()
      .join(' ')}`,
  )
  expect(features).toMatch(/^Features: .*\bHTTP2\b/)
})

test.each([
  [['--otuput', 'x', 'http://h/'], 'There is no option --otuput. Did you mean --output?'],
  [[], 'No URL is given. Try: retrieve --help'],
  [['-c', 'http://h/'], 'No URL is given: http://h/ is the FILE of -c. Try: retrieve --help'],
  [
    ['-qO-', 'http://h/'],
    '-qO- has a - among its letters. For standard output, which is -O- in wget, leave -O out, or give -o -.',
  ],
  [['--save-cookies', 'x', 'http://h/'], 'There is no option --save-cookies. Use -c FILE.'],
  [['explain'], 'No URL is given. Try: retrieve explain --help'],
  [
    ['-r', '9-1', 'http://h/'],
    '--range needs A-B, A- or -N, such as 0-99, with A not above B, or a list of them; not "9-1".',
  ],
  [['-C', '5', '-r', '5-', 'http://h/'], '-C and -r both say where to begin: give one of them.'],
  [['-C', '-', 'http://h/'], '-C - continues a file: name it with -o FILE or -O.'],
  [['-C', '-', '-o', 'a', 'http://h/', '-o', '-', 'http://h/'], '-C - continues a file: name it with -o FILE or -O.'],
  [['-C', '1k', 'http://h/'], '--continue-at needs a number of octets, or - for the end of the file; not "1k".'],
  [
    ['-z', 'backup-3', 'http://h/'],
    '--time-cond needs a date such as 2001-02-03 or "Sat, 03 Feb 2001 04:05:06 GMT", or a file that exists; not "backup-3".',
  ],
  [
    ['-z', '-backup-3', 'http://h/'],
    '--time-cond needs a date such as 2001-02-03 or "Sat, 03 Feb 2001 04:05:06 GMT", or a file that exists; not "backup-3".',
  ],
  [['--ssl', 'ftp://h/'], '--ssl is refused. Anybody on the way can prevent "TLS if possible"; use --ssl-reqd.'],
  [
    ['-m', 'soon', 'http://h/'],
    '--max-time needs seconds, such as 60 or 2.5, or a duration such as 1h30m or 500ms; not "soon".',
  ],
  [['--max-redirs', '1.5', 'http://h/'], '--max-redirs needs a number of 0 or more, not "1.5".'],
  [['--max-filesize', '1T', 'http://h/'], '--max-filesize needs a size such as 100, 10k or 2M, not "1T".'],
  [
    ['--allow', 'foreign-prot', 'http://h/'],
    '--allow needs the code of a danger, not "foreign-prot". Did you mean foreign-port?',
  ],
  [
    ['--allow', 'encoded-delimiter', 'http://h/'],
    '--allow encoded-delimiter is not possible: it would break the protocol.',
  ],
  [['--allow-port', '99999', 'http://h/'], '--allow-port needs a port number up to 65535, not "99999".'],
  [
    ['serve', 'http', 'smtp'],
    /^retrieve: There is no folder "smtp"; the servers are: http, ftp, gopher, [a-z\d, ]+\.\n$/,
  ],
  [['serve', '/', '/tmp'], 'serve takes one folder, not / and /tmp.'],
  [['serve', '/', 'nntp'], 'A folder is served by http, ftp, gopher and nfs, not by nntp.'],
  [['serve', '--fault', 'dealy=1'], undefined],
])('%j is exit code 2 and one sentence', async (argv, message) => {
  const { status, stdout, stderr } = await retrieve(argv)
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  if (message === undefined) expect(stderr).toMatch(/^retrieve: [^\n]+\n$/)
  else if (message instanceof RegExp) expect(stderr).toMatch(message)
  else expect(stderr).toBe(`retrieve: ${message}\n`)
})

function escaped(text: string): string {
  return text.replace(/[[\]().*+?|]/g, '\\$&')
}
