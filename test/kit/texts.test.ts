import { Texts } from '@retriever/fetchers/internal'
import { expect, test } from 'vitest'

test('texts stay known when they are so many that only their keys are held', () => {
  const texts = new Texts()
  const name = (index: number): string => `www.example.org/${index}.html`
  const count = 20_003
  for (let index = 0; index < count; index++) {
    expect(texts.has(name(index))).toBe(false)
    expect(texts.add(name(index))).toBe(true)
    expect(texts.add(name(index))).toBe(false)
    expect(texts.size).toBe(index + 1)
  }
  const all = Array.from({ length: count }, (_, index) => name(index))
  expect(all.filter((each) => !texts.has(each))).toEqual([])
  expect(texts.has(name(count))).toBe(false)
})
