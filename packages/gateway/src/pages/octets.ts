import { readMessage } from '@retriever/fetchers/mime'
import type { Answer, FieldLine } from '../answer.ts'
import { disposition } from '../fields.ts'
import { sandbox } from '../html.ts'
import { Refusal } from '../problem.ts'
import { retrieved } from '../retrieved.ts'
import { addressOf, labelOf } from './address.ts'
import type { AskedOrigin } from './guard.ts'
import { ownLines, redirect } from './layout.ts'
import type { Visit } from './visit.ts'
import { zipped } from './zip.ts'

/** The fields beside octets of others: no script runs in them, and no page learns what they are. */
const fence: readonly FieldLine[] = [sandbox, ...ownLines]

/**
 * The octets of a URL, or of a part of a message. A browser gets them from an origin that only the octets of
 * this server have; programs that do not say that they are browsers, such as lynx and w3m, get them where they asked.
 */
export async function octets(visiting: Visit, { label, port, isLocal }: AskedOrigin): Promise<Answer> {
  const { core, memory, asked, resolution, own } = visiting
  const wanted = labelOf(resolution.url, memory.key)
  if (label === null && isLocal && asked.headers['sec-fetch-mode'] !== undefined) {
    return redirect(`http://${wanted}.localhost${port}${addressOf(resolution.url, own ?? 'raw=1')}`)
  }
  if (label !== null && label !== wanted) throw new Refusal(421, 'Octets of another server have another address.')
  if (memory.unaccepted(resolution).length > 0) return redirect(addressOf(resolution.url))
  if (own === 'zip=1') return await zipped(visiting, fence)
  const key = /^answer=(.+)$/.exec(own ?? '')?.[1]
  if (key !== undefined) {
    const kept = memory.answer(key, resolution.url)
    return { status: 200, lines: [['Content-Type', kept.type], ...fence], body: kept.octets }
  }
  const part = /^part=(.+)$/.exec(own ?? '')?.[1]
  if (part !== undefined) return await messagePart(visiting, part)
  const headers = { ...asked.headers, accept: undefined, authorization: undefined }
  const url = memory.withLogin(resolution)
  const answer = await retrieved({ ...asked, headers }, core.settings.client.resolve(url), core.settings)
  const replaced = new Set(fence.map(([name]) => name.toLowerCase()))
  return { ...answer, lines: [...answer.lines.filter(([name]) => !replaced.has(name.toLowerCase())), ...fence] }
}

async function messagePart({ core, memory, asked, resolution }: Visit, number: string): Promise<Answer> {
  const found = await core.settings.client.retrieve(memory.withLogin(resolution), { signal: asked.signal })
  if (found.mediaType !== 'message/rfc822') {
    await found.cancel()
    throw new Refusal(404, 'The URL leads to no message, so there is no part of one.')
  }
  const part = (await readMessage(found)).part(number)
  if (part === null) throw new Refusal(404, `The message has no part ${number}.`)
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(part.mediaType) ? part.mediaType : 'application/octet-stream'
  const lines: FieldLine[] = [
    ['Content-Type', type],
    disposition('attachment', part.name ?? `part-${number}`),
    ...fence,
  ]
  return { status: 200, lines, body: Buffer.from(part.octets) }
}
