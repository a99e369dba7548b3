import type { Socket } from 'node:net'
import type { Client } from 'ssh2'
import { ended, type Loss, Lost, sshError } from './ssh-errors.ts'

/** The life of a connection. The first failure, or its end, is the loss. */
export class Link {
  failure: Loss | null = null
  readonly #listeners = new Set<(loss: Loss) => void>()

  constructor(client: Client, socket: Socket) {
    client.on('error', (error) => {
      // If the agent cannot be asked or will not sign, the connection stays: the next way to log in is tried.
      if (error.level !== 'agent') this.fail((context) => sshError(context, error))
    })
    socket.once('close', () => this.fail(ended))
  }

  /** Only the first failure counts. */
  fail(loss: Loss): void {
    if (this.failure !== null) return
    this.failure = loss
    for (const listener of this.#listeners) listener(loss)
    this.#listeners.clear()
  }

  /** Calls the listener with the loss. Returns a function that removes the listener. */
  onFailure(listener: (loss: Loss) => void): () => void {
    if (this.failure !== null) listener(this.failure)
    else this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Rejects with Lost as soon as the connection is lost. Otherwise it settles as the promise does. */
  unlessLost<T>(promise: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const forget = this.onFailure((loss) => reject(new Lost(loss)))
      promise.finally(forget).then(resolve, reject)
    })
  }
}
