import type { ByteSource, HttpExchange } from '@retriever/fetchers/plugin'
import type { Shared } from './archive.ts'
import { newId, type Ready, recordOf, responseType } from './records.ts'
import { notModified, revisitOf } from './revisits.ts'
import { Spool } from './spool.ts'
import { targetUri } from './target-uri.ts'
import { type Cut, TeedSource } from './teed-source.ts'

const requestType = 'application/http; msgtype=request'

/** Keeps a request of HTTP and its answer, and gives the body that takes the place of the answer's. */
export function archivedExchange(shared: Shared, url: string, exchange: HttpExchange, body: ByteSource): ByteSource {
  const { writer, signal } = shared
  const date = new Date().toISOString()
  const spool = new Spool(writer.folder, Buffer.from(headFor(exchange.head), 'latin1'))
  const write = (cut: Cut | null): Promise<void> =>
    writer.write(recordsOf(shared, targetUri(url), date, exchange, spool, cut))
  if (hasNoBody(exchange)) {
    // Nobody need read the body. An error is that of Archive.close().
    write(null).catch(() => {})
    return body
  }
  return new TeedSource(body, {
    write: (octets) => spool.write(octets),
    startOver: () => spool.startOver(),
    end: async (cut) => {
      if (cut !== null && signal.aborted) spool.close()
      else await write(cut)
    },
    fail: (error) => {
      spool.close()
      writer.fail(error)
    },
  })
}

/** RFC 9110 6.4.1. */
function hasNoBody({ request, status }: HttpExchange): boolean {
  return isHead(request) || status === 204 || status === 304
}

function isHead(request: string): boolean {
  return request.startsWith('HEAD ')
}

function recordsOf(
  { writer, payloads }: Shared,
  uri: string,
  date: string,
  exchange: HttpExchange,
  spool: Spool,
  cut: Cut | null,
): readonly Ready[] {
  const { request, head, status, peerAddress } = exchange
  const id = newId()
  const isGet = !isHead(request)
  const protocol = request.startsWith('HTTP/2', request.indexOf(' HTTP/') + 1) ? 'h2' : undefined
  const common = { uri, date, address: peerAddress, more: { 'WARC-Protocol': protocol } }
  const mediaType = /^content-type:\s*([^\s;]+)/im.exec(head)?.[1] ?? null
  const facts = {
    ...common,
    id,
    contentType: responseType,
    more: { ...common.more, 'WARC-Truncated': cut ?? undefined },
    // A page that is found by its URL is the answer to GET.
    indexed: isGet ? { status, mediaType } : null,
  }
  const response = (): Ready => {
    if (status === 304 && isGet) return notModified(facts, spool)
    const revisit = cut === null && isGet ? revisitOf(facts, spool, payloads, writer.folder) : null
    return revisit ?? recordOf('response', facts, spool)
  }
  const asked = new Spool(writer.folder, Buffer.from(request.replace(' HTTP/2\r\n', ' HTTP/1.1\r\n'), 'latin1'))
  return [response(), recordOf('request', { ...common, contentType: requestType, concurrentTo: id }, asked)]
}

/**
 * The head as the archive has it. The body comes without the frames of chunks, so the field gets the name that Common
 * Crawl gives it; readers would look for frames. HTTP/2 has no form of its own in an archive: WARC-Protocol names it.
 */
function headFor(head: string): string {
  const named = head.replace(/^transfer-encoding:/gim, 'X-Crawler-Transfer-Encoding:')
  return named.startsWith('HTTP/2 ') ? `HTTP/1.1 ${named.slice('HTTP/2 '.length)}` : named
}
