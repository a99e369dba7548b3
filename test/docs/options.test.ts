/** The tables of the library's guide name every option, and the limits with their defaults. */
import { defaultLimits } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { callKinds, clientKinds, defaultsKinds } from '../../packages/fetchers/src/client/client-options.ts'
import { protocolKinds } from '../../packages/fetchers/src/protocols/options.ts'
import { saveOptionKinds } from '../../packages/fetchers/src/saving/save-options.ts'
import { walkKinds } from '../../packages/fetchers/src/walk/walk-options.ts'
import { readPage } from './programs.ts'

/** The rows of the tables below a heading: the names in the first column, and the second one. */
function rowsBelow(page: string, heading: string): { names: string[]; value: string }[] {
  const section =
    readPage(page)
      .split(/^## /m)
      .find((text) => text.startsWith(`${heading}\n`)) ?? ''
  return [...section.matchAll(/^\| (`.*?) \| (.*?) \|/gm)].map(([, names = '', value = '']) => ({
    names: [...names.matchAll(/`(\w+)/g)].map(([, name = '']) => name),
    value,
  }))
}

const namesBelow = (page: string, heading: string): string[] => rowsBelow(page, heading).flatMap(({ names }) => names)

test.each([
  ['a client', 'docs/library.md', 'Options', { ...clientKinds, ...protocolKinds }],
  ['a call', 'docs/library.md', 'Options', callKinds],
  ['defaults', 'docs/library/network.md', 'Defaults', defaultsKinds],
])('the options of %s', (_of, page, heading, kinds) => {
  const named = namesBelow(page, heading)
  expect(Object.keys(kinds).filter((name) => !named.includes(name))).toEqual([])
})

test('the options of saving', () => {
  expect(namesBelow('docs/library/files.md', 'Saving').toSorted()).toEqual(
    [...Object.keys(saveOptionKinds), 'resume'].toSorted(),
  )
})

test('the options of trees', () => {
  const section =
    readPage('docs/library/files.md')
      .split(/^## /m)
      .find((text) => text.startsWith('Trees\n')) ?? ''
  expect(Object.keys(walkKinds).filter((name) => !section.includes(`\`${name}\``))).toEqual([])
})

test('the limits and their defaults', () => {
  const units: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1024 ** 2 }
  const numberOf = (text: string): number => {
    const [digits = '', unit = ''] = text.split(' ')
    return text === 'none' ? Number.POSITIVE_INFINITY : Number(digits.replace(';', '')) * (units[unit] ?? 1)
  }
  const named = rowsBelow('docs/library.md', 'Limits').flatMap(({ names, value }) => {
    const values = value.split(', ')
    return names.map((name, index) => [name, numberOf(values[index] ?? '')])
  })
  expect(Object.fromEntries(named)).toEqual(defaultLimits)
})
