import { formatExplanation, type Resolution, RetrievalError } from '@retriever/core'
import type { Representation } from '@retriever/fetchers'
import type { Form, FormAnswers } from '@retriever/fetchers/internal'
import { readMessage } from '@retriever/fetchers/mime'
import { decodeText } from '@retriever/fetchers/plugin'
import type { Answer, Asked } from '../answer.ts'
import type { GatewayCore } from '../core.ts'
import { type Content, type Html, html } from '../html.ts'
import { typeByName } from '../media-types.ts'
import { problemOf, Refusal } from '../problem.ts'
import { typeOf } from '../retrieved.ts'
import { addressOf } from './address.ts'
import { hidden, loginForm, serverForm } from './forms.ts'
import { type Page, pageAnswer, redirect } from './layout.ts'
import { leadsOf } from './links.ts'
import { listContent, searchForm } from './list.ts'
import type { Memory } from './memory.ts'
import { gemtext, messageContent, plainText } from './text.ts'
import { webContent } from './web-content.ts'
import { treeMechanisms } from './zip.ts'

/** The most octets of a text that becomes a page. Of larger ones, a browser gets the octets. */
const mostText = 4 * 1024 * 1024

/** One visit of a person to a URL. */
export interface Visit {
  readonly core: GatewayCore
  readonly memory: Memory
  readonly asked: Asked
  readonly resolution: Resolution
  /** The parameter of the gateway in the address. */
  readonly own: string | null
}

/** The page of a URL. `form` answers a form of the server. */
export async function visit(visiting: Visit, form?: (form: Form) => FormAnswers | null): Promise<Answer> {
  const { core, memory, asked, resolution } = visiting
  const { plan, url } = resolution
  if (plan.mechanism === 'http' && !core.settings.offline) return show(visiting, url, webPage(url))
  const warnings = memory.unaccepted(resolution)
  if (warnings.length > 0) return show(visiting, 'Before you go on', await warningPage(visiting, warnings))
  if (plan.mechanism === 'gopher' && plan.gophertype === '7' && plan.search === null) {
    return show(visiting, titleOf(url), html`${searchForm(url, 'Search for')}\n${await explained(visiting)}`)
  }
  if (isBinary(resolution)) return redirect(addressOf(url, 'raw=1'))
  let questions: Form | null = null
  const fill = (asking: Form): FormAnswers | null => {
    questions = asking
    return form?.(asking) ?? null
  }
  try {
    const client = core.settings.client
    const found = await client.retrieve(memory.withLogin(resolution), { signal: asked.signal, form: fill })
    return await shown(visiting, found, questions !== null)
  } catch (error) {
    return await failed(visiting, error, questions)
  }
}

/** The page of what has come; a redirect to the octets if people cannot read them as a page. */
async function shown(visiting: Visit, found: Representation, isAnswer: boolean): Promise<Answer> {
  const { own, core } = visiting
  const leads = leadsOf(core.settings)
  const title = titleOf(found.url)
  const details = await explained(visiting)
  const type = found.mediaType ?? typeByName(found.url)
  if (type === 'text/gemini') return show(visiting, title, joined(visiting, gemtext(found, leads), details), found.url)
  if (found.kind === 'listing' && found.hasEntries) {
    return show(visiting, title, joined(visiting, listContent(found, own, leads), details), found.url)
  }
  if (type === 'message/rfc822') {
    const message = await readMessage(found)
    return show(visiting, message.subject || title, [messageContent(message, found.url, leads), details], found.url)
  }
  const isWebPage = type === 'text/html' && found.mechanism === 'http'
  const isReadable = isWebPage || isText(type)
  const octets = (isReadable || isAnswer) && (found.size ?? 0) <= mostText ? await readOctets(found) : null
  const way = isAnswer && octets !== null ? keptAnswer(visiting, found, octets) : 'raw=1'
  if (isReadable && octets !== null) {
    const text = decodeText(octets, found)
    const content = isWebPage ? webContent(text, found.url, leads) : plainText(text, leads)
    return show(visiting, title, [content, octetsLink(found.url, way), details], found.url)
  }
  await found.cancel()
  if (isAnswer && octets === null) throw new Refusal(502, tooLong)
  return redirect(addressOf(isAnswer ? found.url : visiting.resolution.url, way))
}

const tooLong =
  'The answer to the form has more than 4 MiB, and would have to be asked for again; `retrieve` writes it.'

/** Keeps an answer to a form. Returns the parameter of its address. */
function keptAnswer({ memory }: Visit, found: Representation, octets: Buffer): string {
  return `answer=${memory.keepAnswer({ url: found.url, type: typeOf(found, false), octets })}`
}

/** Whether the URL alone tells that no page can show what it leads to. */
function isBinary({ plan, url }: Resolution): boolean {
  if (plan.mechanism === 'gopher') return /^[459sgIpPd;<:]$/.test(plan.gophertype)
  const type = typeByName(url)
  return treeMechanisms.has(plan.mechanism) && type !== null && !isText(type)
}

function isText(type: string | null): boolean {
  return type !== null && /^(?:text\/(?!html$)|application\/(?:json|xml|x-ldif|ld\+json)$)/.test(type)
}

/** The octets; null if there are too many. Few servers tell the size before. */
async function readOctets(found: Representation): Promise<Buffer | null> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of found) {
    size += piece.length
    if (size > mostText) return null
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

function octetsLink(url: string, own: string): Html {
  return html`<p><a href="${addressOf(url, own)}">The octets as they came</a></p>\n`
}

/** The content and what follows it. If the server breaks off, the page says so. */
async function* joined(visiting: Visit, content: AsyncIterable<Content>, after: Content): AsyncGenerator<Content> {
  try {
    yield* content
  } catch (error) {
    if (!RetrievalError.is(error) || visiting.asked.signal.aborted) throw error
    yield html`<p class="warning">${visiting.core.settings.messageOf(error)}</p>\n`
  }
  yield after
}

/** The explanation of a URL, which says what is sent, folded. */
async function explained({ core, resolution }: Visit): Promise<Html> {
  const explanation = await core.settings.client.explain(resolution.url)
  return html`<details><summary>What is sent for this URL</summary><pre>${formatExplanation(explanation)}</pre></details>\n`
}

async function warningPage(visiting: Visit, warnings: Resolution['findings']): Promise<Content> {
  const { memory, resolution } = visiting
  return html`${warnings.map(({ message, remedy }) => html`<p class="warning">${message} ${remedy}</p>\n`)}
<form action="/accept" method="post">${hidden(memory.token, resolution.url)}
<p><button>Go on to this server</button> <a href="/">Do not</a></p></form>
${await explained(visiting)}`
}

function webPage(url: string): Html {
  return html`<p>Your browser reads URLs of the web itself: <a href="${url}" rel="noreferrer">${url}</a></p>\n`
}

/** The page of an error, with a form where one helps. */
async function failed(visiting: Visit, error: unknown, questions: Form | null): Promise<Answer> {
  if (!RetrievalError.is(error)) throw error
  const { core, memory, resolution } = visiting
  const { url, locator } = resolution
  const { status, title, detail, lines } = problemOf(error, core.settings.messageOf)
  if (error.code === 'form-required' && questions !== null) {
    return show(visiting, titleOf(url), [serverForm(questions, memory.token, url), await explained(visiting)])
  }
  if (error.code === 'handoff') {
    const content = html`<p>${detail}</p>\n<p><a href="${url}">Let the system open it</a></p>\n`
    return show(visiting, 'A service, not a document', [content, await explained(visiting)])
  }
  // A browser would take WWW-Authenticate for the gateway's own question.
  const others = lines.filter(([name]) => name !== 'WWW-Authenticate')
  if (status === 401 && locator.host !== null) {
    // At first, the server has refused an anonymous login.
    const isWrong = error.code === 'auth-failed' && memory.withLogin(resolution) !== url
    const asking = isWrong ? 'The server refuses this user or password.' : 'The server wants a user and a password.'
    const content = html`<p>${asking}</p>\n${loginForm(memory.token, url, locator.user ?? '')}${await explained(visiting)}`
    return show(visiting, 'Log in', content, url, status, others)
  }
  const content = html`<p>${detail}</p>\n<p class="soft">${error.code}</p>\n${await explained(visiting)}`
  return show(visiting, title, content, url, status, others)
}

function show(
  { asked, resolution }: Visit,
  title: string,
  content: Page['content'],
  url = resolution.url,
  status = 200,
  lines: Page['lines'] = [],
): Answer {
  return pageAnswer({ title, content, url, status, lines }, asked.signal)
}

/** A URL for people: without its login. */
function titleOf(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1')
}
