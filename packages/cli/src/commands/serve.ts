import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import {
  isOpenToOthers,
  type ProtocolName,
  type ServersOptions,
  startServers,
  type TestServer,
} from '@retriever/servers'
import { usageError } from '../exit-codes.ts'
import { protocols } from '../options/servers.ts'
import { notStarted } from '../programs/not-started.ts'
import { type Program, runProgram } from '../programs/run-program.ts'
import type { Run } from '../run.ts'
import { portHolder } from '../serving/port-holder.ts'
import { jsonLine } from '../terminal/output.ts'

/**
 * `retrieve serve [DIR] [PROTOCOL...] [-- COMMAND]`: runs local servers until a signal comes or the command ends. If
 * the command ends, its exit status is returned.
 */
export async function serve(run: Run): Promise<number> {
  const { config, output, signal } = run
  if (config.serving === null) throw usageError('Nothing says what to serve.')
  await using running = await start(config.serving.servers)
  const servers = protocols.flatMap((protocol) => running[protocol] ?? [])
  const { program } = config.serving
  if (program !== null) return await runBeside({ ...program, env: { ...program.env, ...variables(servers) } }, run)
  for (const { protocol, url, port } of servers) {
    await output.write(config.json ? jsonLine({ protocol, url, port }) : `${url}${paths[protocol] ?? ''}\n`)
  }
  if (!config.json) for (const note of notesOn(config.serving.servers)) output.note(note)
  if (!signal.aborted) await once(signal, 'abort')
  return 0
}

/** Paths to print for servers whose root is no URL that can be retrieved. */
const paths: Readonly<Partial<Record<string, string>>> = {
  ws: 'texts',
  mqtt: 'pub/hello',
  tftp: 'hello.txt',
  prospero: '/docs',
  rtsp: 'stream',
  wais: 'demo?ark',
  z3950: 'books?b1',
}

/**
 * Runs the command and returns its exit status: 127 if there is no such program, 126 if it cannot be run, as in a
 * shell.
 */
async function runBeside(program: Program, run: Run): Promise<number> {
  try {
    return await runProgram(program, run)
  } catch (error) {
    if (run.signal.aborted) throw error
    const { code } = error as NodeJS.ErrnoException
    run.report.error(notStarted(program.name, code))
    return code === 'ENOENT' ? 127 : 126
  }
}

/**
 * The variables that tell a program where the servers are. News readers (and `retrieve`) read NNTPSERVER, programs for
 * LDAP read LDAPURI.
 */
function variables(servers: readonly TestServer[]): NodeJS.ProcessEnv {
  const all: NodeJS.ProcessEnv = {}
  for (const { protocol, url, host, port } of servers) {
    all[`RETRIEVE_${protocol.toUpperCase()}_URL`] = url
    all[`RETRIEVE_${protocol.toUpperCase()}_PORT`] = String(port)
    if (protocol === 'ldap') all.LDAPURI = url
    if (protocol === 'nntp') all.NNTPSERVER = `${host}:${port}`
  }
  return all
}

/** Says who can read which files, and for which hosts the server answers. */
function notesOn(options: ServersOptions): string[] {
  const { folder, privateFiles, http, ws } = options
  const [asked] = [http, ws].filter((own) => typeof own === 'object')
  const names = ['127.0.0.0/8', '[::1]', 'localhost', ...(asked?.hosts ?? [])]
  const hosts =
    asked === undefined
      ? []
      : [`HTTP requests are answered only for the hosts ${names.join(', ')}; --serve-host NAME adds one.`]
  if (folder === undefined) {
    return [
      'Serving on loopback until Ctrl-C. Logins: anonymous, or alice with the password secret.',
      'Other users of this machine can read what is served.',
      ...hosts,
    ]
  }
  return [
    `Serving ${folder} on loopback until Ctrl-C, read-only, without a login: other users of this machine can read it.`,
    ...(privateFiles ? [] : leftOut(folder)),
    ...hosts,
  ]
}

/** Counts the names at the top of the folder that the servers leave out. */
function leftOut(folder: string): string[] {
  const count = readdirSync(folder).filter((name) => {
    const stats = statSync(join(folder, name), { throwIfNoEntry: false })
    return stats !== undefined && !isOpenToOthers(stats)
  }).length
  if (count === 0) return []
  const [names, them] = count === 1 ? ['1 name in it is', 'it'] : [`${count} names in it are`, 'them']
  return [`${names} left out, since other users may not read ${them} (mode 600); --serve-private serves ${them}, too.`]
}

async function start(options: ServersOptions): Promise<Partial<Record<ProtocolName, TestServer>> & AsyncDisposable> {
  try {
    return await startServers(options)
  } catch (error) {
    if (error instanceof TypeError) throw usageError(`${error.message}.`)
    const { code, port = 0 } = error as NodeJS.ErrnoException & { port?: number }
    if (code === 'EADDRINUSE') throw usageError(await inUse(port, options))
    if (code === 'EACCES') throw usageError(`Port ${port} needs more rights than you have; name one above 1023.`)
    throw error
  }
}

async function inUse(port: number, options: ServersOptions): Promise<string> {
  const protocol = protocols.find((name) => {
    const own = options[name]
    return typeof own === 'object' && own.port === port
  })
  const holder = await portHolder(port)
  return `Port ${port} is in use${holder === null ? '' : ` by ${holder}`}; --${protocol}-port 0 takes a free one.`
}
