import type { Socket } from 'node:net'
import { type AccessPlans, type Phase, printable, RetrievalError } from '@retriever/core'
import type { Client, ClientErrorExtensions, ServerHostKeyAlgorithm, SFTPWrapper } from 'ssh2'
import type { RetrievalContext } from '../plugin/fetcher.ts'
import { openSocket } from '../wire/transport/socket.ts'
import { receiveError } from '../wire/transport/socket-error.ts'
import { awaitGreeting } from './greeting.ts'
import { HostKeys } from './host-keys.ts'
import { loadSsh2 } from './library.ts'
import { type Attempt, logIn } from './login.ts'
import type { SshOptions } from './options.ts'

/** A function of ssh2 that ends by its callback. */
type Operation<T> = (sftp: SFTPWrapper, done: (error: Error | null | undefined, value: T) => void) => void

/** One SSH connection with its SFTP channel (draft-ietf-secsh-filexfer-02). It serves one retrieval. */
export class SftpSession {
  readonly #socket: Socket
  readonly #context: RetrievalContext
  readonly #sftp: SFTPWrapper
  readonly #link: Link

  constructor(socket: Socket, context: RetrievalContext, sftp: SFTPWrapper, link: Link) {
    this.#socket = socket
    this.#context = context
    this.#sftp = sftp
    this.#link = link
  }

  /** Runs one operation. `shown` is the request for traces. Rejects with the server's status, or with the loss. */
  async call<T>(phase: Phase, shown: string, operation: Operation<T>): Promise<T> {
    const { deadline, emit, url, stopwatch } = this.#context
    if (shown !== '') {
      emit({ type: 'sent', url, octets: `${shown}\r\n` })
      stopwatch?.requested()
    }
    return deadline.within(phase, () => this.#link.until((done) => operation(this.#sftp, done)))
  }

  close(): void {
    this.#socket.destroy()
  }
}

/** Connects by our own socket, checks the host key, logs in and opens the channel. */
export async function openSession(
  plan: AccessPlans['sftp'],
  context: RetrievalContext,
  options: SshOptions,
  attempt: Attempt,
): Promise<SftpSession> {
  const { Client: SshClient } = (await loadSsh2()).default
  const keys = await HostKeys.of(plan, context, options)
  const socket = await openSocket(context, plan)
  try {
    await awaitGreeting(socket, context)
    const client = new SshClient()
    const link = new Link(client, socket, context)
    const steps = logIn(plan, context, options, attempt)
    const greeted = new Promise<void>((resolve) => client.once('handshake', () => resolve()))
    const ready = new Promise<void>((resolve) => client.once('ready', resolve))
    client.connect({
      sock: socket,
      // The deadline has its own timers.
      readyTimeout: 0,
      username: '-',
      authHandler: (methods, _isPartial, next) => steps.offer(methods, next),
      hostVerifier: (key: Buffer, verify: (isRight: boolean) => void) => {
        const error = keys.check(key)
        if (error === null) return verify(true)
        link.fail(error)
        socket.destroy()
      },
      ...(keys.types.length > 0 && { algorithms: { serverHostKey: [...keys.types] as ServerHostKeyAlgorithm[] } }),
    })
    await context.deadline.within('greeting', () => link.unlessLost(greeted))
    await steps.run(ready, link)
    const sftp = await context.deadline.within('request', () =>
      link.until<SFTPWrapper>((done) => client.sftp((error, sftp) => done(error, sftp))),
    )
    sftp.on('error', (error: unknown) => link.fail(violation(context, error)))
    return new SftpSession(socket, context, sftp, link)
  } catch (error) {
    socket.destroy()
    throw error
  }
}

/** The loss of a connection: the first error, or its end. */
export class Link {
  readonly #context: RetrievalContext
  #failure: RetrievalError | undefined
  readonly #listeners = new Set<(error: RetrievalError) => void>()

  constructor(client: Client, socket: Socket, context: RetrievalContext) {
    this.#context = context
    client.on('error', (error) => {
      // An agent that cannot be asked, or will not sign, is no end: the next way to log in is tried.
      if (error.level !== 'agent') this.fail(sshError(context, error))
    })
    socket.once('close', () => this.fail(ended(context)))
  }

  /** Only the first failure counts. */
  fail(error: RetrievalError): void {
    if (this.#failure !== undefined) return
    this.#failure = error
    for (const listener of this.#listeners) listener(error)
    this.#listeners.clear()
  }

  /** Runs a function with a callback. Rejects with the callback's error, or with the loss of the connection. */
  until<T>(start: (done: (error: Error | null | undefined, value: T) => void) => void): Promise<T> {
    return this.unlessLost(
      new Promise<T>((resolve, reject) => start((error, value) => (error ? reject(error) : resolve(value)))),
    )
  }

  /** Rejects as soon as the connection is lost, and otherwise settles as the promise does. */
  unlessLost<T>(promise: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#failure !== undefined) reject(this.#failure)
      this.#listeners.add(reject)
      promise.then(
        (value) => {
          this.#listeners.delete(reject)
          resolve(value)
        },
        (error: unknown) => {
          this.#listeners.delete(reject)
          // ssh2 ends its requests with an error of its own when the connection is lost.
          reject(this.#failure ?? (isStatus(error) ? error : ended(this.#context)))
        },
      )
    })
  }
}

/** Whether an error is a status of SFTP (draft-ietf-secsh-filexfer-02 7), which has a number as its code. */
export function isStatus(error: unknown): error is Error & { readonly code: number } {
  return error instanceof Error && 'code' in error && typeof error.code === 'number'
}

function ended(context: RetrievalContext): RetrievalError {
  const isBody = context.deadline.phase === 'body'
  const what = `The server closed the connection${isBody ? ' before the whole body had come' : ''}; try again.`
  return context.error(isBody ? 'partial' : 'receive-failed', what, { transient: true })
}

function sshError(context: RetrievalContext, error: Error & ClientErrorExtensions): RetrievalError {
  if (error.level === 'client-socket') return receiveError(context, error)
  if (/^(?:Connection lost|Timed out)/.test(error.message)) return ended(context)
  const words = printable(error.message).slice(0, 300)
  // A message of disconnection has its reason as a number (RFC 4253 11.1).
  if (isStatus(error)) {
    const isLogin = context.deadline.phase === 'login'
    const what = isLogin ? 'The server ended the login' : 'The server ended the connection'
    return context.error(isLogin ? 'auth-failed' : 'server-refused', `${what}: ${words}.`, { reply: words })
  }
  return violation(context, error)
}

function violation(context: RetrievalContext, error: unknown): RetrievalError {
  if (RetrievalError.is(error)) return error
  const words = printable(error instanceof Error ? error.message : String(error)).slice(0, 300)
  return context.error('protocol-violation', `SSH failed: ${words}. Check scheme and port.`)
}
