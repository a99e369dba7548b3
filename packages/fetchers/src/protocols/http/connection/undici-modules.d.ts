/**
 * Declares only the HTTP/1.1 client, which loads in 17 ms; undici's index loads every client it has, which takes 55 ms.
 * The types are those of undici's Client, except for the socket that it gets.
 */
declare module 'undici/lib/dispatcher/client.js' {
  import type { EventEmitter } from 'node:events'
  import type { Client } from 'undici'

  /** The members of a socket that the client uses for requests without a body. It also listens to four events. */
  export interface ClientSocket extends EventEmitter {
    readonly destroyed: boolean
    readonly errored: Error | null
    read(): Buffer | null
    write(octets: string, encoding: BufferEncoding): void
    destroy(error?: Error | null): this
    /** undici checks that it exists, and never calls it. */
    pipe(): void
  }

  interface Options extends Omit<Client.Options, 'connect'> {
    readonly connect: (options: unknown, callback: (error: Error | null, socket: ClientSocket | null) => void) => void
  }

  const HttpClient: new (origin: string, options: Options) => Client
  export default HttpClient
}
