import { createHash } from 'node:crypto'
import type { TestServers } from '@retriever/servers'

/** One URL to show, and what must come of it. */
export interface DemoCase {
  readonly url: string
  /** Must stand in what is shown of the outcome. */
  readonly expected: string
  /** The exit code that `retrieve URL` would have. */
  readonly exit: number
}

/** What /pub/a.bin holds: each octet in turn, sixteen times. */
const everyOctet16Times = Uint8Array.from({ length: 4096 }, (_, index) => index % 256)

/** The classic schemes, one each, then what does not succeed. */
export function demoCases(servers: TestServers, fileUrl: string): DemoCase[] {
  const { ftp, http, gopher, nntp, telnet } = servers
  const sha256 = createHash('sha256').update(everyOctet16Times).digest('hex')
  return [
    { url: `${ftp.url}pub/a.bin`, expected: `4096 octets, SHA-256 ${sha256.slice(0, 16)}`, exit: 0 },
    { url: `${http.url}readme.txt`, expected: "Retriever's test server.", exit: 0 },
    { url: `${gopher.url}1/pub`, expected: 'dots.txt', exit: 0 },
    { url: 'news:two@example.net', expected: 'Subject: Re: A first test', exit: 0 },
    { url: `${nntp.url}retriever.test`, expected: 'A first test', exit: 0 },
    { url: fileUrl, expected: 'A file of this machine.', exit: 0 },
    { url: telnet.url, expected: 'Welcome to the test server.', exit: 1 },
    { url: `${ftp.url}pub/missing.txt`, expected: '550', exit: 78 },
    { url: 'gopher://127.0.0.1:25/x', expected: '--allow-port 25', exit: 9 },
  ]
}
