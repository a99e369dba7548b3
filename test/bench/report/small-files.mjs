import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { memoryDirectory, presentServers, startRealServer } from '../lib/real-server.mjs'
import { writeSmallFiles } from '../runs/small-files.mjs'
import { sumOf } from './measure.mjs'

const octetsOf = (name) => Buffer.alloc(1024, name)

/** Starts a server, if it is installed, with so many files of 1 KiB, and says what is right: `prints` and `saves`. */
export async function smallFiles(program, path, urlOf, count, use) {
  if (presentServers([program]).length === 0) return []
  const server = await startRealServer(program, memoryDirectory(256))
  try {
    const { directory, urls, list } = writeSmallFiles(server, `${path}/`, urlOf(server.port), count)
    const config = `${list}.curl`
    writeFileSync(config, urls.map((url) => `url = "${url}"\n`).join(''))
    const names = urls.map((url) => url.slice(directory.length))
    const saves = (cwd) => haveFiles(cwd, names, octetsOf)
    const prints = [sumOf(names.map(octetsOf))]
    return await use({ server, directory, urls, list, config, prints, saves, copy: (cwd) => saves(join(cwd, 'copy')) })
  } finally {
    await server.stop()
  }
}

/** Throws unless the folder has these files and no others. */
function haveFiles(folder, names, octetsOf) {
  const found = readdirSync(folder)
  if (found.length !== names.length) throw new Error(`${found.length} files were saved, not ${names.length}`)
  for (const name of names) {
    if (!readFileSync(join(folder, name)).equals(octetsOf(name))) throw new Error(`${name} was spoilt`)
  }
}
