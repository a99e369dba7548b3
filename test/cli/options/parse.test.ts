import { describe, expect, test } from 'vitest'
import { options } from '../../../packages/cli/src/options/index.ts'
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
  [['--insecur'], 'There is no option --insecur. Did you mean --insecure?'],
  [['--out'], 'There is no option --out. Did you mean --output?'],
  [['--quux'], 'There is no option --quux. retrieve help all lists all options.'],
  [['--__proto__'], 'There is no option --__proto__. retrieve help all lists all options.'],
  [['-sW'], 'There is no option -W. retrieve help all lists all options.'],
  [['--tries', '3', 'u'], 'There is no option --tries. Use --retry N for the tries after the first one.'],
  [['-o'], '-o needs FILE, as in: retrieve -o page.html http://www.example.org/'],
  [['--silent=yes'], '--silent is a switch and takes no value.'],
  [['explain', '-k', 'u'], '--insecure is not an option of explain, but of: get, ls. See retrieve explain --help.'],
])('%j is refused', (argv, message) => {
  const said = expect.objectContaining({
    code: 'invalid-option',
    message: typeof message === 'string' ? message : expect.stringMatching(message),
  })
  expect(() => parseCommandLine(argv)).toThrow(said)
})

describe('the table', () => {
  test('has every name once', () => {
    const names = options.flatMap(({ long, short }) => [long, ...(short === undefined ? [] : [short])])
    expect(names).toEqual([...new Set(names)])
  })

  test.each(options.map((option) => [option.long, option] as const))('the example of --%s uses it', (_, option) => {
    const { command, given: typed } = parseCommandLine(words(option.example).slice(1))
    expect(typed.map(({ name }) => name)).toContain(option.long === 'help' ? 'help' : option.long)
    expect(option.commands ?? [command]).toContain(command)
  })
})

function words(text: string): string[] {
  return [...text.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word)
}

describe('the advice for an option of wget', () => {
  test.each(options.flatMap(({ long, short }) => [`--${long}`, ...(short === undefined ? [] : [`-${short}`])]))(
    'is none of ours: %s',
    (name) => expect(hintFor(name)).toBeUndefined(),
  )
})
