// Every contestant runs in a process of its own, so that neither its memory nor its time has anything of another's.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const peakReporter = new URL('./peak.mjs', import.meta.url).href
const serverScript = fileURLToPath(new URL('./server.mjs', import.meta.url))
const devNull = openSync('/dev/null', 'w')

/** Starts the embedded HTTP server with a /big of this size. */
export async function startServer(bigSize) {
  const child = spawn(process.execPath, [serverScript, String(bigSize)], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
  return {
    url: line.trim(),
    async stop() {
      child.stdin.end()
      await once(child, 'exit')
    },
  }
}

/** Runs a program with its output to /dev/null. */
export async function runProgram(command, args) {
  const begin = performance.now()
  const child = spawn(command, args, { stdio: ['ignore', devNull, 'inherit'] })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}`)
  return { seconds: (performance.now() - begin) / 1000 }
}

/** Runs a Node program with its output to /dev/null; it tells its own peak memory, in MiB, at its end. */
export async function runNode(args) {
  const begin = performance.now()
  const child = spawn(process.execPath, ['--import', peakReporter, ...args], {
    stdio: ['ignore', devNull, 'inherit', 'pipe'],
  })
  let told = ''
  child.stdio[3].setEncoding('utf8').on('data', (text) => {
    told += text
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}`)
  return { seconds: (performance.now() - begin) / 1000, peak: Number(told) / 1024 }
}
