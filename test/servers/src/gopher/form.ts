import { type Body, wholeBody } from '../body.ts'
import type { Lines } from '../lines.ts'
import { dotBlock } from '../text.ts'
import type { GopherRequest } from './request.ts'

/** The answers to the +ASK questions (Gopher+ 2.8) come back as text. Without a data block: an error. */
export async function formAnswer(request: GopherRequest, lines: Lines): Promise<Body> {
  if (!request.data) return wholeBody('--1\r\n1 <ann@example.net>\r\nPlease fill in the form.\r\n.\r\n')
  const [name = '', secret = '', colour = ''] = await readBlock(lines)
  const text = `Name: ${name}\nSecret: ${secret.length} characters\nColour: ${colour}\n`
  return wholeBody(`+-1\r\n${dotBlock(text)}`)
}

/** `+-1`, lines, a dot; or `+N` and N octets (Gopher+ 2.3, in the other direction). */
async function readBlock(lines: Lines): Promise<readonly string[]> {
  const size = Number((await lines.next())?.slice(1) ?? '-1')
  const block: string[] = []
  let octets = 0
  while (size < 0 || octets < size) {
    const line = await lines.next()
    if (line === undefined || (size === -1 && line === '.')) break
    octets += line.length + 2
    block.push(size === -1 && line.startsWith('..') ? line.slice(1) : line)
  }
  return block
}
