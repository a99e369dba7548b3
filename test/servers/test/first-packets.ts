import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { createClient } from '@retriever/fetchers'
import type { ProtocolName, TestServer } from '../src/index.ts'

/** What a browser sends, whatever the port is for. */
export const browserRequest = 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: Mozilla/5.0\r\nAccept: */*\r\n\r\n'

/** What clients send first, one char an octet. */
const written: Readonly<Partial<Record<ProtocolName, readonly string[]>>> = {
  http: [
    'GET /readme.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    'HEAD /pub/a.bin HTTP/1.1\r\nHost: localhost\r\nRange: bytes=2-5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  ftp: ['USER anonymous\r\nPASS x@\r\nTYPE I\r\nSIZE pub/a.bin\r\nMDTM readme.txt\r\nCWD pub\r\nREST 5\r\nQUIT\r\n'],
  gopher: ['/readme.txt\r\n', '/pub\t$\r\n', '/ask\t+\t1\r\n+-1\r\nwords\r\n.\r\n', '/search\twords\t+text/plain\r\n'],
  nntp: [
    'CAPABILITIES\r\nMODE READER\r\nGROUP retriever.test\r\nARTICLE 1\r\nQUIT\r\n',
    'LIST ACTIVE retriever.*\r\nGROUP retriever.test\r\nOVER 1-6\r\nHDR subject 1-\r\nSTAT <two@example.net>\r\nQUIT\r\n',
  ],
  telnet: ['\xff\xfd\x01\xff\xfb\x18\xff\xf6hello\r\nquit\r\n', '\xff\xfa\x18\0xterm\xff\xf0\xff\xffa\r\0\x04'],
  tn3270: [
    '\xff\xfb\x18\xff\xfa\x18\0IBM-3278-2\xff\xf0\xff\xfd\x19\xff\xfb\x19\xff\xfd\0\xff\xfb\0',
    '\xff\xfb\x28\xff\xfa\x28\x02\x07IBM-3278-2\xff\xf0\xff\xfa\x28\x03\x07\xff\xf0',
  ],
  tftp: [
    '\0\x01hello.txt\0octet\0',
    `\0\x01bytes.bin\0netascii\0${['blksize', '1024', 'windowsize', '4', 'tsize', '0', ''].join('\0')}`,
    '\0\x04\0\x01',
  ],
  prospero: [
    '\x03ABVERSION 5\nDIRECTORY ASCII /docs\nLIST ATTRIBUTES COMPONENTS\n',
    '\x07AB\0\x01\0\x02VERSION 5\nDIRECTORY ASCII /docs\n',
    '\x0dAB\0\0\0\0\0\x01\0\0\0\x01',
  ],
  gemini: ['gemini://localhost/\r\n', 'gemini://localhost/input?words\r\n'],
  rtsp: [
    'DESCRIBE rtsp://localhost/stream RTSP/1.0\r\nCSeq: 1\r\n\r\n',
    'DESCRIBE rtsp://localhost/digest RTSP/1.0\r\nCSeq: 2\r\nAuthorization: Digest nonce="a", response="b"\r\n\r\n',
  ],
  dict: ['CLIENT test\r\nDEFINE ! "url"\r\nMATCH * prefix ur\r\nSHOW DB\r\nAUTH alice 0123\r\nQUIT\r\n'],
  finger: ['alice\r\n', '/W bob\r\n'],
  pop3: ['CAPA\r\nUSER alice\r\nPASS secret\r\nSTAT\r\nUIDL\r\nRETR 1\r\nTOP 2 1\r\nQUIT\r\n'],
  imap: [
    'a CAPABILITY\r\nb LOGIN "alice" "secret"\r\nc EXAMINE "INBOX"\r\nd UID FETCH 11 (BODY.PEEK[])\r\ne LOGOUT\r\n',
    'a AUTHENTICATE PLAIN AGFsaWNlAHNlY3JldA==\r\nb SELECT INBOX\r\nc SEARCH ALL\r\nd FETCH 1:* (FLAGS)\r\n',
  ],
  ws: ['GET /texts HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nSec-WebSocket-Key: YWFh\r\n\r\n\x88\x80abcd'],
}

/** Paths whose retrieval sends what the server gets first, for protocols that are not written by hand. */
const retrieved: Readonly<Partial<Record<ProtocolName, readonly string[]>>> = {
  ldap: ['dc=example,dc=net??sub?(&(uid=a*)(!(cn=b)))', ''],
  nfs: ['pub/a.bin', 'pub/'],
  wais: ['demo?ark'],
  mqtt: ['pub/hello'],
  z3950: ['books?b1', 'books?elecworld.v30.n19'],
}

/** The packets with which clients begin at a server. */
export async function firstPackets(server: TestServer): Promise<readonly string[]> {
  const name = server.protocol as ProtocolName
  const paths = retrieved[name]
  if (paths === undefined) return [browserRequest, ...(written[name] ?? [])]
  return [browserRequest, ...(await Promise.all(paths.map((path) => sentFor(server, path))))]
}

/** What our client sends for a URL, over all its connections. */
async function sentFor(server: TestServer, path: string): Promise<string> {
  const pieces: Buffer[] = []
  const relay = createServer((client) => {
    const onward = connect(server.port, server.host)
    client.on('data', (piece: Buffer) => pieces.push(piece))
    client.pipe(onward).pipe(client)
    for (const socket of [client, onward]) socket.on('error', () => socket.destroy())
  }).listen(0, '127.0.0.1')
  await once(relay, 'listening')
  try {
    await using client = createClient()
    const { port } = relay.address() as AddressInfo
    const representation = await client.retrieve(server.url.replace(`:${server.port}/`, `:${port}/`) + path)
    if (representation.kind === 'listing') for await (const _ of representation.entries());
    else await representation.bytes()
  } finally {
    relay.close()
  }
  return Buffer.concat(pieces).toString('latin1')
}
