import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasTerminal, onPty } from '../../support/cli/pty.ts'
import { bin, retrieve, retrieveApart, start, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
const freePorts = ['http', 'ftp', 'gopher', 'nntp', 'telnet', 'nfs'].map((protocol) => `--${protocol}-port=0`)

/** What `retrieve serve ARGUMENTS` prints, once it has printed so many lines. */
async function lines(child: ChildProcess, count: number, stream: 'stdout' | 'stderr' = 'stdout'): Promise<string[]> {
  let printed = ''
  while (printed.split('\n').length <= count) printed += String(await once(child[stream] ?? child, 'data'))
  return printed.trimEnd().split('\n')
}

/** Serves until the end of the block, with the variables that the command of `serve ARGUMENTS -- COMMAND` has. */
async function variablesOf(...args: readonly string[]) {
  const script = 'env | grep -E "^(RETRIEVE_|NNTPSERVER=)"; echo all=; read end'
  const child = start(['serve', ...args, '--', 'sh', '-c', script], { input: 'pipe' })
  let stderr = ''
  child.stderr?.on('data', (text) => (stderr += text))
  let printed = ''
  while (!printed.endsWith('all=\n')) printed += String(await once(child.stdout ?? child, 'data'))
  const env = Object.fromEntries(printed.split('\n').map((line) => line.split(/=(.*)/s, 2) as [string, string]))
  const end = async () => {
    child.stdin?.end('\n')
    const [status] = await once(child, 'exit')
    return { status, stderr }
  }
  return { env, end, [Symbol.asyncDispose]: async () => void child.kill() }
}

test('serve prints a line for each server, and a signal is its ordinary end', async () => {
  const child = start(['serve', 'gopher', 'http', '--json', ...freePorts])
  const [http = ''] = await lines(child, 2)
  const { protocol, url, port } = JSON.parse(http)
  expect({ protocol, url }).toEqual({ protocol: 'http', url: `http://127.0.0.1:${port}/` })
  expect((await retrieve([`${url}pub/hello.txt`])).stdout).toBe('Hello, world.\n')
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('serve DIR shows a folder by http, ftp, gopher and nfs, read-only, without links that lead out of it', async () => {
  mkdirSync(join(folder(), 'shown/sub'), { recursive: true })
  writeFileSync(join(folder(), 'shown/sub/a.txt'), 'Hello.\n')
  writeFileSync(join(folder(), 'secret.txt'), 'secret')
  symlinkSync('../secret.txt', join(folder(), 'shown/out.txt'))
  const child = start(['serve', '--json', 'shown', ...freePorts], { cwd: folder() })
  const urls = (await lines(child, 4)).map((line) => String(JSON.parse(line).url))
  expect(urls.map((url) => url.replace(/:.*/, ''))).toEqual(['http', 'ftp', 'gopher', 'nfs'])
  const [http = '', ftp = '', gopher = '', nfs = ''] = urls
  for (const url of [`${http}sub/a.txt`, `${ftp}sub/a.txt`, `${gopher}0/sub/a.txt`, `${nfs}sub/a.txt`]) {
    expect((await retrieve([url])).stdout.trimEnd()).toBe('Hello.')
  }
  for (const url of [`${http}out.txt`, `${ftp}out.txt`, `${gopher}0/out.txt`, `${nfs}out.txt`, `${http}readme.txt`]) {
    expect((await retrieve([url])).status).toBeGreaterThan(0)
  }
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('serve takes faults', async () => {
  await using serving = await variablesOf('http', '--fault', 'shortBody=1')
  const { status, stderr } = await retrieve(['--retry', '0', `${serving.env.RETRIEVE_HTTP_URL}readme.txt`])
  expect({ status, stderr }).toMatchObject({
    status: 18,
    stderr: expect.stringContaining('ended before the whole body'),
  })
})

test('serve DIR says who can read, leaves out what others may not read, and shows index.html', async () => {
  mkdirSync(join(folder(), 'mixed/site'), { recursive: true })
  mkdirSync(join(folder(), 'mixed/own'))
  writeFileSync(join(folder(), 'mixed/site/index.html'), '<title>Home</title>')
  writeFileSync(join(folder(), 'mixed/site/a.txt'), 'a')
  writeFileSync(join(folder(), 'mixed/own/key.txt'), 'secret')
  writeFileSync(join(folder(), 'mixed/key.txt'), 'secret')
  chmodSync(join(folder(), 'mixed/own'), 0o700)
  chmodSync(join(folder(), 'mixed/key.txt'), 0o600)
  const args = ['mixed', 'http', 'gopher', '--http-port=0', '--gopher-port=0']
  const child = start(['serve', ...args], { cwd: folder() })
  const [urls, said] = await Promise.all([lines(child, 2), lines(child, 3, 'stderr')])
  expect(said).toEqual([
    'Serving mixed on loopback until Ctrl-C, read-only, without a login: other users of this machine can read it.',
    '2 names in it are left out, since other users may not read them (mode 600); --serve-private serves them, too.',
    'HTTP requests are answered only for the hosts 127.0.0.0/8, [::1], localhost; --serve-host NAME adds one.',
  ])
  const [http = '', gopher = ''] = urls
  const kept = await Promise.all(['key.txt', 'own/key.txt', 'own/', 'site/', ''].map((path) => fetch(http + path)))
  expect(kept.map(({ status }) => status)).toEqual([404, 404, 404, 200, 200])
  expect(await kept[3]?.text()).toBe('<title>Home</title>')
  const names = async (url: string): Promise<string[]> =>
    (await retrieve(['ls', '--json', url])).stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).name)
  expect(await names(http)).toEqual(['site'])
  expect(await names(`${gopher}1/site/`)).toEqual(['a.txt', 'index.html'])
  child.kill()
  await once(child, 'exit')

  const all = start(['serve', ...args, '--json', '--serve-private'], { cwd: folder() })
  const [first = ''] = await lines(all, 1)
  expect(await (await fetch(`${JSON.parse(first).url}own/key.txt`)).text()).toBe('secret')
  all.kill()
  await once(all, 'exit')
})

test('serve answers for the hosts of this machine and of --serve-host alone', async () => {
  await using serving = await variablesOf('http', '--serve-host', 'Dev.example')
  const url = `${serving.env.RETRIEVE_HTTP_URL}readme.txt`
  const ask = (host: string) => retrieve(['-I', '--no-fail', '-H', `Host: ${host}`, url])
  const heads = [await ask('localhost'), await ask('dev.example'), await ask('evil.example')]
  expect(heads.map(({ stdout }) => stdout.split(' ')[1])).toEqual(['200', '200', '421'])
})

describe('serve without its wish', () => {
  test('a port in use is one sentence with the port, the process and the option', async () => {
    const busy = createServer().listen(0, '127.0.0.1')
    await once(busy, 'listening')
    const { port } = busy.address() as AddressInfo
    const outcome = await retrieve(['serve', 'http', 'ftp', '--http-port=0', '--ftp-port', String(port)])
    busy.close()
    const holder = process.platform === 'linux' ? ` by .+ \\(process ${process.pid}\\)` : ''
    expect(outcome).toMatchObject({ status: 2, stdout: '' })
    expect(outcome.stderr).toMatch(
      new RegExp(`^retrieve: Port ${port} is in use${holder}; --ftp-port 0 takes a free one\\.\\n$`),
    )
  })

  test.each([
    [['http'], 8080],
    [['ftp'], 2121],
    [['gopher'], 7070],
    [['nntp'], 1119],
    [['telnet'], 2323],
  ])('the port of %s is %i if none is given', async (servers, port) => {
    const child = start(['serve', ...servers])
    // If another program has the port, the error names it.
    const said = await Promise.race([child.stdout, child.stderr].map((stream) => once(stream ?? child, 'data')))
    child.kill()
    await once(child, 'exit')
    expect(String(said)).toMatch(new RegExp(`127.0.0.1:${port}/|Port ${port} is in use`))
  })

  test('a file, --port, and -- with nothing behind it are told apart', async () => {
    writeFileSync(join(folder(), 'file.txt'), '')
    const said = async (...args: string[]): Promise<unknown> => {
      const { status, stderr } = await retrieve(['serve', ...args], { cwd: folder() })
      return [status, stderr]
    }
    expect(await said('file.txt')).toEqual([
      2,
      'retrieve: "file.txt" is a file. serve takes the folder that it is in: ".".\n',
    ])
    expect(await said('--port', '80')).toEqual([
      2,
      'retrieve: serve has no --port. Each of its servers has its own, such as --http-port N.\n',
    ])
    expect(await said('--patr')).toEqual([
      2,
      'retrieve: There is no option --patr. retrieve help all lists all options.\n',
    ])
    expect(await said('--')).toEqual([2, 'retrieve: serve -- needs a command, as in: retrieve serve -- sh test.sh\n'])
    expect(await said('--json', '--', 'true')).toEqual([2, expect.stringContaining('--json prints the URLs')])
  })
})

/** A shell program, with `retrieve` as a function. */
function command(script: string): string[] {
  return ['sh', '-c', `retrieve() { '${process.execPath}' '${bin}' "$@"; }; ${script}`]
}

describe('serve -- COMMAND', () => {
  test('the command finds the servers in its variables, and alone writes to standard output', async () => {
    await using serving = await variablesOf()
    const { env } = serving
    const got = async (...args: string[]): Promise<string> => (await retrieve(args, { env })).stdout
    for (const url of [env.RETRIEVE_HTTP_URL, env.RETRIEVE_FTP_URL, `${env.RETRIEVE_GOPHER_URL}0/`])
      expect(await got(`${url}readme.txt`)).toMatch(/^Retriever's test server\.\r?\n/)
    expect(await got('news:two@example.net')).toMatch(/^Subject: Re: A first test\r$/m)
    expect(await got(`nntp://127.0.0.1:${env.RETRIEVE_NNTP_PORT}/retriever.test/1`)).toMatch(
      /^Subject: A first test\r$/m,
    )
    expect(await got('explain', `${env.RETRIEVE_TELNET_URL}`)).toContain(`${env.RETRIEVE_TELNET_PORT}`)
    expect(await serving.end()).toEqual({ status: 0, stderr: '' })
  })

  test('only the named servers, or a folder, are served; what stands behind -- is the command alone', async () => {
    mkdirSync(join(folder(), 'public'), { recursive: true })
    writeFileSync(join(folder(), 'public/a.txt'), 'A file.\n')
    const script = 'echo "$@" "$RETRIEVE_FTP_URL$RETRIEVE_NNTP_URL"; retrieve "$RETRIEVE_HTTP_URL"a.txt'
    const args = ['serve', 'public', 'http', '--', ...command(script), 'sh', '-v', '--json', 'ftp']
    expect(await retrieveApart(args, { cwd: folder() })).toEqual({
      status: 0,
      stdout: '-v --json ftp \nA file.\n',
      stderr: '',
    })
  })

  test.each([
    ['exit 7', 7],
    ['kill -TERM $$', 143],
    ['kill -KILL $$', 137],
  ])('its exit status is ours: %s', async (script, status) => {
    expect((await retrieve(['serve', 'http', '--', 'sh', '-c', script])).status).toBe(status)
  })

  test('a command that cannot be run is one sentence', async () => {
    expect(await retrieve(['serve', 'http', '--', 'no-such-program'])).toEqual({
      status: 127,
      stdout: '',
      stderr: 'retrieve: The command "no-such-program" was not started: there is no such program.\n',
    })
    writeFileSync(join(folder(), 'plain.txt'), 'text')
    expect((await retrieve(['serve', 'http', '--', './plain.txt'], { cwd: folder() })).status).toBe(126)
  })

  test('the command has the input, and waits for it', async () => {
    // The input comes some time after cat has begun to read it.
    const child = start(['serve', 'http', '--', 'sh', '-c', '(sleep 0.2; echo ready) & exec cat'], { input: 'pipe' })
    expect(await lines(child, 1)).toEqual(['ready'])
    child.stdin?.end('typed\n')
    expect(await lines(child, 1)).toEqual(['typed'])
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s is passed on, and the end of the command awaited',
    async (signal) => {
      const ask = 'exec 3<>/dev/tcp/127.0.0.1/$RETRIEVE_GOPHER_PORT; echo /pub/hello.txt >&3; head -1 <&3'
      const script = `trap 'echo got it; ${ask}; exit 3' ${signal.slice(3)}
      echo ready; while :; do sleep 0.05; done`
      const child = start(['serve', 'gopher', '--', 'bash', '-c', script])
      expect(await lines(child, 1)).toEqual(['ready'])
      child.kill(signal)
      // The servers still run while the command cleans up.
      expect(await lines(child, 2)).toEqual(['got it', expect.stringMatching(/^Hello, world\.\r?$/)])
      expect(await once(child, 'exit')).toEqual([3, null])
    },
  )

  test('the servers end with the command, even if a connection is open', async () => {
    const script = 'exec 3<>/dev/tcp/127.0.0.1/$RETRIEVE_FTP_PORT; head -1 <&3; echo $RETRIEVE_FTP_PORT'
    const { status, stdout } = await retrieveApart(['serve', 'ftp', '--', 'bash', '-c', script])
    const [greeting, port] = stdout.split(/\r?\n/)
    expect({ status, greeting }).toEqual({ status: 0, greeting: expect.stringMatching(/^220 /) })
    expect((await retrieve([`ftp://127.0.0.1:${port}/`])).status).toBe(7)
  })

  test.runIf(hasTerminal)('the command has the terminal', async () => {
    const { status, screen } = await onPty(folder(), `serve http -- sh -c 'test -t 0 && test -t 1 && echo terminal'`)
    expect({ status, screen: screen.trim() }).toEqual({ status: 0, screen: 'terminal' })
  })

  test.runIf(hasTerminal)('Ctrl-C on a terminal reaches the command once', async () => {
    const script = `trap "echo got it" INT; echo ready; read line; read line; echo end`
    const typed = { ready: '\x03', 'got it': 'one\rtwo\r' }
    const { status, screen } = await onPty(folder(), `serve http -- sh -c '${script}'`, typed)
    expect({ status, times: screen.match(/got it/g) }).toEqual({ status: 0, times: ['got it'] })
  })
})

test('the ports where none is given differ', async () => {
  const { stdout } = await retrieve(['help', 'serve'])
  const ports = [...stdout.matchAll(/--\S+-port N\s[\s\S]*?default:\s+(\d+)/g)].map(([, port]) => port)
  expect(ports.length).toBeGreaterThan(15)
  expect(new Set(ports).size).toBe(ports.length)
})

test('each URL that serve prints is one to try', async () => {
  const ports = Array.from((await retrieve(['help', 'serve'])).stdout.matchAll(/--\S+-port(?= N)/g), String)
  const child = start(['serve', ...ports.map((option) => `${option}=0`)])
  const urls = await lines(child, ports.length)
  // Telnet is a session, which lasts as long as its input.
  const files = urls.filter((url) => !url.startsWith('telnet:'))
  const env = { XDG_STATE_HOME: folder() }
  const tried = await Promise.all(files.map(async (url) => ({ url, ...(await retrieve([url], { env })) })))
  child.kill('SIGINT')
  // Mailboxes want a login.
  expect(tried.filter(({ status }) => status !== 0).map(({ url }) => url.replace(/:.*/, ''))).toEqual(['pop3', 'imap'])
}, 90_000)
