import { RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../../packages/fetchers/src/contract/fetcher.ts'
import { Terminal } from '../../packages/fetchers/src/protocols/tn3270/data-stream.ts'
import { Dialogue } from '../../packages/fetchers/src/protocols/tn3270/dialogue.ts'
import type { Connection } from '../../packages/fetchers/src/wire/transport/connection.ts'
import { cut } from './cut.ts'
import type { Random } from './random.ts'
import { require, requireEqual, type Target } from './target.ts'

const fail = (what: string): never => {
  throw new RetrievalError('protocol-violation', what, { phase: 'request' })
}

// The rest of a context is not used.
const context = {
  url: 'tn3270://h/',
  limits: { maxReply: 600 },
  emit: () => {},
  error: (code: 'partial', message: string) => new RetrievalError(code, message, { phase: 'request' }),
} as unknown as RetrievalContext

const pieces = [
  '\xf5\xc3',
  '\xf1\xc3',
  '\x7e\x40',
  '\x6f',
  '\xf3\x00\x06\x40\x00\xf1\xc3',
  '\xf3\x00\x00\x40\x00\xf5\x40',
  '\x11\x40\x40',
  '\x11\x5d\x7f',
  '\x11\x07\x7f',
  '\x12\x40\x40',
  '\x13',
  '\x05',
  '\x1d\x40',
  '\x1d\x4c',
  '\x29\x01\xc0\x20',
  '\x29\x02\x42\xf2',
  '\x2c\x01\xc0\x60',
  '\x28\x43\xf1',
  '\x3c\x40\x40\xc1',
  '\x3c\x5a\x50\x08\xa2',
  '\x08\xc5',
  '\xc1\xc2\xc3',
  '\0',
  '\xff',
]

const octets = (random: Random): string =>
  random.pick(['\xf5\xc3', '\xf1\x40', '\x7e\xc3', '']) +
  random.several(30, () => (random.below(8) === 0 ? String.fromCharCode(random.below(256)) : random.pick(pieces)))

/** What became of it: the screen, or the code of the error. Any other error is thrown on. */
function outcome(run: () => unknown): string {
  try {
    return JSON.stringify(run())
  } catch (error) {
    if (!RetrievalError.is(error)) throw error
    return error.message
  }
}

export const tn3270: Target = {
  about: 'property 14: a record of a 3270 is a screen of its size, or a RetrievalError',
  generate: (random) => [octets(random), random.pick(['2', '5'])],
  check(text = '', model = '2') {
    const terminal = new Terminal(model === '5' ? 5 : 2, fail)
    const run = (): unknown => {
      for (const record of text.split('\xff')) terminal.take(Buffer.from(record, 'latin1'))
      return null
    }
    outcome(run)
    const { screen } = terminal
    const { rows, columns } = screen.size
    const lines = screen.lines()
    requireEqual(lines.length, rows, 'it has other rows')
    require(lines.every((line) => line.length <= columns && !/[\0-\x1F\x7F-\x9F]/.test(line)), 'a row is no text')
    require(screen.cursor >= 0 && screen.cursor < screen.length, 'the cursor is beyond the screen')
    const fields = screen.fields()
    require(fields.every(({ hidden, text: shown }) => !hidden || shown === ''), 'a hidden field is told')
    require(fields.every(({ row, column }) => row <= rows && column <= columns), 'a field is beyond the screen')
  },
}

const commands = [
  '\xff\xfd\x18',
  '\xff\xfa\x18\x01\xff\xf0',
  '\xff\xfd\x19\xff\xfb\x19',
  '\xff\xfd\0\xff\xfb\0',
  '\xff\xfd\x28',
  '\xff\xfa\x28\x08\x02\xff\xf0',
  '\xff\xfa\x28\x02\x04X\x01Y\xff\xf0',
  '\xff\xfa\x28\x02\x06\x05\x01\xff\xf0',
  '\xff\xfa\x28\x03\x04\xff\xf0',
  '\xff\xfa\x28\x03\x07\x02\xff\xf0',
  '\xff\xfc\x19',
  '\xff\xfe\x28',
  '\xff\xef',
  '\xff\xef',
  '\0\0\0\0\0',
  '\xff\xff',
  '\r\0',
]

/** The screen, the sent octets and the end of a dialogue with a server that sends these chunks. */
async function dialogue(chunks: readonly Buffer[]): Promise<string> {
  const rest: (Buffer | null)[] = [...chunks]
  const sent: string[] = []
  const connection = {
    read: async () => rest.shift() ?? null,
    sendMessage: async (message: string) => void sent.push(message),
  } as unknown as Connection
  const terminal = new Terminal(2, fail)
  const talk = new Dialogue(connection, context, terminal, 'IBM-3278-2')
  const end = await talk.run().then(String, (error: unknown) => {
    if (!RetrievalError.is(error)) throw error
    return error.code
  })
  require(sent.join('').length <= 40 * chunks.reduce((sum, { length }) => sum + length, 1), 'it answers too much')
  // Answers to commands behind the end of the dialogue are not sent.
  return JSON.stringify({ end, lines: terminal.screen.lines(), ...(end === 'false' && { sent: sent.join('') }) })
}

export const tn3270Dialogue: Target = {
  about:
    'properties 11 and 14: a TN3270 dialogue gives the same screen however its octets are cut, or a RetrievalError',
  generate: (random) => [
    random.several(14, () => random.pick([...commands, octets(random).replaceAll('\xff', '\xff\xff')])),
    String(random.below(1e9)),
  ],
  async check(text = '', seed = '0') {
    const sent = Buffer.from(text, 'latin1')
    const whole = await dialogue([sent])
    // The limit of all octets ends the dialogue at the piece that passes it.
    if (sent.length > 600) return
    requireEqual(await dialogue(cut(sent, Number(seed))), whole, 'cut otherwise, it is read otherwise')
  },
}
