import { expect, test } from 'vitest'
import { simulate } from './simulate.mjs'

const small = { urls: 100_000, hosts: 1_000, workers: 4, turns: 20 }

test('each URL of the simulation is retrieved, or belongs to a host that never answered', () => {
  const { done, lost, total, overlaps, deaths } = simulate(small)
  expect(done + lost).toBe(total)
  expect(lost).toBeGreaterThan(0)
  expect(deaths).toBeGreaterThan(0)
  expect(overlaps).toBe(0)
})

test('the simulation follows from its seed', () => {
  expect(simulate({ ...small, seed: 7 })).toEqual(simulate({ ...small, seed: 7 }))
  expect(simulate({ ...small, seed: 7 })).not.toEqual(simulate({ ...small, seed: 8 }))
})

test('twice the workers need half the time until half of the URLs are there', () => {
  const halfOf = (workers: number): number => simulate({ ...small, hosts: 10_000, workers }).marks[49] ?? 0
  expect(halfOf(4) / halfOf(8)).toBeGreaterThan(1.8)
})
