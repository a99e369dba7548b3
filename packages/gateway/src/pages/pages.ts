import type { Server } from 'node:http'
import { formatLocator, type Resolution, redact } from '@retriever/core'
import type { Answer, Asked } from '../answer.ts'
import { type GatewayCore, portOf } from '../core.ts'
import { checkTarget } from '../guard.ts'
import { html } from '../html.ts'
import { problemOf, Refusal } from '../problem.ts'
import { addressOf, urlAt } from './address.ts'
import { answersTo } from './forms.ts'
import { checkReader, checkSender, initiatorOf, originOf } from './guard.ts'
import { homePage, proxyFile } from './home.ts'
import { ownLines, pageAnswer, redirect } from './layout.ts'
import { decoded, Memory } from './memory.ts'
import { octets } from './octets.ts'
import { style } from './style.ts'
import { visit } from './visit.ts'

/** How many octets the answer to a form may have. */
const mostForm = 262_144

/** The pages of a gateway. */
export class Pages {
  readonly #core: GatewayCore
  readonly #proxy: Server
  readonly #memory = new Memory()

  constructor(core: GatewayCore, proxy: Server) {
    this.#core = core
    this.#proxy = proxy
  }

  /** Answers a request that has a place. Never rejects. */
  async answer(asked: Asked): Promise<Answer> {
    try {
      const answer = await this.#answer(asked)
      return asked.method === 'HEAD' ? withoutBody(answer) : answer
    } catch (error) {
      const { status, title, detail, lines, error: known } = problemOf(error, this.#core.settings.messageOf)
      const content = html`<p>${detail}</p>\n<p class="soft">${known?.code}</p>\n`
      return pageAnswer({ title, content, url: null, status, lines }, asked.signal)
    }
  }

  async #answer(asked: Asked): Promise<Answer> {
    const { settings } = this.#core
    const origin = originOf(asked, settings)
    checkReader(asked, settings)
    if (asked.method === 'POST' && origin.label === null) return await this.#take(asked)
    if (asked.method !== 'GET' && asked.method !== 'HEAD') {
      throw new Refusal(405, 'Pages are read by GET and HEAD.', [['Allow', 'GET, HEAD']])
    }
    const own = origin.label === null ? this.#ownPage(asked) : null
    if (own !== null) return own
    const wanted = urlAt(asked.url)
    if (wanted === null) throw new Refusal(404, 'The gateway has no such page. /gopher/HOST/1/ is that of a URL.')
    const resolution = this.#resolve(wanted.url)
    // A label is known to pages of ours alone.
    const initiator = origin.label === null ? initiatorOf(asked) : 'ours'
    if (initiator === 'part of others') throw new Refusal(403, 'Another site may not load this; open it by itself.')
    if (initiator === 'document of others') return foreignPage(asked, resolution)
    if (resolution.locator.password !== null)
      return redirect(addressOf(this.#withoutPassword(resolution), wanted.own ?? undefined))
    const visiting = { core: this.#core, memory: this.#memory, asked, resolution, own: wanted.own }
    const isOctets = wanted.own !== null && /^(?:raw|answer|zip|part)=/.test(wanted.own)
    const isElsewhere = resolution.plan.mechanism === 'http' && !settings.offline
    if (isOctets && !isElsewhere) return await octets(visiting, origin)
    if (origin.label !== null) throw new Refusal(421, 'Pages have another address; use http://localhost and its port.')
    return await visit(visiting)
  }

  /** A page of the gateway's own; null if the address is that of a URL. */
  #ownPage({ url, headers, signal }: Asked): Answer | null {
    const { host = '' } = headers
    const proxyPort = portOf(this.#proxy)
    const proxy = proxyPort === null ? null : `${host.replace(/:\d+$/, '')}:${proxyPort}`
    const [, path = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(url) ?? []
    const given = new URLSearchParams(query)
    if (path === '/') return homePage(`http://${host}`, proxy, signal)
    if (path === '/go') return this.#go(given.get('url') ?? '', false)
    if (path === '/search') return this.#search(given.get('url') ?? '', given.get('words') ?? '')
    if (path === '/style.css') return file('text/css; charset=utf-8', style)
    if (path === '/robots.txt') return file('text/plain', 'User-agent: *\nDisallow: /\n')
    if (path === '/proxy.pac' && proxy !== null) return file('application/x-ns-proxy-autoconfig', proxyFile(proxy))
    return null
  }

  /**
   * The page of a URL that a person types. A password in it is kept in memory, and goes into no address; a link of
   * another site gives none.
   */
  #go(typed: string, isTyped: boolean): Answer {
    const given = typed.trim()
    const bare = given.startsWith('<') && given.endsWith('>') ? given.slice(1, -1).trim() : given
    const url = bare.replace(/^URL:(?=\s*[a-z][a-z0-9+.-]*:)/i, '').trim()
    if (url === '') return redirect('/')
    const resolution = this.#resolve(url.replace(/^web\+(?=[a-z])/i, ''))
    return redirect(addressOf(this.#withoutPassword(resolution, isTyped)))
  }

  /** The URL without its password, which is kept in memory if a person has typed it. */
  #withoutPassword({ url, locator }: Resolution, isTyped = true): string {
    const { user, password } = locator
    if (password === null) return url
    const without = this.#resolve(formatLocator({ ...locator, password: null }))
    if (isTyped) this.#memory.keep(without, decoded(user ?? ''), decoded(password))
    return without.url
  }

  #search(index: string, words: string): Answer {
    const { locator, plan, url } = this.#resolve(index)
    const coded = encodeURIComponent(words).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16)}`)
    if (plan.mechanism !== 'gopher') return redirect(addressOf(formatLocator({ ...locator, query: coded })))
    return redirect(addressOf(`${url.replace(/%09.*$/s, '')}%09${coded}`))
  }

  /** Takes a form of a page. */
  async #take(asked: Asked): Promise<Answer> {
    checkSender(asked)
    const given = await readForm(asked)
    if (asked.url === '/go') return this.#go(given.get('url') ?? '', true)
    this.#memory.check(given.get('token'))
    const resolution = this.#resolve(given.get('url') ?? '')
    switch (asked.url) {
      case '/accept':
        this.#memory.accept(resolution)
        return redirect(addressOf(resolution.url))
      case '/login':
        this.#memory.keep(resolution, given.get('user') ?? '', given.get('password') ?? '')
        return redirect(addressOf(resolution.url))
      case '/form':
        return await visit({ core: this.#core, memory: this.#memory, asked, resolution, own: null }, (form) => {
          return answersTo(form, given)
        })
      default:
        throw new Refusal(404, 'The gateway has no such form.')
    }
  }

  #resolve(url: string): Resolution {
    const resolution = this.#core.settings.client.resolve(url)
    checkTarget(resolution, this.#core.ownPorts)
    return resolution
  }
}

/** Asks before anything is sent for a URL to which another site has led. */
function foreignPage({ signal }: Asked, { url }: Resolution): Answer {
  const content = html`<p>Another site leads here. Nothing has been sent yet.</p>
<p><a href="${addressOf(url)}">Go on to ${redact(url)}</a> <a href="/">Do not</a></p>\n`
  return pageAnswer({ title: 'Before you go on', url, content }, signal)
}

function file(type: string, body: string): Answer {
  return { status: 200, lines: [['Content-Type', type], ...ownLines], body }
}

/** HEAD's answer: the content is not retrieved further. */
function withoutBody(answer: Answer): Answer {
  const { body } = answer
  if (body !== null && typeof body === 'object' && 'destroy' in body) body.destroy()
  return { ...answer, body: null }
}

async function readForm({ body, headers }: Asked): Promise<URLSearchParams> {
  const type = headers['content-type'] ?? ''
  if (body === null || !/^application\/x-www-form-urlencoded *(?:;|$)/i.test(type)) {
    throw new Refusal(415, 'Forms are sent as application/x-www-form-urlencoded.')
  }
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of body) {
    size += piece.length
    if (size > mostForm) throw new Refusal(413, `The form has more than ${mostForm} octets.`)
    pieces.push(Buffer.from(piece))
  }
  return new URLSearchParams(Buffer.concat(pieces).toString())
}
