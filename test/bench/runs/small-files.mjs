import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Gives a server so many files of 1 KiB in `path`, which `directory` is the URL of: their URLs, and a list of those in
 * a file.
 */
export function writeSmallFiles(server, path, directory, count) {
  const names = Array.from({ length: count }, (_, i) => `f${i + 1}`)
  for (const name of names) server.write(`${path}${name}`, Buffer.alloc(1024, name))
  const urls = names.map((name) => directory + name)
  const list = join(server.scratch(), 'urls')
  writeFileSync(list, `${urls.join('\n')}\n`)
  return { directory, urls, list }
}
