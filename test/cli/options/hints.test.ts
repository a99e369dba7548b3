/** The command has words of its own for each option of the library that a message may name. */
import { readdirSync, readFileSync } from 'node:fs'
import type { AdvisedOption } from '@retriever/core/internal'
import { defaultLimits } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { options } from '../../../packages/cli/src/options/index.ts'
import { inFlags, wordsFor } from '../../../packages/cli/src/options/option-hints.ts'
import { sharedRows } from '../../../packages/fetchers/src/kit/shared-rows.ts'
import { builtinProtocols } from '../../../packages/fetchers/src/protocols/index.ts'

const packages = new URL('../../../packages/', import.meta.url)

/** The options that the messages of core and fetchers name, as the code has them. */
function advised(): string[] {
  const files = ['core', 'fetchers'].flatMap((name) => {
    const folder = new URL(`${name}/src/`, packages)
    const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))
    return paths.map((path) => readFileSync(new URL(path, folder), 'utf8'))
  })
  return files.flatMap((text) => [...text.matchAll(/\boption: '([\w.]+)'/g)].map(([, option = '']) => option))
}

test('for those that the code names', () => {
  const named = advised()
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter((option) => wordsFor(option as AdvisedOption) === undefined)).toEqual([])
})

test('for those of a retrieval, which a remark names that have no effect', () => {
  const named = builtinProtocols({ localHosts: [] }).flatMap(({ mechanism, options: rows = {} }) =>
    Object.keys(rows).map((name) => `${mechanism}.${name}`),
  )
  const wordless = [...Object.keys(sharedRows), ...named].filter(
    (path) => wordsFor(path as AdvisedOption) === undefined,
  )
  expect(wordless).toEqual([])
})

test('each limit that a message names is a limit', () => {
  const limits = advised().filter((option) => option.startsWith('limits.'))
  expect(limits.filter((option) => !Object.hasOwn(defaultLimits, option.slice('limits.'.length)))).toEqual([])
})

test('a plain flag is the word for what its row sets', () => {
  expect(options.filter(({ sets }) => sets !== undefined).length).toBeGreaterThan(40)
  expect(wordsFor('wais.relevantTo')).toBe('--relevant-to')
  expect(wordsFor('tls.proxy.pins')).toBe('--proxy-pinnedpubkey')
  // Two flags set it; the first row is the word.
  expect(wordsFor('http.fail')).toBe('--no-fail')
  const advice = { option: 'http.fail', value: false } as const
  expect(inFlags('`http.fail: false` shows the answer.', advice)).toBe('--no-fail shows the answer.')
})

test('a name that the command has no word for stays', () => {
  expect(inFlags('Expected `concurrency` to be x.', { option: 'concurrency' })).toBe('Expected `concurrency` to be x.')
})
