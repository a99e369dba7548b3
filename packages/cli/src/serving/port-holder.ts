import { readdir, readFile, readlink } from 'node:fs/promises'

/**
 * The process that listens on a TCP port, such as `node (process 4711)`; null if this cannot be found out, since the
 * process is another user's or the system is not Linux.
 */
export async function portHolder(port: number): Promise<string | null> {
  const sockets = new Set((await Promise.all(['tcp', 'tcp6'].map((table) => listeners(table, port)))).flat())
  if (sockets.size === 0) return null
  for (const id of await namesIn('/proc')) {
    if (!/^\d+$/.test(id)) continue
    for (const descriptor of await namesIn(`/proc/${id}/fd`)) {
      const target = await readlink(`/proc/${id}/fd/${descriptor}`).catch(() => '')
      if (sockets.has(target)) return `${(await textOf(`/proc/${id}/comm`)).trim()} (process ${id})`
    }
  }
  return null
}

/** The sockets that listen on a port, with the names that /proc/PID/fd has for them. See proc(5). */
async function listeners(table: string, port: number): Promise<string[]> {
  const rows = (await textOf(`/proc/net/${table}`)).split('\n').map((row) => row.trim().split(/\s+/))
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0')
  // 0A means TCP_LISTEN.
  return rows
    .filter(([, address = '', , state]) => state === '0A' && address.endsWith(`:${hexPort}`))
    .map((row) => `socket:[${row[9]}]`)
}

/** The names in a folder; none if it cannot be read. */
async function namesIn(folder: string): Promise<string[]> {
  return await readdir(folder).catch(() => [])
}

async function textOf(file: string): Promise<string> {
  return await readFile(file, 'utf8').catch(() => '')
}
