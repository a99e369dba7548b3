import { describe, expect, test } from 'vitest'
import { applies, options } from '../../../packages/cli/src/options/index.ts'
import { parseCommandLine } from '../../../packages/cli/src/parse.ts'
import { hintFor } from '../../../packages/cli/src/suggest.ts'

const given = (...argv: string[]): string[] => parseCommandLine(argv).given.map(({ name, value }) => `${name}=${value}`)

test.each([
  [['-o', 'f', 'u'], ['output=f']],
  [['-of', 'u'], ['output=f']],
  [['--output', 'f', 'u'], ['output=f']],
  [['--output=f', 'u'], ['output=f']],
  [['--output=', 'u'], ['output=']],
  [['--output=a=b', 'u'], ['output=a=b']],
  [['-o', '-', 'u'], ['output=-']],
  [['-o', '--', 'u'], ['output=--']],
  [
    ['u', '-sSv'],
    ['silent=', 'show-error=', 'verbose='],
  ],
  [
    ['-sSoé f', 'u'],
    ['silent=', 'show-error=', 'output=é f'],
  ],
  [
    ['-so', 'f'],
    ['silent=', 'output=f'],
  ],
  [
    ['-o', 'a', 'u:x', '-O', 'v:x'],
    ['output=a', 'remote-name='],
  ],
  [
    ['--insecur', '--outp', 'f', '--SIL', 'u'],
    ['insecure=', 'output=f', 'silent='],
  ],
  [['--silent', '--no-silent', '--verbose', 'u'], ['verbose=']],
  [['--no-silent', '--silent', 'u'], ['silent=']],
  [['--no-append', '--no-buffer', '--buffer', '--no-http0.9', '--no-keepalive', '--keepalive', 'u'], []],
  [['--no-location', '--location', 'u'], []],
  [['--next', 'u'], ['next=']],
  [
    ['-:q', 'u'],
    ['next=', 'disable='],
  ],
])('%j gives %j', (argv, expected) => {
  expect(given(...argv)).toEqual(expected)
})

test.each([
  [['u:x', 'v'], 'get', ['u:x', 'v']],
  [['get', 'u'], 'get', ['u']],
  [['-v', 'ls', 'u'], 'ls', ['u']],
  [['ls', 'ls'], 'ls', ['ls']],
  [['--', '-s', 'u'], 'get', ['-s', 'u']],
  [['explain', '--', '--json'], 'explain', ['--json']],
  [['-'], 'get', ['-']],
])('%j is %s of %j', (argv, command, operands) => {
  expect(parseCommandLine(argv)).toMatchObject({ command, operands })
})

test.each<[string[], string | RegExp]>([
  [['--otuput', 'f'], 'There is no option --otuput. Did you mean --output?'],
  [['--out'], '--out needs FILE, as in: retrieve -o page.html http://www.example.org/'],
  [['--loc', 'u'], '--loc may be --local-port, --location, --location-trusted: write more of it.'],
  [['--no-insecur', 'u'], 'There is no option --no-insecur. Did you mean --insecure?'],
  [['--no-output', 'u'], 'There is no option --no-output: --output takes a value, and is no switch.'],
  [['--no-basic', 'u'], '--no-basic is refused: a login that is given is sent by Basic anyway.'],
  [['--no-fail=x', 'u'], '--no-fail is a switch and takes no value.'],
  [['--upload', 'f'], '--upload-file is refused. Retriever only retrieves: no data, file or mail is sent.'],
  [['--expand-silent', 'u'], 'There is no option --expand-silent: --silent takes no value.'],
  [['--quux'], 'There is no option --quux. retrieve help all lists all options.'],
  [['--__proto__'], 'There is no option --__proto__. retrieve help all lists all options.'],
  [['-sW'], 'There is no option -W. retrieve help all lists all options.'],
  [['--tries', '3', 'u'], 'There is no option --tries. Use --retry N for the tries after the first one.'],
  [['-o'], '-o needs FILE, as in: retrieve -o page.html http://www.example.org/'],
  [['--silent=yes'], '--silent is a switch and takes no value.'],
  [
    ['explain', '-k', 'u'],
    '--insecure is not an option of explain, but of: get, ls, open, check, mirror, queue, gateway. See retrieve explain --help.',
  ],
  [['schemes', 'http'], 'schemes takes no "http". See retrieve schemes --help.'],
  [['demo', 'u'], 'demo takes no "u". See retrieve demo --help.'],
])('%j is refused', (argv, message) => {
  const said = expect.objectContaining({
    code: 'invalid-option',
    message: typeof message === 'string' ? message : expect.stringMatching(message),
  })
  expect(() => parseCommandLine(argv)).toThrow(said)
})

test.each([
  [['-c', '-O', 'u'], ['-O is the FILE of -c, although it looks like an option.']],
  [['--output', '-s', 'u'], ['-s is the FILE of --output, although it looks like an option.']],
  [['-o', '-', '-D', './-s', '-r', '-5', 'u'], []],
])('%j has the warnings %j', (argv, warnings) => {
  expect(parseCommandLine(argv).warnings).toEqual(warnings)
})

test.each([
  ['--json', '{"a":1}', 'http://localhost/'],
  ['http://localhost/', '--json', ' { "a": 1 }'],
  ['get', '-s', '--js', '[1,2]', 'http://localhost/'],
  ['--json', '["a"]', 'http://localhost/'],
  ['--json', '{}', 'http://localhost/'],
  ['--json', '@data.json', 'http://localhost/'],
  ['--json', '@-', 'http://localhost/'],
  ['--json={"a":1}', 'http://localhost/'],
])('the data of --json is refused before anything is contacted: %s %s %s', (...argv) => {
  const message = expect.stringContaining(' with data is refused. Retriever only retrieves: no data is sent.')
  expect(() => parseCommandLine(argv)).toThrow(expect.objectContaining({ code: 'invalid-option', message }))
})

test.each([
  [['--json', '{http,https}://localhost/[1-3]'], ['{http,https}://localhost/[1-3]']],
  [['--json', '"http://localhost/"'], ['"http://localhost/"']],
  [['extract', '--json', '@file'], ['@file']],
  [['-s', 'http://localhost/', '--json'], ['http://localhost/']],
])('%j is the switch, and a URL', (argv, operands) => {
  expect(parseCommandLine(argv)).toMatchObject({ operands })
})

describe('the table', () => {
  test('has every name once', () => {
    const names = options.flatMap(({ long, short }) => [long, ...(short === undefined ? [] : [short])])
    expect(names).toEqual([...new Set(names)])
  })

  test.each(options.map((option) => [option.long, option] as const))('the example of --%s uses it', (_, option) => {
    const argv = words(option.example).slice(1)
    const { command, given: typed } = parseCommandLine(['-q', ...argv], { PW: 'x' }, () => new Uint8Array())
    expect(typed.map(({ name }) => name)).toContain(option.long === 'help' ? 'help' : option.long)
    expect(option.commands ?? [command]).toContain(command)
  })
})

function words(text: string): string[] {
  return [...text.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word)
}

describe('the advice for an option of wget', () => {
  // An option of another command may have the name that wget gives to one of get.
  const own = options.filter((option) => applies(option, 'get'))
  test.each(own.flatMap(({ long, short }) => [`--${long}`, ...(short === undefined ? [] : [`-${short}`])]))(
    'is none of ours: %s',
    (name) => expect(hintFor(name)).toBeUndefined(),
  )
})

test('property 22: a configuration file of many URLs, and a line of many options, take no longer than their length', () => {
  const text = Buffer.from('url = file:///x\n'.repeat(60_000))
  expect(parseCommandLine(['-q', '-K', 'urls'], {}, () => text).operands).toHaveLength(60_000)
  const words = Array.from({ length: 60_000 }, () => ['-o', 'x', 'file:///x']).flat()
  expect(parseCommandLine(['-q', ...words]).operands).toHaveLength(60_000)
  const spaces = ' '.repeat(400_000)
  const line = parseCommandLine(['-q', '-K', 'one'], {}, () => Buffer.from(`url = a${spaces}b${spaces}c`))
  expect(line.operands).toEqual(['a'])
  const trimmed = ['--variable', `a=x${spaces}x`, '--expand-url', '{{a:trim}}']
  expect(parseCommandLine(['-q', ...trimmed]).operands).toEqual([`x${spaces}x`])
  const braces = ['--expand-url', '{{'.repeat(400_000)]
  expect(() => parseCommandLine(['-q', ...braces])).toThrow('a {{ has no }}')
})
