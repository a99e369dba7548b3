import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type ClientOptions, createClient } from '@retriever/fetchers'
import { createGateway, type GatewayOptions } from '@retriever/gateway'
import { exchange, parse, type RawAnswer } from './proxy.ts'

/** Running pages with a client of their own. */
export async function startPages(options: Omit<GatewayOptions, 'client'> = {}, clientOptions: ClientOptions = {}) {
  const client = createClient({ limits: { maxRetries: 0 }, ...clientOptions })
  const gateway = createGateway({ client, ...options })
  gateway.pages.server.listen(0, '127.0.0.1')
  await once(gateway.pages.server, 'listening')
  const { port } = gateway.pages.server.address() as AddressInfo
  const origin = `http://localhost:${port}`

  /** Asks for an address as a raw client; `fields` may replace Host. */
  const get = async (address: string, fields: Record<string, string> = {}): Promise<RawAnswer> => {
    const lines = Object.entries({ host: `localhost:${port}`, connection: 'close', ...fields })
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    return parse(await exchange(port, `GET ${address} HTTP/1.1\r\n${head}\r\n`))
  }

  /** Sends a form as the browser does. `fields` may replace its own, or leave one out. */
  const post = async (
    address: string,
    values: Record<string, string>,
    fields: Record<string, string | undefined> = {},
  ) => {
    const body = new URLSearchParams(values).toString()
    const type = 'application/x-www-form-urlencoded'
    const all = { host: `localhost:${port}`, origin, 'content-type': type, connection: 'close', ...fields }
    const head = Object.entries({ ...all, 'content-length': String(body.length) })
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')
    return parse(await exchange(port, `POST ${address} HTTP/1.1\r\n${head}\r\n${body}`))
  }

  /** The address to which the field of the page leads. */
  const addressOf = async (url: string): Promise<string> => {
    return (await get(`/go?url=${encodeURIComponent(url)}`)).fields.location ?? ''
  }

  /** The page of a URL, without the folded parts. */
  const page = async (url: string): Promise<string> => textOf(await get(await addressOf(url)))

  return {
    ...{ gateway, client, port, origin, get, post, addressOf, page },
    async [Symbol.asyncDispose]() {
      await gateway.close()
      await client.close()
    },
  }
}

/** The content of a page without what is sent for it. */
export function textOf({ body }: RawAnswer): string {
  return String(body)
    .replace(/^[\s\S]*<main[^>]*>/, '')
    .replace(/<details><summary>What is sent[\s\S]*$/, '')
}

/** The value of a hidden field. */
export function fieldOf(page: string, name: string): string {
  return new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? ''
}
