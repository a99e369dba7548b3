import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { RetrievalError } from '@retriever/core'
import { createClient } from '@retriever/fetchers'
import { createGateway, type GatewayDoor } from '@retriever/gateway'
import { usageError } from '../exit-codes.ts'
import { inFlags } from '../options/option-hints.ts'
import { findProgram } from '../programs/find-program.ts'
import type { Run } from '../run.ts'
import { offlineClient } from '../serving/offline-client.ts'
import { portHolder } from '../serving/port-holder.ts'
import { jsonLine } from '../terminal/output.ts'

/** `retrieve gateway`: pages and an HTTP proxy for every URL, until a signal. */
export async function gateway(run: Run): Promise<number> {
  const { config, output, report, signal } = run
  if (config.gateway === null) throw usageError('Nothing says where to listen.')
  const { address, isOpen, tunnels, offline, limits, token: given } = config.gateway
  const token = given ?? (isOpen ? randomBytes(24).toString('base64url') : null)
  let own: AddressInfo | null = null
  await using client = createClient({
    ...config.client,
    // Other machines must reach no machine behind this one.
    ...(isOpen && offline === null && { policy: { ...config.client.policy, publicOnly: true } }),
    ...(offline !== null && (await offlineClient(offline, run))),
    // A variable such as ftp_proxy may name this gateway itself.
    proxy: (target) => {
      const proxy = config.proxyFor(target)
      return proxy !== null && own !== null && leadsTo(proxy, own) ? null : proxy
    },
    onEvent: (event) => {
      run.traceFile?.event(event)
      if (config.verbose) report.event(event)
    },
  })
  const messageOf = ({ message, advice }: RetrievalError): string => inFlags(message, advice)
  const policy = { token, tunnels, offline: offline !== null }
  await using running = createGateway({ client, policy, limits, messageOf })
  const { port, proxyPort, opens } = config.gateway
  own = await listen(running.proxy.server, 'proxy-port', proxyPort, address)
  const pagesAt = await listen(running.pages.server, 'port', port, address)
  const isEverywhere = /^(?:::|(?:::ffff:)?0\.0\.0\.0)$/.test(own.address)
  const host = isEverywhere ? 'localhost' : address.includes(':') ? `[${address}]` : address
  const places = { pages: `http://${host}:${pagesAt.port}/`, proxy: `http://${host}:${own.port}` }
  if (config.json) {
    await output.write(jsonLine({ ...places, port: own.port, token: given === null ? token : null }))
  } else {
    await output.write(`${places.pages}\n${places.proxy}\n`)
    if (!config.silent) {
      for (const note of notesOn(places, token, given)) output.note(note)
      if (isEverywhere) {
        output.note(
          `Both listen on all addresses (${address}). On another machine, write an address of this one for localhost.`,
        )
      }
      if (offline !== null) output.note(`It contacts nothing. What is not there goes to ${offline.missing}.`)
    }
  }
  if (opens) openBrowser(places.pages, run)
  if (!signal.aborted) await once(signal, 'abort')
  return 0
}

interface Places {
  readonly pages: string
  readonly proxy: string
}

function notesOn({ pages, proxy: url }: Places, token: string | null, given: string | null): string[] {
  const shownToken = given === null ? token : '$RETRIEVE_GATEWAY_TOKEN'
  const proxy = token === null ? url : url.replace('//', `//gateway:${shownToken}@`)
  return [
    `Pages for browsers listen on ${pages} until Ctrl-C${token === null ? '' : `; their password is ${shownToken}`}.`,
    `An HTTP proxy for every URL listens beside them: curl -x ${proxy} URL, or`,
    `export ftp_proxy=${proxy} gopher_proxy=${proxy} wais_proxy=${proxy} for wget, lynx and w3m.`,
    ...(token === null ? ['Programs of all users of this machine can use both.'] : []),
  ]
}

/** Opens the pages in the browser of this desktop, if it has one. */
function openBrowser(url: string, { config, output }: Run): void {
  const env = config.programEnvironment()
  const [name = '', ...args] = openers[process.platform] ?? ['xdg-open']
  const path = findProgram(name, env)
  if (path === null) {
    output.note(`retrieve: no program opens a browser here; open ${url} yourself.`)
    return
  }
  spawn(path, [...args, url], { stdio: 'ignore', detached: true, env })
    .on('error', (error) => output.note(`retrieve: the browser was not opened: ${error.message}`))
    .unref()
}

const openers: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Whether a proxy is this gateway, by the address that its users have. */
function leadsTo(proxy: string, { address, port }: AddressInfo): boolean {
  const [, host = '', given = '1080'] = /^(?:[a-z]\w*:\/\/)?(?:.*@)?(\[[^\]]*\]|[^:/]*)(?::(\d+))?/i.exec(proxy) ?? []
  return Number(given) === port && [address, 'localhost', '127.0.0.1', '[::1]'].includes(host)
}

async function listen(
  server: GatewayDoor['server'],
  option: 'port' | 'proxy-port',
  port: number,
  address: string,
): Promise<AddressInfo> {
  server.listen(port, address)
  try {
    await once(server, 'listening')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const holder = code === 'EADDRINUSE' ? await portHolder(port) : null
    if (code === 'EADDRINUSE') {
      throw usageError(
        `Port ${port} is in use${holder === null ? '' : ` by ${holder}`}; --${option} 0 takes a free one.`,
      )
    }
    if (code === 'EACCES') throw usageError(`Port ${port} needs more rights than you have; name one above 1023.`)
    throw usageError(`--listen ${address} cannot be used (${code}); give an address of this machine.`)
  }
  return server.address() as AddressInfo
}
