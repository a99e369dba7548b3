import { expect, test } from 'vitest'
import { svgOf } from './svg.mjs'

/** The texts of an image with their attributes, by text. */
function texts(screen: string): Record<string, string> {
  const found = [...svgOf(screen, 20, 'A screen').matchAll(/<text (.*?)>(.*?)<\/text>/g)]
  return Object.fromEntries(found.map(([, attributes = '', text = '']) => [text.replaceAll('\u00A0', ' '), attributes]))
}

test('each style of the terminal is a text of its own, at its column', () => {
  const shown = texts('plain \x1b[1;31mred\x1b[0m \x1b[7mback\x1b[27m\x1b[4;38;5;2mgreen\x1b[39;24m <&>\n\n  below')
  expect(shown['plain ']).toBe('x="16" y="30" textLength="50.4"')
  expect(shown.red).toContain('fill="#e06c75" font-weight="bold"')
  expect(shown.back).toContain('fill="#1e2127"')
  expect(shown.green).toContain('fill="#98c379" text-decoration="underline"')
  expect(shown[' &#60;&#38;&#62;']).not.toContain('fill')
  expect(shown['  below']).toContain('y="68"')
})

test('a style goes on in the next line, and the image is as large as the screen', () => {
  expect(texts('\x1b[2mone\ntwo\x1b[22m').two).toContain('opacity')
  expect(svgOf('one\ntwo', 20, 'A screen')).toContain('viewBox="0 0 200 70"')
})
