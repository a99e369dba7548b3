import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { RetrievalError } from '@retriever/core'
import { createClient } from '@retriever/fetchers'
import { createGateway } from '@retriever/gateway'
import { usageError } from '../exit-codes.ts'
import { inFlags } from '../options/option-hints.ts'
import type { Run } from '../run.ts'
import type { GatewaySettings } from '../serving/gateway-options.ts'
import { portHolder } from '../serving/port-holder.ts'
import { jsonLine } from '../terminal/output.ts'

/** `retrieve gateway`: an HTTP proxy for every URL, until a signal. */
export async function gateway(run: Run): Promise<number> {
  const { config, output, report, signal } = run
  if (config.gateway === null) throw usageError('Nothing says where to listen.')
  const { address, isOpen, tunnels, token: given } = config.gateway
  const token = given ?? (isOpen ? randomBytes(24).toString('base64url') : null)
  let own: AddressInfo | null = null
  await using client = createClient({
    ...config.client,
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
  await using running = createGateway({ client, policy: { token, tunnels }, messageOf })
  own = await listen(running.server, config.gateway)
  const place = `${address.includes(':') ? `[${address}]` : address}:${own.port}`
  const url = `http://${place}`
  if (config.json) {
    await output.write(jsonLine({ proxy: url, port: own.port, token: given === null ? token : null }))
  } else {
    await output.write(`${url}\n`)
    if (!config.silent) for (const note of notesOn(url, place, token, given)) output.note(note)
  }
  if (!signal.aborted) await once(signal, 'abort')
  return 0
}

function notesOn(url: string, place: string, token: string | null, given: string | null): string[] {
  const login = token === null ? '' : `gateway:${given === null ? token : '$RETRIEVE_GATEWAY_TOKEN'}@`
  const proxy = url.replace('//', `//${login}`)
  return [
    `An HTTP proxy for every URL listens on ${place} until Ctrl-C: curl -x ${proxy} URL, or`,
    `export ftp_proxy=${proxy} gopher_proxy=${proxy} wais_proxy=${proxy} for wget, lynx and w3m.`,
    ...(token === null ? ['Programs of all users of this machine can use it.'] : []),
  ]
}

/** Whether a proxy is this gateway, by the address that its users have. */
function leadsTo(proxy: string, { address, port }: AddressInfo): boolean {
  const [, host = '', given = '1080'] = /^(?:[a-z]\w*:\/\/)?(?:.*@)?(\[[^\]]*\]|[^:/]*)(?::(\d+))?/i.exec(proxy) ?? []
  return Number(given) === port && [address, 'localhost', '127.0.0.1', '[::1]'].includes(host)
}

async function listen(
  server: ReturnType<typeof createGateway>['server'],
  { port, address }: GatewaySettings,
): Promise<AddressInfo> {
  server.listen(port, address)
  try {
    await once(server, 'listening')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const holder = code === 'EADDRINUSE' ? await portHolder(port) : null
    if (code === 'EADDRINUSE') {
      throw usageError(
        `Port ${port} is in use${holder === null ? '' : ` by ${holder}`}; --proxy-port 0 takes a free one.`,
      )
    }
    if (code === 'EACCES') throw usageError(`Port ${port} needs more rights than you have; name one above 1023.`)
    throw usageError(`--listen ${address} cannot be used (${code}); give an address of this machine.`)
  }
  return server.address() as AddressInfo
}
