// Many URLs of many servers, as a generator gives them: CPU time a URL, memory, and what the servers have counted.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { printTable } from '../lib/table.mjs'

const serverScript = fileURLToPath(new URL('./batch-servers.mjs', import.meta.url))
const clientScript = fileURLToPath(new URL('./batch-client.mjs', import.meta.url))

/** Each contestant runs in a process of its own. Every hundredth URL is missing, and must be accounted for. */
export async function hundredThousand(count, hosts) {
  const servers = fork(serverScript, [String(hosts)])
  const [ports] = await once(servers, 'message')
  const rows = []
  for (const name of ['library', 'library, mapAll', 'undici in p-queue']) {
    const child = fork(clientScript, [name, String(count), JSON.stringify(ports)], {
      execArgv: ['--expose-gc'],
    })
    const [told] = await once(child, 'message')
    servers.send('counts')
    const [counts] = await once(servers, 'message')
    if (told.done + told.failed !== count) throw new Error(`${name} has lost ${count - told.done - told.failed} URLs`)
    rows.push([
      name,
      told.micros.toFixed(1),
      told.seconds.toFixed(1),
      `${told.heapEarly.toFixed(0)} / ${told.heapLate.toFixed(0)}`,
      told.peak.toFixed(0),
      String(told.failed),
      `${counts.most} / ${counts.mostOfOne}`,
    ])
  }
  servers.disconnect()
  process.stdout.write(`\n${count} URLs of 1 KiB on ${hosts} servers, 16 at a time and 4 of a server\n\n`)
  printTable(
    ['', 'CPU us a URL', 'seconds', 'heap MiB at a tenth / end', 'peak RSS MiB', 'failed', 'most at a time / of one'],
    rows,
  )
}
