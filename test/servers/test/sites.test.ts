import { once } from 'node:events'
import { connect } from 'node:http2'
import { afterAll, describe, expect, test } from 'vitest'
import { startServers } from '../src/index.ts'
import { Dialogue, exchange } from './dialogue.ts'

const servers = await startServers({
  http: { hosts: ['Dev.Example'], http2: true },
  ws: { hosts: ['Dev.Example'] },
})
afterAll(() => servers.close())

/** Header fields of a request, and the status that HTTP and WebSocket servers give it. */
const rows: readonly (readonly [string, number])[] = [
  ['Host: 127.0.0.1', 200],
  ['Host: 127.3.2.1:99', 200],
  ['Host: [::1]:80', 200],
  ['Host: LocalHost', 200],
  ['Host: localhost.:1', 200],
  ['Host: a.b.localhost', 200],
  ['Host: dev.example:7', 200],
  ['Host: evil.example', 421],
  ['Host: 127.0.0.1.evil.example', 421],
  ['Host: localhost.evil.example', 421],
  ['Host: notlocalhost', 421],
  ['Host: sub.dev.example', 421],
  ['Host: localhost@evil.example', 421],
  ['Host: evil.example\\@localhost', 421],
  ['Host: 10.0.0.1', 421],
  ['Host: [::ffff:a00:1]', 421],
  ['Host: localhost\r\nOrigin: http://localhost:3000', 200],
  ['Host: localhost\r\nOrigin: https://dev.example', 200],
  ['Host: localhost\r\nOrigin: http://127.0.0.1\r\nSec-Fetch-Site: cross-site', 200],
  ['Host: localhost\r\nOrigin: http://evil.example', 403],
  ['Host: localhost\r\nOrigin: null', 403],
  ['Host: localhost\r\nOrigin: file://localhost', 403],
  ['Host: localhost\r\nOrigin: http://evil.example\r\nSec-Fetch-Site: same-origin', 403],
  ['Host: localhost\r\nSec-Fetch-Site: cross-site', 403],
  ['Host: localhost\r\nSec-Fetch-Site: same-origin', 200],
  ['Host: localhost\r\nSec-Fetch-Site: none', 200],
]

describe('a page of another site reads nothing', () => {
  test.each(rows)('%j by HTTP: %i', async (fields, status) => {
    const answer = await exchange(servers.http, `GET /readme.txt HTTP/1.1\r\n${fields}\r\nConnection: close\r\n\r\n`)
    expect(answer.slice(0, 12)).toBe(`HTTP/1.1 ${status}`)
    expect(answer.includes('test server')).toBe(status === 200)
  })

  test.each(rows)('%j by WebSocket: %i', async (fields, status) => {
    const request = `GET /texts HTTP/1.1\r\n${fields}\r\nUpgrade: websocket\r\nSec-WebSocket-Key: YWFh\r\n\r\n`
    const dialogue = await Dialogue.to(servers.ws)
    dialogue.socket.end(request)
    const answer = await dialogue.rest()
    expect(answer.slice(0, 12)).toBe(`HTTP/1.1 ${status === 200 ? 101 : status}`)
    expect(answer.includes('one')).toBe(status === 200)
  })

  test('a request with two Hosts is none (RFC 9112 3.2)', async () => {
    const fields = 'Host: localhost\r\nhost: evil.example\r\nConnection: close'
    const answer = await exchange(servers.http, `GET /readme.txt HTTP/1.1\r\n${fields}\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/)
  })

  test('the host in a target counts before Host (RFC 9112 3.2.2)', async () => {
    const ask = (target: string, host: string): Promise<string> =>
      exchange(servers.http, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    expect(await ask('http://evil.example/readme.txt', 'localhost')).toMatch(/^HTTP\/1.1 421 Misdirected Request\r\n/)
    expect(await ask('http://localhost/readme.txt', 'evil.example')).toMatch(/^HTTP\/1.1 200 /)
  })

  test('HTTP/1.0 without a Host is answered: browsers send one', async () => {
    expect(await exchange(servers.http, 'GET /readme.txt HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 /)
  })

  test('HTTP/2 has the host in :authority', async () => {
    const session = connect(`http://127.0.0.1:${servers.http.port}`)
    const statusFor = async (fields: Record<string, string>): Promise<unknown> => {
      const stream = session.request({ ':path': '/readme.txt', ...fields })
      const [head] = await once(stream, 'response')
      stream.resume()
      return head[':status']
    }
    expect(await statusFor({ ':authority': 'evil.example' })).toBe(421)
    expect(await statusFor({ ':authority': 'localhost:1' })).toBe(200)
    expect(await statusFor({ ':authority': 'localhost:1', origin: 'http://evil.example' })).toBe(403)
    session.close()
  })

  test('the star stands for all hosts', async () => {
    await using open = await startServers({ http: { hosts: ['*'] } })
    expect(await exchange(open.http, 'GET /readme.txt HTTP/1.0\r\nHost: evil.example\r\n\r\n')).toMatch(/ 200 /)
  })
})
