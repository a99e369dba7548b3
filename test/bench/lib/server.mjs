// node server.mjs SIZE: the embedded HTTP server with a /big of SIZE octets, until its input ends.
import { startServers } from '../../servers/dist/index.js'

const servers = await startServers({ http: true, bigSize: Number(process.argv[2]) })
process.stdout.write(`${servers.http.url}\n`)
process.stdin.resume().once('end', () => servers.close())
