import { expect, test } from 'vitest'
import { gapsIn, matrixPage, readMatrix } from './page.ts'
import { citedInTitles, numbersIn } from './titles.ts'

const matrix = readMatrix()

test('threats.md has all numbers, without a gap', () => {
  const all = (count: number, before: string): string[] => Array.from({ length: count }, (_, n) => before + (n + 1))
  expect([...matrix.numbers.keys()]).toEqual([...all(92, ''), ...all(44, 'R'), ...all(23, 'property ')])
})

test('each has a test with its number in the title, for each protocol that it concerns, or a reason', () => {
  expect(gapsIn(matrix)).toEqual([])
})

test('docs/internals/matrix.md', () =>
  expect(matrixPage(matrix)).toMatchFileSnapshot('../../../docs/internals/matrix.md'))

test('a title that loses its number is a gap, and so is a number that is none', () => {
  const cited = citedInTitles().filter(({ number, place }) => `${number} ${place}` !== '17 ftp')
  expect(gapsIn(readMatrix([...cited, { number: '93', place: 'ftp' }, { number: '44', place: 'nntp' }]))).toEqual([
    '17 has no test.',
    '44 nntp has a test: drop its reason.',
    '93 ftp is unknown.',
  ])
})

test.each([
  ['cases 4, 5 and 6, property 12: x (R2)', ['4', '5', '6', 'property 12', 'R2']],
  ['threats.md 4 property 7', ['property 7']],
  ['RFC 1738 3.1, R400, a case of 5', []],
])('%j has the numbers %j', (title, numbers) => expect(numbersIn(title)).toEqual(numbers))
