// node server.mjs OPTIONS: the embedded server that these options of startServers (JSON) name, until its input ends.
import { startServers } from '../../servers/dist/index.js'

const options = JSON.parse(process.argv[2])
// Records would be measured, too.
const servers = await startServers({ record: false, ...options })
const [name] = Object.keys(options)
process.stdout.write(`${servers[name].url}\n`)
process.stdin.resume().once('end', () => servers.close())
