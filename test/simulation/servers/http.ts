import type { Server } from '../network.ts'

/** What a server of HTTP has, and how it differs from others. */
export interface HttpSite {
  readonly bodies: readonly string[]
  /** How an answer shows its end. */
  readonly framing: 'length' | 'chunked' | 'close'
  readonly etag: string | null
  readonly ranges: boolean
  /** The host to which /moved/0 leads. */
  readonly other: string
  /** The login that it wants; null: none. */
  readonly login: string | null
}

/** A server of HTTP/1.1: /0, /1, ...; /moved/0 leads to another host, and /busy/0 comes only the second time. */
export function httpServer(site: HttpSite): Server {
  const asked = new Set<string>()
  return (peer) => {
    let rest = ''
    return (octets) => {
      rest += octets
      for (let end = rest.indexOf('\r\n\r\n'); end >= 0; end = rest.indexOf('\r\n\r\n')) {
        const head = rest.slice(0, end)
        rest = rest.slice(end + 4)
        const [, path = ''] = /^GET (\S+) /.exec(head) ?? []
        const isRepeated = asked.has(path)
        asked.add(path)
        const { octets, closes } = answerTo(site, path, head, isRepeated)
        peer.send(octets)
        if (closes) peer.end()
      }
    }
  }
}

function answerTo(site: HttpSite, path: string, head: string, isRepeated: boolean): Answer {
  const field = (name: string): string | undefined => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]
  const [, way, number = ''] = /^\/(moved\/|busy\/)?(\d+)$/.exec(path) ?? []
  const body = site.bodies[Number(number)]
  if (site.login !== null && field('authorization') !== `Basic ${btoa(site.login)}`)
    return answer('401 no', ['WWW-Authenticate: Basic realm="x"'], 'log in')
  if (body === undefined || number === '') return answer('404 no', [], 'none')
  if (way === 'moved/') return answer('302 there', [`Location: http://${site.other}/${number}`], '')
  if (way === 'busy/' && !isRepeated) return answer('503 busy', ['Retry-After: 1'], 'wait')
  const tag = site.etag === null ? [] : [`ETag: ${site.etag}`]
  const [, first] = /^bytes=(\d+)-$/.exec(field('range') ?? '') ?? []
  const isRange = site.ranges && first !== undefined && Number(first) < body.length && field('if-range') === site.etag
  if (!isRange) return answer('200 OK', tag, body, site.framing)
  const range = `Content-Range: bytes ${first}-${body.length - 1}/${body.length}`
  return answer('206 part', [...tag, range], body.slice(Number(first)), site.framing)
}

interface Answer {
  readonly octets: string
  readonly closes: boolean
}

function answer(
  status: string,
  fields: readonly string[],
  body: string,
  framing: HttpSite['framing'] = 'length',
): Answer {
  const own = {
    length: [`Content-Length: ${body.length}`],
    chunked: ['Transfer-Encoding: chunked'],
    close: ['Connection: close'],
  }
  const octets = framing === 'chunked' ? chunks(body) : body
  return {
    octets: `HTTP/1.1 ${status}\r\n${[...fields, ...own[framing]].join('\r\n')}\r\n\r\n${octets}`,
    closes: framing === 'close',
  }
}

function chunks(body: string): string {
  const pieces = body.match(/[\s\S]{1,50}/g) ?? []
  return `${pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('')}0\r\n\r\n`
}
