import { expect, test } from 'vitest'
import { cells } from './page.mjs'
import { picture } from './pictures.mjs'

const rows = [
  { name: 'a < b', ours: true, samples: [0.3, 0.1, 0.2], goal: { most: 1.5, of: 'peer' } },
  { name: 'c', ours: true, samples: [0.2], goal: { most: 0.1 } },
  { name: 'd', ours: true, samples: [0.1], goal: { most: 1, of: 'a peer that is not installed' } },
  { name: 'peer', ours: false, samples: [0.2] },
]
const group = { name: 'x', title: 'X', unit: 'ms', factor: 1000, digits: 0, rows }

test('a row has its median, its spread, its goal, and by how much that is missed', () => {
  expect(rows.map((row) => cells(row, rows, group))).toEqual([
    ['a < b', '200', '100 to 300', '300 (1.5 of peer)', 'met'],
    ['c', '200', '200 to 200', '100', '+100 %'],
    ['d', '100', '100 to 100', '', ''],
    ['peer', '200', '200 to 200', '', ''],
  ])
})

test('a picture has a bar for each row, and a line for each goal', () => {
  const svg = picture(group)
  expect(svg.match(/<rect [^>]*rx=/g)).toHaveLength(rows.length)
  expect(svg.match(/stroke-width="2.5"/g)).toHaveLength(2)
  expect(svg).toContain('>a &lt; b</text>')
  expect(svg).toContain('>200 ms, missed by 100 %</text>')
})
