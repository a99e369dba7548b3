/**
 * The servers of a soak, in a process of their own, so that the memory that is measured is the client's. Every 200 ms
 * their faults change, until the parent sends a message.
 */
import { startServers } from '@retriever/servers'
import { Random } from '../fuzz/random.ts'

const random = new Random(Number(process.argv[2]))
const files = Object.fromEntries(
  Array.from({ length: 40 }, (_, n) => [`/soak/${n}.bin`, Buffer.alloc(n ** 3 * 5, `file ${n} `)]),
)
const none = { record: false }
const servers = await startServers({
  files,
  ...{ http: none, ftp: none, gopher: none, nntp: none, gemini: none, finger: none, dict: none, ldap: none },
  ...{ imap: none, pop3: none, rtsp: none, ws: none, mqtt: none },
})
const { http, ftp, gopher, nntp, gemini, finger, dict, ldap, rtsp, ws, mqtt, imap, pop3 } = servers
const stored = Object.keys(files)
const at = ({ url }: { readonly url: string }, paths: readonly string[]): string[] => paths.map((path) => url + path)
const urls = [
  ...at(
    http,
    [...stored, '/redirect/301', '/gzip/soak/20.bin', '/chunked/soak/30.bin', '/pub/', '/status/404'].map(rest),
  ),
  ...at(ftp, [...stored, '/pub/', '/pub/name%20with%20spaces.txt', '/no/such'].map(rest)),
  ...at(gopher, [...stored.map((name) => `9${name}`), '1/', '0/pub/dots.txt']),
  ...at(nntp, ['retriever.test/1', 'retriever.test/2', 'retriever.test/3', 'retriever.announce/41']),
  ...at(gemini, ['', 'pub/hello.txt', 'pub/a.bin', 'redirect/31', 'status/51']),
  ...at(finger, ['alice']),
  ...at(dict, ['d:long:web:1']),
  ...at(ldap, ['dc=example,dc=net??sub']),
  ...at(rtsp, ['bytes']),
  ...at(ws, ['texts']),
  ...at(mqtt, ['pub/hello']),
  `imap://alice:secret@${imap.host}:${imap.port}/INBOX/;UID=11`,
  `pop://alice:secret@${pop3.host}:${pop3.port}/1`,
]

const octets = (): number => random.below(1 + random.below(200_000))
const faults = [
  () => ({ cutAfter: octets() }),
  () => ({ resetAfter: octets() }),
  () => ({ shortBody: 1 + octets() }),
  () => ({ stall: random.pick(['greeting', 'response', 'body'] as const) }),
  () => ({ replies: { greeting: random.pick(['', '421 busy\r\n', 'nonsense\r\n', '\0'.repeat(5000)]) } }),
  () => ({ chunking: random.pick(['split-crlf', 'glued', [1, 100, 3]] as const) }),
  () => ({ delay: 1 + random.below(20) }),
]
const all = [http, ftp, gopher, nntp, gemini, finger, dict, ldap, rtsp, ws, mqtt, imap, pop3]
let playing: NodeJS.Timeout
process.on('message', (word) => {
  clearInterval(playing)
  if (word === 'play') playing = setInterval(play, 200)
  for (const server of all) server.setFaults({})
  process.send?.(word)
})
process.on('disconnect', () => process.exit())
process.send?.({ urls, tree: `${ftp.url}pub/` })

/** Most servers are well at any time. */
function play(): void {
  for (const server of all) {
    const some = random.chance(30) ? random.pick(faults)() : {}
    // Finger has no greeting: what is sent as one is its answer.
    server.setFaults(server === finger ? { ...some, replies: {} } : some)
  }
}

/** `url` of a server ends in a slash. */
function rest(path: string): string {
  return path.slice(1)
}
