import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { expectOctets, retrieve, retrieveToFile, suite } from './suite.ts'

suite('rtsp-server-perl', (server) => {
  test('the description that socat gets', async () => {
    const url = server.url('rtsp', '/stream')
    const request = `DESCRIBE ${url} RTSP/1.0\r\nCSeq: 1\r\nAccept: application/sdp\r\n\r\n`
    const plain = execFileSync('socat', ['-t', '2', '-', `TCP:127.0.0.1:${server.port()}`], { input: request })
    const head = plain.indexOf('\r\n\r\n') + 4
    expect(plain.toString('latin1', 0, head)).toMatch(/^RTSP\/1\.0 200 OK\r\n.*\r\nContent-Length: 92\r\n/s)
    expectOctets(await retrieveToFile(url), plain.subarray(head))
  })

  test('on standard output, with its length', async () => {
    const { status, stdout, stderr } = await retrieve('--json', server.url('rtsp', '/stream'))
    expect(status).toBe(0)
    expect(stdout.toString()).toContain('s=Grüße\r\n')
    expect(JSON.parse(stderr)).toMatchObject({ mediaType: 'application/sdp', size: 92 })
  })

  test('an unknown stream', async () => {
    const { status, stderr } = await retrieve(server.url('rtsp', '/none'))
    expect(status).toBe(22)
    expect(stderr).toContain('404 Not Found')
  })
})
