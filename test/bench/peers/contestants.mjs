// The contestants: Retriever, the programs it is compared with, bare sockets and bare undici.
import { fileURLToPath } from 'node:url'
import { runNode, runProgram } from '../lib/children.mjs'
import { startResident } from '../lib/resident.mjs'
import { peerCommand } from './peers.mjs'

const command = fileURLToPath(new URL('../../../packages/cli/dist/bin.js', import.meta.url))
const stream = fileURLToPath(new URL('../lib/stream.mjs', import.meta.url))
const manyScript = fileURLToPath(new URL('../runs/many.mjs', import.meta.url))
const bareUndiciScript = fileURLToPath(new URL('./bare-undici.mjs', import.meta.url))
const bare = fileURLToPath(new URL('./bare-ftp.mjs', import.meta.url))
const newsScript = fileURLToPath(new URL('../lib/news.mjs', import.meta.url))
const bareNewsScript = fileURLToPath(new URL('./bare-nntp.mjs', import.meta.url))
const bareGopherScript = fileURLToPath(new URL('./bare-gopher.mjs', import.meta.url))

/** The command `retrieve`, without its reports. */
export const retrieve = (args, limits) => runNode([command, '-s', ...args], limits)

/** One client of the library, which retrieves these URLs one after another. */
export const library = (urls, limits) => runNode([stream, ...urls], limits)

/** One client of the library, which retrieves these URLs so many at a time. */
export const many = (connections, urls, limits) => runNode([manyScript, String(connections), ...urls], limits)

export const residentMany = (connections, urls) => startResident(manyScript, [connections, ...urls])

export const bareUndici = (connections, urls, limits) =>
  runNode([bareUndiciScript, String(connections), ...urls], limits)

export const bareGopher = (connections, urls, limits) =>
  runNode([bareGopherScript, String(connections), ...urls], limits)

export const residentBareGopher = (connections, urls) => startResident(bareGopherScript, [connections, ...urls])

/** A newsgroup's overview by the library, and its articles unless the overview alone is asked for. */
export const libraryNews = (url, { overview = false }, limits) =>
  runNode([newsScript, url, ...(overview ? ['--overview'] : [])], limits)

/** `step`: one command at a time. */
export const bareNews = (port, group, count, limits, { step = false } = {}) =>
  runNode([bareNewsScript, String(port), group, String(count), ...(step ? ['--step'] : [])], limits)

/** `step`: no EPSV behind a RETR. */
export const bareSockets = (urls, limits, { step = false } = {}) =>
  runNode([bare, ...(step ? ['--step'] : []), ...urls], limits)

export const peer = (name, args, limits) => runProgram(...peerCommand(name, ...args), limits)
