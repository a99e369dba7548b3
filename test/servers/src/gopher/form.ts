import { type Body, wholeBody } from '../body.ts'
import type { Incoming } from '../incoming.ts'
import { dotBlock } from '../text.ts'
import type { GopherRequest } from './request.ts'

/** Questions, and what the server sends back for the answers (Gopher+ 2.8). */
export interface Form {
  /** The lines of the +ASK block. */
  readonly ask: readonly string[]
  readonly answer: (data: string) => Body
}

export const SHORT_FORM: Form = {
  ask: ['Ask: Your name?\tnobody', 'AskP: A secret?', 'Choose: Colour?\tred\tgreen'],
  answer(data) {
    const [name = '', secret = '', colour = ''] = data.split('\r\n')
    const text = `Name: ${name}\nSecret: ${secret.length} characters\nColour: ${colour}\n`
    return wholeBody(`+-1\r\n${dotBlock(text)}`)
  },
}

/** A form with every kind of question that the paper has. The file comes last, since it is the rest of the data. */
export const LONG_FORM: Form = {
  ask: [
    'Note: All kinds of questions.',
    'Ask: Title?\tuntitled',
    'AskP: Password?',
    'AskL: Comments?',
    'AskF: Save as?\tanswer.txt',
    'Select: Toppings?\tcheese\tonions\tham',
    'Choose: Size?\tsmall\tlarge',
    'ChooseF: A file?',
  ],
  answer(data) {
    const [title = '', secret = '', count = '0', ...rest] = data.split('\r\n')
    const comments = rest.splice(0, Number(count))
    const [name = '', ...others] = rest
    const boxes = others.splice(0, 3)
    const [size = '', ...file] = others
    const text = [
      `Title: ${title}`,
      `Password: ${secret.length} characters`,
      `Comments: ${JSON.stringify(comments)}`,
      `Save as: ${name}`,
      `Toppings: ${boxes.join('')}`,
      `Size: ${size}`,
    ]
    const answer = `${text.map((line) => `${line}\r\n`).join('')}File: ${file.join('\r\n')}`
    return wholeBody(`+${answer.length}\r\n${answer}`)
  },
}

/** The answer to a filled form; without a data block it is an error. */
export async function formAnswer(form: Form, request: GopherRequest, incoming: Incoming): Promise<Body> {
  if (!request.data) return wholeBody('--1\r\n1 <ann@example.net>\r\nPlease fill in the form.\r\n.\r\n')
  return form.answer(await readBlock(incoming))
}

/**
 * Reads a data block: `+-1`, lines, a dot; or `+N` and N octets (Gopher+ 2.3, in the other direction). Returns only the
 * data; its lines end in CRLF.
 */
async function readBlock(incoming: Incoming): Promise<string> {
  const size = Number((await incoming.line())?.slice(1) ?? '-1')
  if (size >= 0) return incoming.octets(size)
  let block = ''
  for (let line = await incoming.line(); line !== undefined && line !== '.'; line = await incoming.line()) {
    block += `${line.startsWith('..') ? line.slice(1) : line}\r\n`
  }
  return block
}
