import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createClient, type Session } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { failure, retrieve, suite } from './suite.ts'

const bin = fileURLToPath(new URL('../../packages/cli/dist/bin.js', import.meta.url))
const hasTelnet = spawnSync('telnet', ['--version'], { stdio: 'ignore' }).error === undefined

/** Runs a program; `lines` are typed one by one, each once the prompt of the service has come. */
async function dialogue(program: string, args: readonly string[], lines: readonly string[]): Promise<string> {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const rest = [...lines]
  let said = ''
  let prompts = 0
  child.stdout.setEncoding('latin1').on('data', (text: string) => {
    said += text
    for (const seen = said.split('command> ').length - 1; prompts < seen; prompts++) {
      const line = rest.shift()
      if (line !== undefined) child.stdin.write(`${line}\n`)
    }
  })
  await new Promise((resolve) => child.once('close', resolve))
  return said
}

/** Reads until the text comes, or the session ends. */
async function until(session: Session, wanted: string): Promise<string> {
  let said = ''
  while (!said.includes(wanted) && !session.readableEnded) {
    const chunk: Buffer | null = session.read()
    if (chunk === null) await Promise.race(['readable', 'end'].map((name) => once(session, name)))
    else said += chunk.toString('latin1')
  }
  return said
}

suite('telnetd', (server) => {
  test('a service is no data: ls names the program', async () => {
    expect(await failure(1, 'ls', server.url('telnet', '/'))).toContain(`telnet -- 127.0.0.1 ${server.port()}`)
  })

  test('explain names the same place', async () => {
    const { status, stdout } = await retrieve('explain', '--json', server.url('telnet', '/'))
    expect(status).toBe(0)
    expect(JSON.parse(stdout.toString())).toMatchObject({
      mechanism: 'telnet',
      plan: { mechanism: 'telnet', host: '127.0.0.1', port: server.port() },
    })
  })

  test.runIf(hasTelnet)('a dialogue is the same as by the telnet program', async () => {
    const lines = ['hello', 'date', 'bytes', 'quit']
    const ours = await dialogue(process.execPath, [bin, server.url('telnet', '/')], lines)
    expect(ours).toContain('Welcome to a test service.\ncommand> Hello to you.\ncommand> Sat Feb  3')
    expect(ours).toContain('high \xff \xfe bytes, caf\xc3\xa9\n')
    const theirs = await dialogue('telnet', ['127.0.0.1', String(server.port())], lines)
    const [, text = ''] = theirs.split("Escape character is '^]'.\n")
    // It lets the service show what is typed, and passes on NULs, which are no text (RFC 854).
    const answers = (said: string): string[] =>
      said
        .replace(/[\r\0]|command> /g, '')
        .split('\n')
        .filter((line) => !lines.includes(line))
    expect(answers(text)).toEqual(answers(ours))
  })

  test('the end of the input loses no answer', async () => {
    const child = spawn(process.execPath, [bin, server.url('telnet', '/')], { stdio: ['pipe', 'pipe', 'inherit'] })
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
    child.stdin.end('hello\ndate\n')
    await new Promise((resolve) => child.once('close', resolve))
    expect(said).toBe(
      'Welcome to a test service.\ncommand> Hello to you.\ncommand> Sat Feb  3 04:05:06 UTC 2001\ncommand> ',
    )
  })

  test('a service that speaks no Telnet', async () => {
    const { status, stdout } = await retrieve(server.url('telnet', '/', { offset: 1 }))
    expect({ status, stdout: stdout.toString() }).toEqual({ status: 0, stdout: 'A plain banner.\nSecond line.\n' })
  })

  test('the library: echo, the size and the type of the terminal', async () => {
    await using client = createClient()
    const told = { echo: true, columns: 100, rows: 30, terminalType: 'vt220' }
    const session = await client.connect(server.url('telnet', '/'), told)
    await until(session, 'command> ')
    expect(session.echoes).toBe(true)
    session.write('env\n')
    expect(await until(session, 'command> ')).toBe('env\r\nTERM=vt220\r\n30 100\r\ncommand> ')
    session.resize(90, 20)
    session.write('env\n')
    expect(await until(session, 'command> ')).toContain('20 90\r\n')
    session.write('hello\n')
    expect(await until(session, 'command> ')).toBe('hello\r\nHello to you.\r\ncommand> ')
    session.destroy()
  })

  test('the library: octets without conversion', async () => {
    await using client = createClient()
    const session = await client.connect(server.url('telnet', '/'), { binary: true })
    await until(session, 'command> ')
    expect(session.binary).toBe(true)
    session.write('bytes\n')
    expect(await until(session, 'command> ')).toContain('high \xff \xfe bytes')
    session.destroy()
  })
})
