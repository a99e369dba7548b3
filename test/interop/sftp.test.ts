import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { createClient } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { entriesOf } from '../support/entries.ts'
import { errorOf, expectOctets, retrieve, suite } from './suite.ts'

suite('sshd', (server) => {
  const url = (path: string): string => server.url('sftp', `${server.path('files')}/${path}`)
  const ssh = () => ({
    user: userInfo().username,
    privateKey: readFileSync(server.path('client'), 'utf8'),
    hostKeys: readFileSync(server.path('known_hosts'), 'utf8').split('\n'),
  })

  test.each(['hello.txt', 'big.bin', 'empty', 'name%20with%20blanks%20%2541', 'gr%C3%BC%C3%9Fe.txt', 'link'])(
    '%s: the same octets as on disk and by sftp',
    async (path) => {
      await using client = createClient({ ssh: ssh() })
      const octets = await (await client.retrieve(url(path))).bytes()
      const name = decodeURIComponent(path)
      expectOctets(octets, readFileSync(server.path(`files/${name}`)))
      const batch = `get "${server.path(`files/${name}`)}" "${server.path('copy')}"\n`
      execFileSync('sftp', ['-q', '-P', String(server.port()), ...options(), '-b', '-', '127.0.0.1'], {
        input: batch,
        stdio: ['pipe', 'ignore', 'pipe'],
      })
      expectOctets(octets, readFileSync(server.path('copy')))
    },
  )

  test('a range, and a directory with its entries', async () => {
    await using client = createClient({ ssh: ssh() })
    const whole = readFileSync(server.path('files/big.bin'))
    const part = await client.retrieve(url('big.bin'), { range: [1_000_000, 2_000_000] })
    expectOctets(await part.bytes(), whole.subarray(1_000_000, 2_000_001))
    const entries = await entriesOf(await client.retrieve(url('')))
    expect(entries.map(({ name }) => name).sort()).toEqual([
      'big.bin',
      'empty',
      'grüße.txt',
      'hello.txt',
      'link',
      'name with blanks %41',
      'sub',
    ])
    for (const { url, kind } of entries)
      if (url !== null && kind !== 'directory') await (await client.retrieve(url)).bytes()
    expect(await errorOf(client.retrieve(url('none')))).toMatchObject({ code: 'not-found' })
  })

  test('the command: a key by --key, a host key by --hostpubsha256', async () => {
    const [, fingerprint = ''] =
      / (SHA256:\S+) /.exec(execFileSync('ssh-keygen', ['-lf', server.path('host.pub')], { encoding: 'utf8' })) ?? []
    const unknown = await retrieve('--key', server.path('client'), url('hello.txt'))
    expect(unknown.status).toBe(60)
    expect(unknown.stderr).toContain(fingerprint)
    const { status, stdout } = await retrieve(
      '--key',
      server.path('client'),
      '--hostpubsha256',
      fingerprint.slice(7),
      url('hello.txt'),
    )
    expect([status, stdout.toString()]).toEqual([0, 'Hello.\n'])
  })

  test('ssh-agent', async () => {
    const agent = execFileSync('ssh-agent', ['-s'], { encoding: 'utf8' })
    const [, socket = '', pid = ''] = /SSH_AUTH_SOCK=([^;]+);.*?SSH_AGENT_PID=(\d+)/s.exec(agent) ?? []
    try {
      execFileSync('ssh-add', ['-q', server.path('client')], { env: { ...process.env, SSH_AUTH_SOCK: socket } })
      const { privateKey: _key, ...rest } = ssh()
      await using client = createClient({ ssh: { ...rest, agent: socket } })
      expect(await (await client.retrieve(url('hello.txt'))).text()).toBe('Hello.\n')
    } finally {
      process.kill(Number(pid))
    }
  })

  function options(): string[] {
    const known = `UserKnownHostsFile=${server.path('known_hosts')}`
    return ['-i', server.path('client'), '-o', known, '-o', 'StrictHostKeyChecking=yes', '-o', 'BatchMode=yes']
  }
})
