import { type AccessPlans, RetrievalError } from '@retriever/core'
import type { ClientChannel, ServerHostKeyAlgorithm } from 'ssh2'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { openSessionSocket } from '../../wire/transport/socket.ts'
import { SftpChannel } from './channel.ts'
import { awaitGreeting } from './greeting.ts'
import { HostKeys } from './host-keys.ts'
import { loadSsh2 } from './library.ts'
import { Link } from './link.ts'
import { type Attempt, logIn } from './login.ts'
import type { SshOptions } from './options.ts'
import { SftpSession } from './session.ts'
import { Lost, violation } from './ssh-errors.ts'

/** Connects by our own socket, checks the host key, logs in and opens the channel. */
export async function openSession(
  plan: AccessPlans['sftp'],
  context: RetrievalContext,
  options: SshOptions,
  attempt: Attempt,
): Promise<SftpSession> {
  const { Client: SshClient } = (await loadSsh2()).default
  const keys = await HostKeys.of(plan, context, options)
  const socket = await openSessionSocket(context, plan)
  // An abort must leave nothing open, whatever we are waiting for.
  const unlink = context.deadline.onAbort(() => socket.destroy())
  try {
    await awaitGreeting(socket, context)
    const client = new SshClient()
    const link = new Link(client, socket)
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
        link.fail(() => error)
        socket.destroy()
      },
      algorithms: { serverHostKey: [...keys.types] as ServerHostKeyAlgorithm[] },
    })
    await context.deadline.within('greeting', () => link.unlessLost(greeted))
    await steps.run(ready, link)
    const stream = await context.deadline.within('request', () =>
      link.unlessLost(
        new Promise<ClientChannel>((resolve, reject) =>
          client.subsys('sftp', (error, channel) => (error ? reject(error) : resolve(channel))),
        ),
      ),
    )
    const channel = new SftpChannel(stream, (what) => {
      link.fail((other) => violation(other, what))
      socket.destroy()
    })
    // Otherwise its text would fill the window of the channel.
    stream.stderr.resume()
    stream.on('error', () => socket.destroy()).once('close', () => socket.destroy())
    const version = await context.deadline.within('request', () => link.unlessLost(channel.begin()))
    // The lower of both versions is spoken (draft-ietf-secsh-filexfer-02 4).
    if (version < 3) throw context.error('server-refused', `The server speaks SFTP version ${version}; 3 is needed.`)
    return new SftpSession(socket, channel, link)
  } catch (error) {
    socket.destroy()
    context.deadline.throwIfAborted()
    if (error instanceof Lost) throw error.errorFor(context)
    if (RetrievalError.is(error) || !isRefusal(error)) throw error
    const what = 'The server does not offer SFTP (its subsystem sftp)'
    throw context.error('server-refused', `${what}: ${error.message}.`, { cause: error })
  } finally {
    unlink()
  }
}

/** Whether ssh2 says that the server has refused a channel or a subsystem. */
function isRefusal(error: unknown): error is Error {
  return error instanceof Error && /^(?:Unable to start subsystem|\(SSH\) Channel open failure)/.test(error.message)
}
