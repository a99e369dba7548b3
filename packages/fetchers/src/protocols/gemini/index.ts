import { type AccessPlans, type Phase, RetrievalError } from '@retriever/core'
import type { ByteSource } from '../../contract/byte-source.ts'
import type { Fetcher, Redirect, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { invalidOption } from '../../kit/limits.ts'
import { callback, checkOptions, type OptionKind } from '../../kit/options.ts'
import { ConnectionBody, plainOctets } from '../../wire/connection-body.ts'
import { LineReader } from '../../wire/framing/lines.ts'
import { Connection } from '../../wire/transport/connection.ts'
import { openSocket, peerAddressOf } from '../../wire/transport/socket.ts'
import { isCut } from '../../wire/transport/tls-end.ts'
import { gemini } from './about.ts'
import { gemtextEntries } from './gemtext.ts'
import { contentTypeOf, type Header, readHeader, statusError } from './header.ts'
import { answerPrompt, type Input, inputRequired } from './input.ts'
import { type CertificateStore, checkCertificate, memoryStore } from './trust.ts'

export type { GemtextLine } from './gemtext.ts'
export type { CertificateStore, KnownCertificate } from './trust.ts'

type GeminiPlan = AccessPlans['gemini']

export interface GeminiOptions {
  /** Remembers the certificates of servers. Default: in memory, as long as the fetcher lives. */
  readonly certificates?: CertificateStore
}

const store: OptionKind = [
  'an object with the functions `recall` and `keep`',
  (value) => {
    const { recall, keep } = Object(value) as Readonly<Record<string, unknown>>
    return callback[1](recall) && callback[1](keep)
  },
]

/** Makes a fetcher for Gemini (specification 0.24.1), with trust on first use. Throws `invalid-option`. */
export function geminiFetcher(options: GeminiOptions = {}): Fetcher<'gemini'> {
  checkOptions(options, { certificates: store }, 'gemini.')
  const certificates = options.certificates ?? memoryStore()
  return { ...gemini, retrieve: (plan, context) => retrieve(plan, context, certificates), reread }
}

/** The specification lets a client follow five redirects. */
const maxRedirects = 5

async function retrieve(
  plan: GeminiPlan,
  context: RetrievalContext,
  certificates: CertificateStore,
): Promise<Retrieved<'gemini'> | Redirect> {
  if (context.request.range !== undefined) {
    throw context.error('range-refused', 'Gemini sends no parts; retrieve the whole.', { phase: 'policy' })
  }
  const asked = new Set<string>()
  let input: Input | null = null
  while (true) {
    const answer = await exchange(plan, input, context, certificates).catch((error: unknown) => {
      throw input === null ? error : onlyOnce(error)
    })
    const { header } = answer
    if (header.status >= 20 && header.status < 30) return answer.retrieved()
    answer.close()
    if (header.status >= 40) {
      const error = statusError(header, context)
      throw input === null ? error : onlyOnce(error)
    }
    if (header.status >= 30) {
      if (header.text === '') throw context.error('protocol-violation', 'The server redirects to an empty URL.')
      if (input?.secrets.some((secret) => header.text.includes(secret))) {
        throw context.error('refused', 'The redirect holds the secret answer, which URLs would show.')
      }
      return {
        outcome: 'redirect',
        location: header.text,
        status: header.status,
        maxRedirects,
        peerAddress: answer.peerAddress,
      }
    }
    // The server may ask several questions, but not the same one again.
    if (asked.has(header.text) || asked.size >= context.limits.maxRedirects) throw inputRequired(header.text, context)
    asked.add(header.text)
    input = await answerPrompt(header.status, header.text, context)
  }
}

/** The phases before anything is sent. */
const beforeSending: ReadonlySet<Phase> = new Set(['lookup', 'connect', 'tls'])

/** Makes an error that is not tried again: the server may have acted on the answer that it got (as after a POST). */
function onlyOnce(error: unknown): unknown {
  if (!RetrievalError.is(error) || !error.transient || beforeSending.has(error.phase)) return error
  return new RetrievalError(error.code, error.message, { ...error, transient: false, cause: error })
}

interface Answer {
  readonly header: Header
  readonly peerAddress: string | undefined
  close(): void
  retrieved(): Retrieved<'gemini'>
}

/** Makes one request on a connection of its own. */
async function exchange(
  plan: GeminiPlan,
  input: Input | null,
  context: RetrievalContext,
  certificates: CertificateStore,
): Promise<Answer> {
  // checkCertificate() judges the certificate before anything is sent.
  const trusting = { ...context, tls: { ...context.tls, insecure: true } }
  const socket = await openSocket(trusting, { ...plan, provesEnd: true })
  const connection = new Connection(socket, context)
  try {
    const peerAddress = peerAddressOf(context, socket)
    const fingerprint = await checkCertificate(socket, plan, certificates, context)
    const target = requestOf(plan, input)
    if (target.length > 1024) {
      throw invalidOption('form', 'an answer with which the URL has at most 1024 octets', target.length)
    }
    await connection.sendLine(
      target,
      input !== null && input.secrets.length > 0 ? requestOf(plan, { ...input, query: '<password>' }) : target,
    )
    const lines = new LineReader(connection, context)
    const header = await readHeader(lines, context, input?.secrets ?? [])
    return {
      header,
      peerAddress,
      close: () => connection.close(),
      retrieved: () => {
        const octets = untilCloseNotify(plainOctets(lines), () => isCut(socket), context)
        return retrievedFrom(header, fingerprint, new ConnectionBody(octets, connection), context)
      },
    }
  } catch (error) {
    connection.close()
    throw error
  }
}

/** Returns the URL to send. An answer to a prompt replaces its query. */
function requestOf({ target }: GeminiPlan, input: Input | null): string {
  return input === null ? target : `${target.split('?')[0]}?${input.query}`
}

/**
 * Gives the octets up to close_notify. Rejects with `partial` if TCP ends before it: anybody on the way can do that.
 */
function untilCloseNotify(octets: ByteSource, isCut: () => boolean, context: RetrievalContext): ByteSource {
  return {
    async read() {
      const chunk = await octets.read()
      if (chunk !== null || !isCut()) return chunk
      const message = 'The body may have been cut: TLS ended without close_notify; try again.'
      throw context.error('partial', message, { transient: true })
    },
    cancel: () => octets.cancel(),
  }
}

function retrievedFrom(
  { status, text }: Header,
  fingerprint: string,
  body: ConnectionBody,
  context: RetrievalContext,
): Retrieved<'gemini'> {
  const { mediaType, charset, language } = contentTypeOf(text)
  return {
    outcome: 'retrieved',
    kind: 'object',
    mediaType,
    charset,
    size: null,
    modified: null,
    // The specification requires close_notify from the server, and only it proves the end of the body.
    completeness: 'terminated',
    metadata: { status, contentType: text, ...(language !== null && { language }), fingerprint },
    body,
    ...entriesOf({ mediaType, charset }, context),
  }
}

function entriesOf(
  { mediaType, charset }: Pick<Retrieved, 'mediaType' | 'charset'>,
  context: RetrievalContext,
): Pick<Retrieved, 'entries'> {
  return mediaType === 'text/gemini' ? { entries: (body) => gemtextEntries(body, context.url, charset, context) } : {}
}

async function reread(
  answer: Retrieved<'gemini'>,
  _: GeminiPlan,
  context: RetrievalContext,
): Promise<Retrieved<'gemini'>> {
  return { ...answer, ...entriesOf(answer, context) }
}
