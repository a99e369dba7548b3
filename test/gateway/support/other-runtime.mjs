// bun other-runtime.mjs, or deno run -A other-runtime.mjs: the pages of a gateway by the server of Bun or Deno.
import process from 'node:process'
import { createClient } from '@retriever/fetchers'
import { createGateway } from '@retriever/gateway'

const { Bun, Deno } = globalThis
const { pages } = createGateway({ client: createClient({ limits: { maxRetries: 0 } }) })
const place = { port: 0, hostname: '127.0.0.1' }
const port =
  Bun === undefined
    ? Deno.serve({ ...place, onListen() {} }, pages.fetch).addr.port
    : Bun.serve({ ...place, fetch: pages.fetch }).port
process.stdout.write(`${port}\n`)
