import { connect } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { startFtpServer, startGopherServer, startNntpServer, startServers, testCa } from '../src/index.ts'
import { Wire } from '../src/wire.ts'
import { Dialogue } from './dialogue.ts'

describe('implicit', () => {
  test.each([
    {},
    { chunking: 'bytes' },
    { latency: { up: 5, down: 5 } },
    { latency: { down: 5 }, chunking: 'bytes' },
  ] as const)('all five, with %j', async (faults) => {
    const one = { faults }
    await using servers = await startServers({ tls: true, http: one, ftp: one, gopher: one, nntp: one, telnet: one })
    expect(servers.http.url).toMatch(/^https:/)
    const http = await Dialogue.tls(servers.http)
    http.send('GET /pub/hello.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    expect(await http.rest()).toMatch(/world\.\n$/)
    const ftp = await Dialogue.tls(servers.ftp)
    expect(await ftp.reply()).toMatch(/^220 /)
    const gopher = await Dialogue.tls(servers.gopher)
    gopher.send('/pub/hello.txt\r\n')
    expect(await gopher.rest()).toBe('Hello, world.\r\n.\r\n')
    const nntp = await Dialogue.tls(servers.nntp)
    expect(await nntp.line()).toMatch(/^200 /)
    const telnet = await Dialogue.tls(servers.telnet)
    expect(await telnet.until('\x18')).toHaveLength(6)
    for (const dialogue of [ftp, nntp, telnet]) dialogue.close()
  })

  test('the certificate holds for the name and both addresses, and for nobody else', async () => {
    await using server = await startNntpServer({ tls: true })
    for (const host of ['localhost', '127.0.0.1']) {
      const socket = connect({ host: '127.0.0.1', port: server.port, ca: testCa, servername: 'localhost' })
      await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject))
      expect(socket.getPeerCertificate().subjectaltname).toContain(host)
      socket.destroy()
    }
    const stranger = connect({ host: '127.0.0.1', port: server.port })
    const error = await new Promise<NodeJS.ErrnoException>((resolve) => stranger.once('error', resolve))
    expect(error.code).toMatch(/SELF_SIGNED|UNABLE_TO/)
  })

  test('a client that speaks clear text is dropped; a handshake can stall', async () => {
    await using server = await startNntpServer({ tls: true })
    const clear = await Dialogue.to(server)
    clear.send('CAPABILITIES\r\n')
    await clear.rest()
    await server.waitForConnections(0)
    server.setFaults({ stall: 'tls' })
    const silent = await Dialogue.to(server)
    silent.send('\x16\x03\x01\x00')
    expect(await silent.within(30)).toBe('')
    silent.close()
    await server.waitForConnections(0)
  })
})

test('AUTH TLS: the control connection, then the data', async () => {
  await using server = await startFtpServer({ tls: 'explicit' })
  expect(server.url).toMatch(/^ftp:/)
  const clear = await Dialogue.to(server)
  await clear.reply()
  expect(await clear.ask('FEAT')).toContain('\r\n AUTH TLS\r\n')
  expect(await clear.ask('PBSZ 0')).toMatch(/^503 /)
  expect(await clear.ask('AUTH TLS')).toMatch(/^234 /)
  clear.socket.removeAllListeners('data')
  const socket = connect({ socket: clear.socket, ca: testCa, servername: 'localhost' })
  await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject))
  const control = new Dialogue(socket)
  expect(await control.ask('PBSZ 0')).toMatch(/^200 /)
  expect(await control.ask('PROT P')).toMatch(/^200 /)
  expect(await control.ask('USER alice')).toMatch(/^331 /)
  expect(await control.ask('PASS secret')).toMatch(/^230 /)
  const port = Number(/\|(\d+)\|\)/.exec(await control.ask('EPSV'))?.[1])
  const raw = connect({ host: '127.0.0.1', port, ca: testCa, servername: 'localhost' })
  const data = new Dialogue(raw)
  expect(await control.ask('RETR pub/hello.txt')).toMatch(/^150 /)
  expect(await data.rest()).toBe('Hello, world.\r\n')
  expect(await control.reply()).toMatch(/^226 /)
  data.close()
  control.close()
})

test('noCloseNotify: the data, then a bare end', async () => {
  for (const noCloseNotify of [false, true]) {
    await using server = await startGopherServer({ tls: true, faults: { noCloseNotify } })
    const raw = await Dialogue.to(server)
    // Not the socket itself: TLS would take its handle, and the records would pass by unseen.
    const gopher = new Dialogue(connect({ socket: new Wire(raw.socket, {}), ca: testCa, servername: 'localhost' }))
    gopher.send('/pub/hello.txt\r\n')
    expect(await gopher.rest()).toBe('Hello, world.\r\n.\r\n')
    const octets = await raw.rest()
    gopher.close()
    // The alert is a record of 19 bytes under TLS 1.3: 1 level, 1 description, 1 inner type, 16 tag.
    expect(octets.slice(-24, -19) === '\x17\x03\x03\x00\x13').toBe(!noCloseNotify)
  }
})
