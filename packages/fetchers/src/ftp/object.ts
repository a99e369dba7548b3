import type { Retrieved } from '../fetcher.ts'
import type { Dialogue } from './dialogue.ts'
import { LineEnds } from './line-ends.ts'
import { isPositive, type Reply, refused, shownName, wordsOf } from './replies.ts'
import { setType, startTransfer } from './transfer.ts'
import { type BodyOptions, TransferBody } from './transfer-body.ts'

/** RETR of a name, in TYPE I unless the URL has `;type=a`. */
export async function retrieveObject(dialogue: Dialogue, welcome: string): Promise<Retrieved> {
  const { plan, context } = dialogue
  const isText = plan.typecode === 'a'
  await setType(dialogue, isText ? 'A' : 'I')
  const range = await readRange(dialogue)
  const { transfer, reply } = await startTransfer(dialogue, `RETR ${plan.name}`, range?.first)
  if (transfer === null) {
    const advice =
      reply.code === 550 ? { advice: 'It does not exist, or may not be read; a directory needs a / at its end' } : {}
    throw refused(context, reply, shownName(plan.name), advice)
  }
  const announced = isText || range !== undefined ? undefined : announcedSize(reply)
  const options = range ?? { ...(isText ? { lineEnds: new LineEnds() } : {}), expected: announced }
  return {
    outcome: 'retrieved',
    kind: 'object',
    mediaType: isText ? 'text/plain' : null,
    charset: null,
    size: range?.size ?? announced ?? null,
    modified: null,
    // The end of the data is known by the final 226 on the other connection. The announced size is but a sentence for people.
    completeness: range?.size === undefined ? 'terminated' : 'verified',
    metadata: { welcome, reply: wordsOf(reply), typecode: isText ? 'a' : 'i' },
    body: new TransferBody(dialogue, transfer, options),
  }
}

interface Range extends BodyOptions {
  readonly first: number
  /** Of the range, where it is known. */
  readonly size: number | undefined
}

/**
 * What of the object is wanted. SIZE is asked for only here, since it costs a round trip: vsftpd and inetutils accept a REST
 * beyond the end and then send nothing, with 226.
 */
async function readRange(dialogue: Dialogue): Promise<Range | undefined> {
  const { context } = dialogue
  const [first, last] = context.request.range ?? []
  if (first === undefined || last === undefined) return undefined
  const size = await askSize(dialogue)
  if (size !== undefined && first > 0 && first >= size) {
    throw context.error('range-refused', `The range begins at octet ${first}, and there are ${size}.`)
  }
  const rest = size === undefined ? undefined : size - first
  if (last === null) return { first, size: rest, expected: rest, atMost: rest }
  const asked = last - first + 1
  const wanted = Math.min(asked, rest ?? asked)
  return {
    first,
    size: rest === undefined ? undefined : wanted,
    expected: rest === undefined ? undefined : wanted,
    wanted,
  }
}

/** RFC 3659 4: `213 1234`. Undefined where the server does not know; that a file is missing is for RETR to say. */
async function askSize({ control, plan }: Dialogue): Promise<number | undefined> {
  const reply = await control.ask('request', `SIZE ${plan.name}`)
  const [digits] = isPositive(reply) ? (/^\d{1,15}(?!\d)/.exec(reply.text) ?? []) : []
  return digits === undefined ? undefined : Number(digits)
}

/** `150 Opening BINARY mode data connection for a.bin (4096 bytes).`, as most servers have it since BSD; at the end, after any name. */
function announcedSize({ text }: Reply): number | undefined {
  const [, digits] = /\((\d{1,15}) bytes\)\.?\s*$/i.exec(text) ?? []
  return digits === undefined ? undefined : Number(digits)
}
