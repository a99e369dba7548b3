import { expect, test } from 'vitest'
import { Variables } from '../../../packages/cli/src/line/variables.ts'

const files: Readonly<Record<string, string>> = { list: ' a&b\n', binary: 'a\0\xff' }

function variables(...texts: string[]): Variables {
  const read = (file: string): Uint8Array => Buffer.from(files[file] ?? '', 'latin1')
  const all = new Variables({ env: { HOME: '/home/alice', EMPTY: '' }, read })
  for (const text of texts) all.set(text)
  return all
}

test.each([
  [['a=1'], '{{a}}', '1'],
  [['a=1', 'a=2'], 'x{{a}}y{{a}}', 'x2y2'],
  [['a=b=c@d'], '{{a}}', 'b=c@d'],
  [['a='], '[{{a}}]', '[]'],
  [[], '[{{unset}}]', '[]'],
  [['a@list'], '{{a}}', ' a&b\n'],
  [['a@list'], '{{a:trim}}', 'a&b'],
  [['a@list'], '{{a:trim:url}}', 'a%26b'],
  [['a@list'], '{{a:url}}', '%20a%26b%0A'],
  [['a=é~._-'], '{{a:url}}', '%C3%A9~._-'],
  [['a=say "x"\n'], '{"v":"{{a:json}}"}', '{"v":"say \\"x\\"\\n"}'],
  [['a=alice:x'], '{{a:b64}}', 'YWxpY2U6eA=='],
  [['a@binary'], '{{a:b64}}', 'YQD/'],
  [['%HOME'], '{{HOME}}', '/home/alice'],
  [['%EMPTY=x'], '[{{EMPTY}}]', '[]'],
  [['%NOPE=x'], '{{NOPE}}', 'x'],
  [['%NOPE@list'], '{{NOPE:trim}}', 'a&b'],
  [['a=1'], '\\{{a}} {{a}} } {', '{{a}} 1 } {'],
])('%j in %j is %j', (set, text, expected) => {
  expect(variables(...set).expand(text, '--expand-url')).toBe(expected)
})

test.each([
  ['a', '--variable a has no value: it needs NAME=VALUE, NAME@FILE, %NAME, %NAME=DEFAULT or %NAME@FILE.'],
  ['a-b=secret', '--variable needs NAME=VALUE'],
  ['=secret', '--variable needs NAME=VALUE'],
  ['%NOPE', '--variable %NOPE: the environment has no variable NOPE. %NOPE=VALUE gives a default.'],
])('--variable %s is refused, without its value', (text, said) => {
  expect(() => variables(text)).toThrow(expect.objectContaining({ code: 'invalid-option' }))
  expect(() => variables(text)).toThrow(said)
  expect(() => variables(text)).not.toThrow(/secret/)
})

test.each([
  ['{{a', '--expand-url: a {{ has no }}. Write \\{{ for the characters.'],
  ['{{a b}}', '--expand-url: {{a b}} is no variable. Write \\{{ for the characters.'],
  ['{{}}', '--expand-url: {{}} is no variable. Write \\{{ for the characters.'],
  ['{{a:up}}', '--expand-url: there is no function up; there are trim, json, url, b64.'],
  ['{{a}}', '--expand-url: {{a}} holds a NUL; {{a:b64}} encodes it.'],
])('%s is refused', (text, said) => {
  expect(() => variables('a@binary').expand(text, '--expand-url')).toThrow(said)
})
