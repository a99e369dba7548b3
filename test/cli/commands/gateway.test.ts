/** `retrieve gateway`, as a user runs it. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServers } from '@retriever/servers'
import { expect, onTestFinished, test } from 'vitest'
import { ask, exchange, parse } from '../../gateway/support/proxy.ts'
import { retrieve, start, useBundle } from '../../support/cli/run.ts'

useBundle()

/** Resolves with the text of a stream, once it has so many lines. */
async function lines(child: ChildProcess, count: number, stream: 'stdout' | 'stderr'): Promise<string[]> {
  let printed = ''
  while (printed.split('\n').length <= count) printed += String(await once(child[stream] ?? child, 'data'))
  return printed.trimEnd().split('\n')
}

test('--json says where it listens, it retrieves, and a signal is its ordinary end', async () => {
  await using servers = await startServers({ gopher: true })
  const child = start(['gateway', '--json', '--port', '0', '--proxy-port', '0'])
  const [line = ''] = await lines(child, 1, 'stdout')
  const { proxy, port, token } = JSON.parse(line)
  expect({ proxy, token }).toEqual({ proxy: `http://127.0.0.1:${port}`, token: null })
  const { status, body } = await ask(port, `${servers.gopher.url}0/readme.txt`)
  expect({ status, text: String(body) }).toEqual({
    status: 200,
    text: (await retrieve([`${servers.gopher.url}0/readme.txt`])).stdout,
  })
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('it says what listens where, and how browsers and programs find it', async () => {
  const child = start(['gateway', '--port', '0', '--proxy-port', '0'])
  const [[pages = '', proxy = ''], said] = await Promise.all([lines(child, 2, 'stdout'), lines(child, 4, 'stderr')])
  expect(pages).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/)
  expect(proxy).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect(said.join('\n')).toContain(`Pages for browsers listen on ${pages} until Ctrl-C.`)
  expect(said.join('\n')).toContain(`curl -x ${proxy} URL`)
  expect(said.join('\n')).toContain(`ftp_proxy=${proxy} gopher_proxy=${proxy} wais_proxy=${proxy}`)
  expect(await (await fetch(pages)).text()).toContain(`The proxy listens on <code>${proxy.slice(7)}</code>`)
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('--open shows the pages in a browser', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'browser-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(
    join(folder, 'xdg-open'),
    `#!/bin/sh\necho "$1" > ${join(folder, 'opened.new')}\nmv ${join(folder, 'opened.new')} ${join(folder, 'opened')}\n`,
  )
  chmodSync(join(folder, 'xdg-open'), 0o755)
  const child = start(['gateway', '--json', '--open', '--port', '0', '--proxy-port', '0'], {
    env: { PATH: `${folder}:${process.env.PATH}` },
  })
  const { pages } = JSON.parse((await lines(child, 1, 'stdout'))[0] ?? '')
  await expect.poll(() => existsSync(join(folder, 'opened'))).toBe(true)
  expect(readFileSync(join(folder, 'opened'), 'utf8')).toBe(`${pages}\n`)
  child.kill('SIGINT')
  await once(child, 'exit')
})

test('options of connections apply, and messages name them', async () => {
  const child = start(['gateway', '--json', '--port', '0', '--proxy-port', '0', '--proto', '=gopher'])
  const { port } = JSON.parse((await lines(child, 1, 'stdout'))[0] ?? '')
  const forbidden = await ask(port, 'ftp://127.0.0.1:9/')
  expect(JSON.parse(String(forbidden.body))).toMatchObject({
    code: 'refused',
    detail: expect.stringContaining('--proto'),
  })
  const foreign = await ask(port, 'gopher://127.0.0.1:25/1')
  expect(JSON.parse(String(foreign.body)).detail).toContain('--allow-port 25')
  child.kill('SIGINT')
  await once(child, 'exit')
})

test('a variable that names the gateway itself makes no circle', async () => {
  await using servers = await startServers({ ftp: true })
  // Another test may take the port that the first gateway has given back; then the second one ends.
  const startAgain = async (): Promise<{ child: ChildProcess; port: number }> => {
    const first = start(['gateway', '--json', '--port', '0', '--proxy-port', '0'])
    const { port } = JSON.parse((await lines(first, 1, 'stdout'))[0] ?? '')
    first.kill('SIGINT')
    await once(first, 'exit')
    const child = start(['gateway', '--json', '--port', '0', `--proxy-port=${port}`], {
      env: { all_proxy: `http://127.0.0.1:${port}` },
    })
    const isTaken = once(child, 'exit').then(() => true)
    return (await Promise.race([lines(child, 1, 'stdout'), isTaken])) === true ? startAgain() : { child, port }
  }
  const { child, port } = await startAgain()
  expect(String((await ask(port, `${servers.ftp.url}pub/hello.txt`)).body)).toBe('Hello, world.\n')
  child.kill('SIGINT')
  await once(child, 'exit')
})

test('--listen elsewhere makes a token, or takes that of the environment, and answers nobody without it', async () => {
  const env = { RETRIEVE_GATEWAY_TOKEN: 'pl4nted-pl4nted-pl4nted' }
  const child = start(['gateway', '--json', '--listen', '0.0.0.0', '--port', '0', '--proxy-port', '0'])
  const { port, token } = JSON.parse((await lines(child, 1, 'stdout'))[0] ?? '')
  expect(token).toMatch(/^[\w-]{32}$/)
  expect((await ask(port, 'data:,x')).status).toBe(400)
  const login = `Basic ${Buffer.from(`any:${token}`).toString('base64')}`
  const head = `GET gopher://127.0.0.1:25/1 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n`
  expect(parse(await exchange(port, `${head}\r\n`)).status).toBe(407)
  expect(parse(await exchange(port, `${head}Proxy-Authorization: ${login}\r\n\r\n`)).status).toBe(403)
  child.kill('SIGINT')
  await once(child, 'exit')
  const own = start(['gateway', '--json', '--port', '0', '--proxy-port', '0'], { env })
  const [line = ''] = await lines(own, 1, 'stdout')
  expect(line).not.toContain('pl4nted')
  expect((await ask(JSON.parse(line).port, 'gopher://127.0.0.1:25/1')).status).toBe(407)
  own.kill('SIGINT')
  await once(own, 'exit')
})

test.each(['0.0.0.0', '::', '::ffff:0.0.0.0'])('--listen %s prints addresses that work', async (address) => {
  const child = start(['gateway', '--listen', address, '--port', '0', '--proxy-port', '0'])
  const [[pages = '', proxy = ''], said] = await Promise.all([lines(child, 2, 'stdout'), lines(child, 4, 'stderr')])
  expect(pages).toMatch(/^http:\/\/localhost:\d+\/$/)
  expect(proxy).toMatch(/^http:\/\/localhost:\d+$/)
  expect((await fetch(pages)).status).toBe(401)
  expect(said.join('\n')).toContain(`Both listen on all addresses (${address}). On another machine, write`)
  child.kill('SIGINT')
  await once(child, 'exit')
})

test('--listen elsewhere reaches public addresses alone, and those of --allow-address', async () => {
  await using servers = await startServers({ gopher: true })
  const token = 'a'.repeat(20)
  const open = ['gateway', '--json', '--listen', '0.0.0.0', '--port', '0', '--proxy-port', '0']
  const answer = async (...args: string[]) => {
    const child = start([...open, ...args], { env: { RETRIEVE_GATEWAY_TOKEN: token } })
    const { port } = JSON.parse((await lines(child, 1, 'stdout'))[0] ?? '')
    const fields = { 'proxy-authorization': `Bearer ${token}` }
    const given = [await ask(port, `${servers.gopher.url}0/readme.txt`, { fields })]
    given.push(await ask(port, `${servers.gopher.url}0/readme.txt`, { fields }))
    child.kill('SIGINT')
    await once(child, 'exit')
    return given.map(({ status, body }) => `${status} ${body}`)
  }
  const [refused] = await answer()
  expect(refused).toMatch(/^403 [\s\S]*--public-only/)
  expect(servers.gopher.accepted).toBe(0)
  const allowed = ['--allow-address', '127.0.0.0/8']
  expect(await answer(...allowed)).toEqual([expect.stringMatching(/^200 /), expect.stringMatching(/^200 /)])
  const slow = await answer(...allowed, '--client-rate', '0.01')
  expect(slow).toEqual([expect.stringMatching(/^200 /), expect.stringMatching(/^429 /)])
})

test.each([
  [['--client-rate', '0'], '--client-rate needs a number above 0, such as 5, not "0".'],
  [['--listen', 'example.org'], '--listen needs an IP address, not "example.org".'],
  [['--proxy-port', 'x'], '--proxy-port needs a port number up to 65535, not "x".'],
  [['--port', '8071'], 'The pages and the proxy need a port each, not both 8071: change --port or --proxy-port.'],
  [['ftp://h/'], 'gateway takes no "ftp://h/"; it serves every URL.'],
])('gateway %j is refused', async (args, message) => {
  const { status, stderr } = await retrieve(['gateway', ...args])
  expect({ status, stderr }).toEqual({ status: 2, stderr: `retrieve: ${message}\n` })
})
