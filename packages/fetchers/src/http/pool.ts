import type { HttpPlan } from '@retriever/core'
import type { RetrievalContext } from '../fetcher.ts'
import { poolKey } from '../wire/pool-key.ts'
import { type HttpConnection, openHttpConnection } from './connection.ts'

/** Browsers open six connections to a host; more than that lying idle serve nobody. */
const maxIdle = 6

/** The connections of one fetcher: in use by one retrieval each, or idle until undici's keep-alive timer closes them. */
export class Pool {
  readonly #idle = new Map<string, HttpConnection[]>()
  readonly #all = new Set<HttpConnection>()

  /** An idle connection to where the plan goes, else a new one. Aborting the retrieval destroys it until it is given back. */
  async lease(context: RetrievalContext, plan: HttpPlan): Promise<HttpConnection> {
    const key = keyOf(context, plan)
    const connection = this.#takeIdle(key) ?? (await this.#open(context, plan, key))
    connection.hold(context.deadline.signal)
    return connection
  }

  /** Gives back a connection whose exchange is over, for the next one. */
  giveBack(connection: HttpConnection, context: RetrievalContext, plan: HttpPlan): void {
    connection.letGo()
    const key = keyOf(context, plan)
    const idle = this.#idle.get(key) ?? []
    if (connection.destroyed || !this.#all.has(connection)) return
    if (idle.length >= maxIdle) return void connection.destroy()
    connection.reused = true
    this.#idle.set(key, [...idle, connection])
  }

  /** Closes all. */
  async close(): Promise<void> {
    const all = [...this.#all]
    this.#all.clear()
    this.#idle.clear()
    await Promise.all(all.map((connection) => connection.destroy()))
  }

  #takeIdle(key: string): HttpConnection | undefined {
    const idle = this.#idle.get(key)
    // The one used last: it is the one least likely to be closed by now.
    const connection = idle?.pop()
    if (idle?.length === 0) this.#idle.delete(key)
    return connection?.destroyed ? this.#takeIdle(key) : connection
  }

  async #open(context: RetrievalContext, plan: HttpPlan, key: string): Promise<HttpConnection> {
    const connection = await openHttpConnection(context, plan)
    this.#all.add(connection)
    connection.onceClosed(() => {
      this.#all.delete(connection)
      const idle = this.#idle.get(key)?.filter((other) => other !== connection) ?? []
      if (idle.length === 0) this.#idle.delete(key)
      else this.#idle.set(key, idle)
    })
    return connection
  }
}

/** A connection made under other TLS options, for other limits or through another proxy is another connection. */
function keyOf(context: RetrievalContext, { tls, host, port }: HttpPlan): string {
  const limit = Math.min(context.limits.maxReply, Number.MAX_SAFE_INTEGER)
  return JSON.stringify([tls, host, port, limit, poolKey(context, host, port, tls !== 'none')])
}
