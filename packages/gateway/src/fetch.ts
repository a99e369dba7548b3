import { Readable } from 'node:stream'
import { isRepresentation } from '@retriever/fetchers'
import type { Answer, Asked, Handler } from './answer.ts'
import type { GatewayCore } from './core.ts'
import { problem } from './problem.ts'

/** Carries out GatewayDoor.fetch for the target `url`. */
export async function answerRequest(
  core: GatewayCore,
  request: Request,
  url: string,
  handler: Handler,
): Promise<Response> {
  const { method, headers, body, signal } = request
  // A Request has no Host field.
  const lines = [...headers].filter(([name]) => name !== 'host')
  const closed = new AbortController()
  const forget = core.untilClosed(() => closed.abort())
  const received = body === null ? null : Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0])
  // Without a listener, the error of content that nothing reads would end the process.
  received?.on('error', () => {})
  const asked: Asked = {
    ...{ method, url, lines, headers: { ...Object.fromEntries(lines), host: new URL(request.url).host } },
    body: received,
    signal: AbortSignal.any([signal, closed.signal]),
  }
  const over = (): void => {
    forget()
    // Content that the answer left unread would stay open.
    received?.destroy()
  }
  let leave = over
  let answer: Answer
  try {
    const release = core.enter()
    leave = () => {
      release()
      over()
    }
    answer = await handler(asked)
  } catch (error) {
    answer = problem(error, undefined, core.settings.messageOf)
  }
  const { status, reason = '', lines: given } = answer
  const content = isRepresentation(answer.body) ? answer.body.nodeStream() : answer.body
  if (content instanceof Readable) content.once('close', leave)
  else leave()
  // The constructor takes no content with 205, and no status above 599, which some servers send.
  if (status === 205 && content instanceof Readable) content.destroy()
  const octets = content instanceof Readable ? webStream(content, core.settings.limits.idleTimeout) : content
  const response = new Response(status === 205 ? null : octets, {
    status: Math.min(status, 599),
    statusText: reason,
    headers: given.map(([name, value]) => [name, value]),
  })
  if (status > 599) Object.defineProperty(response, 'status', { value: status })
  return response
}

/** Ends the content if nothing of it moves for so long: a body that its caller has forgotten would keep its place. */
function webStream(content: Readable, idleTimeout: number): ReadableStream<Uint8Array> {
  const stream = Readable.toWeb(content) as ReadableStream<Uint8Array>
  const giveUp = (): void => {
    content.destroy(new Error(`Nothing of the body was read for ${idleTimeout} ms (limits.idleTimeout).`))
  }
  const timer = setTimeout(giveUp, idleTimeout).unref()
  // toWeb has paused the content, so that a further listener does not make it flow.
  content.on('data', () => timer.refresh())
  content.once('close', () => clearTimeout(timer))
  return stream
}
