import { readFileSync } from 'node:fs'
import { extractUrls } from '@retriever/core'
import { describe, expect, test } from 'vitest'
import { doubleSpaced, filled } from '../support/core/wrapped-text.ts'

/**
 * The URLs in the texts of the specifications themselves, which are wrapped, quoted and bare, and broken over lines.
 * The texts have the paragraphs that hold a URL or seem to, below the headings of their sections. A person wrote the
 * lists beside them.
 */
const folder = new URL('specifications/', import.meta.url)

function read(name: string): string {
  return readFileSync(new URL(name, folder), 'utf8')
}

function urlsOf(text: string): string[] {
  return [...extractUrls(text)].flatMap(({ url, error }) => (error === null ? [url] : []))
}

describe.each(['rfc1738', 'rfc3986', 'rfc4266', 'rfc5538'])('%s', (name) => {
  const text = read(`${name}.txt`)
  const expected = read(`${name}.urls`).trim().split('\n')

  test('its URLs, in order', () => {
    expect(urlsOf(text)).toEqual(expected)
  })

  test('the same if the text is double-spaced', () => {
    expect(urlsOf(doubleSpaced(text))).toEqual(expected)
  })

  test.each([40, 60, 100, 2000])('the same if its paragraphs are filled to %d columns', (width) => {
    expect(urlsOf(filled(text, width))).toEqual(expected)
  })
})
