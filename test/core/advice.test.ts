import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { adviceText } from '@retriever/core/internal'
import { describe, expect, test } from 'vitest'
import { stringLiterals } from '../support/core/string-literals.ts'

const packages = fileURLToPath(new URL('../../packages/', import.meta.url))
const files = ['core', 'fetchers'].flatMap((name) => {
  const folder = `${packages}${name}/src/`
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => `${folder}${path}`)
})

/** `--max-time`, `by -u`, and the names of commands. */
const commandTerms =
  /(?<![\w-])--[a-z]|[\s(]-[A-Za-z](?=[\s.,;:)]|$)|\bretrieve (?:schemes|explain|ls|get|serve|demo|extract)\b/

/** A string of nothing but flags is for another program: a message has other words, too. */
const onlyFlags = /^(?:--?[a-z][\w-]*(?:=\S*)?(?: |$))+$/i

/** Whether a text tells a person to use a flag or a command of ours. */
function isForCommand(text: string): boolean {
  return commandTerms.test(text) && !onlyFlags.test(text)
}

describe('the library speaks of its own options', () => {
  test('in no string of core or fetchers stands a flag or a command', () => {
    const found = files.flatMap((path) =>
      stringLiterals(readFileSync(path, 'utf8'))
        .filter(({ text }) => isForCommand(text))
        .map(({ text, line }) => `${path.slice(packages.length)}:${line}: ${text}`),
    )
    expect(files.length).toBeGreaterThan(200)
    expect(found).toEqual([])
  })

  test('a message names a limit by adviceText() alone, so that the command can say it in its own words', () => {
    const named = files.flatMap((path) =>
      stringLiterals(readFileSync(path, 'utf8'))
        .filter(({ text }) => / /.test(text) && /\bmax[A-Z]\w*|\blimits\./.test(text))
        // The members of an option's own object.
        .filter(({ text }) => !text.includes('{'))
        .map(({ text, line }) => `${path.slice(packages.length)}:${line}: ${text}`),
    )
    expect(named).toEqual([])
  })

  test.each([
    ['Give its CA by --cacert.', true],
    ['by -u', true],
    ['--max-time is too short', true],
    ['Try: retrieve schemes', true],
    ['--no-hyphenation --no-justification', false],
    ['-T', false],
    ['a-b -- c', false],
  ])('%j speaks of the command: %s', (text, expected) => expect(isForCommand(text)).toBe(expected))

  test('the scanner finds strings and templates, their holes too, and no comments or regular expressions', () => {
    const source = [
      "const a = 'it\\'s --one' // '--not'",
      'const b = `--two $' + '{c ? `--three $' + '{"--four"}` : { d: 1 }.d} --five` /* "--not" */',
      'const e = /["`\'/]--not/.test(f) ? 6 / 2 : "--six" / 3',
      'return /[/"]/.exec("--seven")',
    ].join('\n')
    const texts = stringLiterals(source).map(({ text, line }) => `${line} ${text.trim()}`)
    expect(texts.filter((text) => text.includes('--'))).toEqual([
      "1 it\\'s --one",
      '2 --two',
      '2 --three',
      '2 --four',
      '2 --five',
      '3 --six',
      '4 --seven',
    ])
  })

  test.each([
    [{ option: 'policy.allowPorts', value: 25 }, '`policy.allowPorts: [25]`'],
    [{ option: 'policy.allow', value: 'foreign-port' }, '`policy.allow: ["foreign-port"]`'],
    [{ option: 'policy.allowInward' }, '`policy.allowInward`'],
    [{ option: 'http.fail', value: false }, '`http.fail: false`'],
    [{ option: 'proxy', value: 'http://USER@h' }, '`proxy: "http://USER@h"`'],
    [{ option: 'headers', value: 'Cookie' }, '`headers["Cookie"]`'],
  ] as const)('%j is written as %s', (advice, text) => expect(adviceText(advice)).toBe(text))
})
