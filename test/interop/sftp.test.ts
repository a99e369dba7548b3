import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@retriever/fetchers'
import ssh2 from 'ssh2'
import { expect, test } from 'vitest'
import { entriesOf } from '../support/entries.ts'
import { errorOf, expectOctets, retrieve, suite } from './suite.ts'

for (const name of ['sshd', 'dropbear', 'proftpd-sftp'])
  suite(name, (server) => {
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
        'many',
        'name with blanks %41',
        'odd',
        'sub',
      ])
      for (const { url, kind } of entries)
        if (url !== null && kind !== 'directory') await (await client.retrieve(url)).bytes()
      expect(await errorOf(client.retrieve(url('none')))).toMatchObject({ code: 'not-found' })
    })

    test('a mirror of 300 files: one login, the files of sftp -r', async () => {
      const [mine, theirs] = [server.path('mirrored'), server.path('copied')]
      const before = logins()
      await using client = createClient({ ssh: ssh() })
      expect(await client.mirror(url('many/'), mine)).toMatchObject({ saved: 300, failed: 0, isComplete: true })
      expect(logins() - before).toBe(1)
      const batch = `get -r "${server.path('files/many')}" "${theirs}"\n`
      execFileSync('sftp', ['-q', '-P', String(server.port()), ...options(), '-b', '-', '127.0.0.1'], {
        input: batch,
        stdio: ['pipe', 'ignore', 'pipe'],
      })
      const contents = (folder: string) =>
        readdirSync(folder)
          .sort()
          .map((file) => [file, readFileSync(join(folder, file), 'utf8')])
      expect(contents(mine)).toEqual(contents(theirs))
    })

    test('names that are not UTF-8, or have a line feed, are mirrored', async () => {
      await using client = createClient({ ssh: ssh() })
      const entries = await entriesOf(await client.retrieve(url('odd/')))
      expect(entries.map(({ name }) => name).sort()).toEqual(['a\nb', 'café'])
      const contents = await Promise.all(entries.map(async ({ url }) => (await client.retrieve(url ?? '')).text()))
      expect(contents.sort()).toEqual(['Latin-1\n', 'two lines\n'])
      expect(await client.mirror(url('odd/'), server.path('odd-copy'))).toMatchObject({ saved: 2, failed: 0 })
    })

    test('a key of another kind is known: the words of a changed key, exit status 60', async () => {
      // Dropbear ends with a failed assertion if it is asked for an RSA key that it does not have.
      const { public: other } = ssh2.utils.generateKeyPairSync(name === 'sshd' ? 'ecdsa' : 'ed25519', { bits: 256 })
      const hostKeys = [`[127.0.0.1]:${server.port()} ${other}`]
      await using client = createClient({ ssh: { ...ssh(), hostKeys } })
      const error = await errorOf(client.retrieve(url('hello.txt')))
      expect(error).toMatchObject({ code: 'certificate', message: expect.stringContaining('has changed') })
    })

    test('the command: the keys of ~/.ssh', async () => {
      const home = server.path('elsewhere')
      mkdirSync(join(home, '.ssh'), { recursive: true })
      cpSync(server.path('known_hosts'), join(home, '.ssh/known_hosts'))
      cpSync(server.path('client'), join(home, '.ssh/id_ed25519'))
      const { HOME, SSH_AUTH_SOCK } = process.env
      Object.assign(process.env, { HOME: home, SSH_AUTH_SOCK: '' })
      try {
        const { status, stdout } = await retrieve(url('hello.txt'))
        expect([status, stdout.toString()]).toEqual([0, 'Hello.\n'])
      } finally {
        Object.assign(process.env, { HOME, SSH_AUTH_SOCK: SSH_AUTH_SOCK ?? '' })
      }
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

    function logins(): number {
      return (
        readFileSync(server.path(`${name}.log`), 'utf8').match(
          /(?:Accepted publickey|auth succeeded|sending userauth success)/g,
        )?.length ?? 0
      )
    }

    function options(): string[] {
      const known = `UserKnownHostsFile=${server.path('known_hosts')}`
      return ['-i', server.path('client'), '-o', known, '-o', 'StrictHostKeyChecking=yes', '-o', 'BatchMode=yes']
    }
  })
