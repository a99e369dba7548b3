import { RetrievalError } from '@retriever/core'
import { TerminalText } from '../../packages/cli/src/terminal/terminal-text.ts'
import { safeFileName } from '../../packages/fetchers/src/saving/file-name.ts'
import { linesOf } from '../../packages/fetchers/src/wire/framing/lines.ts'
import { cut } from './cut.ts'
import * as grammar from './grammar.ts'
import { require, requireEqual, type Target } from './target.ts'

export const terminal: Target = {
  about: 'case 33, property 11: a body is shown the same however it is cut, and drives no terminal',
  generate: (random) => [
    grammar.text(random) + random.pick(['\r', '\r\n', '\x1B[2J', '\u202E', '\u{E0041}', 'é']),
    String(random.below(1e9)),
  ],
  check(text = '', seed = '0') {
    const octets = Buffer.from(text)
    const show = (chunks: readonly Buffer[]): string => {
      const shown = new TerminalText('utf-8')
      return chunks.map((chunk) => shown.show(chunk)).join('') + shown.end()
    }
    const whole = show([octets])
    requireEqual(show(cut(octets, Number(seed))), whole, 'cut otherwise, it is shown otherwise')
    require(!/[\0-\x08\x0B-\x1F\x7F-\x9F\u200B\u202A-\u202E]|\uDB40[\uDC00-\uDC7F]/.test(
      whole,
    ), 'it drives the terminal')
  },
}

const limits = { maxListing: 60, maxReply: 20 }

async function read(chunks: readonly Buffer[]): Promise<string[]> {
  const lines: string[] = []
  const error = (_: string, message: string): RetrievalError =>
    new RetrievalError('limit-exceeded', message, { phase: 'body' })
  const body = (async function* () {
    yield* chunks
  })()
  try {
    // The rest of a context is not used.
    for await (const line of linesOf(body, { limits, error } as unknown as Parameters<typeof linesOf>[1]))
      lines.push(line)
  } catch (cause) {
    if (!RetrievalError.is(cause)) throw cause
    lines.push(cause.message)
  }
  return lines
}

export const lines: Target = {
  about: 'property 11: the lines of a listing, and its limits, are the same however it is cut',
  generate: (random) => [
    random.several(12, () => random.pick(['\n', '\r\n', '\r', 'a', 'abcdefghij', 'x'.repeat(19), 'é'])),
    String(random.below(1e9)),
  ],
  async check(text = '', seed = '0') {
    const octets = Buffer.from(text)
    requireEqual(await read(cut(octets, Number(seed))), await read([octets]), 'cut otherwise, it is read otherwise')
  },
}

export const fileNames: Target = {
  about: 'property 9: the name of a file is one visible segment of at most 200 octets, and its own safe form',
  generate: (random) => [
    random.several(8, () =>
      random.pick([
        grammar.piece(random),
        grammar.piece(random),
        '. ',
        'CON',
        '.tar',
        '\u200B',
        '\u{E0041}',
        '/',
        '\\',
        'é'.repeat(60),
      ]),
    ),
    random.pick(['linux', 'win32']),
  ],
  check(text = '', platform = 'linux') {
    const name = safeFileName(text, { platform: platform === 'win32' ? 'win32' : 'linux' })
    if (name === null) return
    require(!/[/\\\0-\x1F\u200B\uFEFF]|\uDB40[\uDC00-\uDC7F]/.test(name) &&
      name !== '', `${JSON.stringify(name)} is no safe name`)
    require(Buffer.byteLength(name) <= 200, 'it is too long')
    require(!/[. ]$|^[-~.]/.test(name), `${JSON.stringify(name)} begins or ends badly`)
    requireEqual(
      safeFileName(name, { platform: platform === 'win32' ? 'win32' : 'linux' }),
      name,
      'twice is not as once',
    )
  },
}
