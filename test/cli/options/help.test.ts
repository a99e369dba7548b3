import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { commandNames, commandSpecs } from '../../../packages/cli/src/commands/index.ts'
import { applies, options } from '../../../packages/cli/src/options/index.ts'
import { retrieve, useBundle } from '../../support/cli/run.ts'

useBundle()

describe('--help', () => {
  test('lists every command and every option of the table, once, on standard output', async () => {
    const { status, stdout, stderr } = await retrieve(['--help'])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    for (const { long, short, arg } of options) {
      const line = `${short === undefined ? '    ' : `-${short}, `}--${long}${arg === undefined ? '' : ` ${arg}`}`
      expect(
        stdout.split('\n').filter((text) => new RegExp(`^ {2}${escaped(line)}(?: {2,}|$)`).test(text)),
      ).toHaveLength(1)
    }
    for (const name of commandNames) expect(stdout).toContain(`\n  ${name} ${commandSpecs[name].operands}`)
  })

  test.each(commandNames)('of %s lists its options and no other', async (command) => {
    const { status, stdout } = await retrieve([command, '--help'])
    expect(status).toBe(0)
    expect(stdout).toMatch(new RegExp(`^Usage: retrieve ${command} \\[OPTION\\.\\.\\.\\]`))
    const listed = [...stdout.matchAll(/^ {2}(?: {4}|-\w, )--([\w.-]+)/gm)].map(([, long]) => long)
    const own = options.filter((option) => applies(option, command)).map(({ long }) => long)
    expect(listed.sort()).toEqual([...own].sort())
  })

  test('fits a hundred columns', async () => {
    const { stdout } = await retrieve(['-h'])
    expect(stdout.split('\n').filter((line) => line.length > 100)).toEqual([])
  })
})

test('--version', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../../packages/cli/package.json', import.meta.url), 'utf8'))
  expect(await retrieve(['-V'])).toEqual({ status: 0, stdout: `retrieve ${version}\n`, stderr: '' })
})

test.each([
  [['--otuput', 'x', 'http://h/'], 'There is no option --otuput. Did you mean --output?'],
  [[], 'No URL is given. Try: retrieve get --help'],
  [['explain'], 'No URL is given. Try: retrieve explain --help'],
  [['-r', '9-1', 'http://h/'], '--range needs A-B or A-, such as 0-99, with A not above B; not "9-1".'],
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
  [
    ['--ssl', 'ftp://h/'],
    '--ssl is refused. "TLS if possible" can be taken away by anybody on the way; use --ssl-reqd.',
  ],
  [['-m', 'soon', 'http://h/'], '--max-time needs a number of 0 or more, not "soon".'],
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
    ['-o', 'a', 'http://h/', 'http://h/'],
    '2 URLs and 1 of -o and -O: give one for each URL, or --output-dir DIR -O for all.',
  ],
  [['-O', '-O', 'http://h/'], '1 URL and 2 of -o and -O: give one for each URL, or --output-dir DIR -O for all.'],
  [['serve', 'http', 'smtp'], 'There is no folder "smtp"; the servers are: http, ftp, gopher, nntp, telnet.'],
  [['serve', '/', '/tmp'], 'serve takes one folder, not / and /tmp.'],
  [['serve', '/', 'nntp'], 'A folder is served by http, ftp and gopher, not by nntp.'],
  [['serve', '--fault', 'dealy=1'], undefined],
])('%j is exit code 2 and one sentence', async (argv, message) => {
  const { status, stdout, stderr } = await retrieve(argv)
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  if (message === undefined) expect(stderr).toMatch(/^retrieve: [^\n]+\n$/)
  else expect(stderr).toBe(`retrieve: ${message}\n`)
})

function escaped(text: string): string {
  return text.replace(/[[\]().*+?|]/g, '\\$&')
}
