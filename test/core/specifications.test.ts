import { readFileSync } from 'node:fs'
import { extractUrls } from '@retriever/core'
import { describe, expect, test } from 'vitest'

/**
 * The URLs in the texts of the specifications themselves, which are wrapped, quoted and bare, and broken over lines.
 * The lists beside the texts were read by a person.
 */
const folder = new URL('specifications/', import.meta.url)

function read(name: string): string {
  return readFileSync(new URL(name, folder), 'utf8')
}

function urlsOf(text: string): string[] {
  return [...extractUrls(text)].flatMap(({ url, error }) => (error === null ? [url] : []))
}

/** An empty line behind each line, as a printer or a paste makes them. */
function doubleSpaced(text: string): string {
  return text.replaceAll('\n', '\n\n')
}

/** Each paragraph filled to a width, as mail programs do; words are not cut, and the blanks before lines are lost. */
function filled(text: string, width: number): string {
  const paragraphs = text.split(/\n\s*\n/)
  return paragraphs.map((paragraph) => fill(paragraph.split(/\s+/), width)).join('\n\n')
}

function fill(words: readonly string[], width: number): string {
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last === undefined || last.length + word.length + 1 > width) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines.join('\n')
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
