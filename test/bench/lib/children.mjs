// Every contestant runs in a process of its own, so that neither its memory nor its time has anything of another's.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import { now } from './delay-line.mjs'

const peakReporter = new URL('./peak.mjs', import.meta.url).href
const serverScript = fileURLToPath(new URL('./server.mjs', import.meta.url))
const devNull = openSync('/dev/null', 'w')

/** Loopback is reached without the caller's proxies. */
export const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/_proxy$/i.test(name)))

/** An interrupt at the terminal reaches all of them, a signal to this process alone none: then they end with it. */
const running = new Set()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, () => {
    for (const child of running) child.kill('SIGKILL')
    process.exit(128 + constants.signals[signal])
  })
}

/** Starts the embedded server of the protocol that comes first in these options of startServers. */
export async function startServer(options) {
  const child = spawn(process.execPath, [serverScript, JSON.stringify(options)], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
  return {
    url: line.trim(),
    async stop() {
      child.stdin.end()
      await once(child, 'exit')
    },
  }
}

/**
 * Runs a program with its output to /dev/null: the seconds it took, and when it ended, by the clock that all processes
 * share. One that runs for more than `limit` seconds is killed, and took for ever. Its exit status must be `status`.
 */
export async function runProgram(command, args, { cwd, limit, status } = {}) {
  return finish(spawn(command, args, { stdio: ['ignore', devNull, 'inherit'], env, cwd }), limit, status)
}

/** Runs a Node program with its output to /dev/null; it tells its own peak memory, in MiB, at its end. */
export async function runNode(args, { cwd, limit, status } = {}) {
  const stdio = ['ignore', devNull, 'inherit', 'pipe']
  const child = spawn(process.execPath, ['--import', peakReporter, ...args], { stdio, env, cwd })
  let told = ''
  child.stdio[3].setEncoding('utf8').on('data', (text) => {
    told += text
  })
  const times = await finish(child, limit, status)
  return { ...times, peak: Number(told) / 1024 }
}

async function finish(child, limit, status = 0) {
  const begin = now()
  running.add(child)
  let ended = Number.POSITIVE_INFINITY
  child.once('exit', () => {
    ended = now()
  })
  const timer = limit && setTimeout(() => child.kill('SIGKILL'), limit * 1000)
  const [code, signal] = await once(child, 'close')
  clearTimeout(timer)
  running.delete(child)
  if (signal === 'SIGKILL' && limit) ended = Number.POSITIVE_INFINITY
  else if (code !== status) throw new Error(`${child.spawnargs.join(' ').slice(0, 200)} ended with ${code ?? signal}`)
  return { seconds: (ended - begin) / 1000, ended }
}
