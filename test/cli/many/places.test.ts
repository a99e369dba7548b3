/** Where the files of a list go: --layout, folders that a list names, and --shard. */
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startFtpServer, startImapServer } from '@retriever/servers'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listServer } from '../../support/cli/list-server.ts'
import { retrieve, temporaryFolder } from '../../support/cli/run.ts'

const outer = temporaryFolder()
let asked: string[] = []
const server = listServer(({ url = '', headers: { host = '' } }, response) => {
  asked.push(`${host.replace(/:\d+$/, '')}${url}`)
  const type = /type=([a-z]+)-([a-z+]+)/.exec(url)?.slice(1).join('/')
  response
    .writeHead(url.includes('gone') ? 404 : 200, type === undefined ? {} : { 'content-type': type })
    .end(`${url}\n`)
})
let base = ''
let port = ''
beforeAll(() => {
  base = server()
  port = new URL(base).port
})
beforeEach(() => {
  asked = []
})

/** Retrieves a list into the folder `out`; `@` in the list is the server. */
async function run(list: string, ...more: string[]) {
  const cwd = mkdtempSync(join(outer(), 'places-'))
  writeFileSync(join(cwd, 'list'), list.replaceAll('@', base))
  const outcome = await retrieve(['--from', 'list', '--output-dir', 'out', '--create-dirs', '-j', '1', ...more], {
    cwd,
  })
  return { ...outcome, cwd, files: filesIn(join(cwd, 'out')) }
}

function filesIn(folder: string): Record<string, string> {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = found.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1)).toSorted()
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
}

describe('--layout host/path', () => {
  test('makes a folder for each host and each part of the path', async () => {
    const { status, files } = await run('@/a.txt\n@/pub/b.txt?x=1\n@/\n@/pub/\n', '--layout', 'host/path')
    const host = `127.0.0.1_${port}`
    expect({ status, files }).toEqual({
      status: 0,
      files: {
        [`${host}/a.txt`]: '/a.txt\n',
        [`${host}/index.html`]: '/\n',
        [`${host}/pub/b.txt`]: '/pub/b.txt?x=1\n',
        [`${host}/pub/index.html`]: '/pub/\n',
      },
    })
  })

  test('a URL that ends in / has the suffix of what comes, and the journal and --skip-existing know the file', async () => {
    const list =
      '@/a/?type=application-json\n@/b/?type=text-plain\n@/c/?type=text-html\n@/d/?type=image-svg+xml\n@/e/?type=x-y\n'
    const more = ['--layout', 'host/path']
    const { status, stderr, cwd, files } = await run(list, ...more, '--journal', 'journal')
    const host = `127.0.0.1_${port}`
    const places = ['a/index.json', 'b/index.txt', 'c/index.html', 'd/index.svg', 'e/index.html']
    expect({ status, files: Object.keys(files) }).toEqual({
      status: 0,
      files: places.map((place) => `${host}/${place}`),
    })
    expect(stderr).not.toContain('is taken')
    expect(readFileSync(join(cwd, 'journal'), 'utf8')).toContain(`"file":"out/${host}/a/index.json","size":`)
    const again = ['--from', 'list', '--output-dir', 'out', '--create-dirs', '-j', '1', ...more]
    asked = []
    expect(await retrieve([...again, '--journal', 'journal'], { cwd })).toMatchObject({ status: 0 })
    expect(await retrieve([...again, '--skip-existing'], { cwd })).toMatchObject({ status: 0 })
    expect(asked).toEqual([])
    // The journal of a killed command: all files are looked at again.
    const lines = readFileSync(join(cwd, 'journal'), 'utf8')
      .split('\n')
      .filter((line) => !line.includes('"ended"'))
    writeFileSync(join(cwd, 'journal'), lines.join('\n'))
    expect(await retrieve([...again, '--journal', 'journal'], { cwd })).toMatchObject({ status: 0 })
    expect(asked).toEqual([])
    expect(Object.keys(filesIn(join(cwd, 'out')))).toEqual(Object.keys(files))
  })

  test('two indexes of one folder are two files', async () => {
    const list = '@/?type=text-plain\n@/?type=text-plain&2\n@/index.html?3\n'
    const { files, stderr } = await run(list, '--layout', 'host/path')
    const host = `127.0.0.1_${port}`
    expect(Object.values(files)).toHaveLength(3)
    expect(Object.keys(files)).toContain(`${host}/index.txt`)
    expect(stderr).toContain(`saved as out/${host}/index.txt.1, since out/${host}/index.txt is taken`)
  })

  test('keeps the parameters of folders, and the numbers of mails', async () => {
    const { status, files } = await run('@/a;v=1/b.txt\n@/a;v=2/b.txt\n@/c;d/\n', '--layout', 'host/path')
    const host = `127.0.0.1_${port}`
    expect({ status, files: Object.keys(files) }).toEqual({
      status: 0,
      files: [`${host}/a;v=1/b.txt`, `${host}/a;v=2/b.txt`, `${host}/c;d/index.html`],
    })
  })

  test('has a name for each mail, and none for the type of FTP', async () => {
    await using ftp = await startFtpServer()
    await using imap = await startImapServer()
    const list = `${ftp.url}pub/;type=d\n${ftp.url}pub/hello.txt;type=i\n${imap.url}INBOX/;UID=11\n${imap.url}INBOX/;UID=11/;SECTION=TEXT\n`
    const { status, files } = await run(list, '--layout', 'host/path', '-u', 'alice:secret')
    const [ftpPlace, imapPlace] = [`127.0.0.1_${ftp.port}`, `127.0.0.1_${imap.port}`]
    const names = [`${ftpPlace}/pub/hello.txt`, `${ftpPlace}/pub/index.txt`]
    const mails = [`${imapPlace}/INBOX/;UID=11`, `${imapPlace}/INBOX/;UID=11.1/;SECTION=TEXT`]
    expect({ status, files: Object.keys(files) }).toEqual({ status: 0, files: [...names, ...mails].toSorted() })
  })

  test('never leads out, and has no names that a system takes for a device', async () => {
    const { status, files } = await run(
      '@/..%2f..%2fx/a\n@/%2e%2e/%2e%2e/b\n@/CON/c\n@/.git/d\n',
      '--layout',
      'host/path',
    )
    expect(status).toBe(0)
    const host = `127.0.0.1_${port}`
    expect(Object.keys(files)).toEqual([`${host}/CON_/c`, `${host}/_.%2F..%2Fx/a`, `${host}/_git/d`, `${host}/b`])
  })

  test('a file and a folder of one name both have a place, and the list says so', async () => {
    const { status, stderr, files } = await run('@/a\n@/a/b\n@/c/d\n@/c\n', '--layout', 'host/path')
    const host = `127.0.0.1_${port}`
    expect({ status, files: Object.keys(files) }).toEqual({
      status: 0,
      files: [`${host}/a`, `${host}/a.1/b`, `${host}/c.1`, `${host}/c/d`],
    })
    expect(stderr).toContain(`saved as out/${host}/a.1/b, since out/${host}/a/b is taken`)
  })

  test('the list of --failed and the journal keep the places', async () => {
    const { cwd } = await run('@/x/gone\n@/x/b\n', '--layout', 'host/path', '--failed', 'again', '--journal', 'journal')
    expect(readFileSync(join(cwd, 'again'), 'utf8')).toMatch(new RegExp(`^# .*\n${base}/x/gone\n$`))
    const file = `out/127.0.0.1_${port}/x/b`
    expect(readFileSync(join(cwd, 'journal'), 'utf8')).toContain(`"file":"${file}","size":5`)
  })
})

test('--layout hash names files after the normal form of the URL', async () => {
  const { files } = await run('@/a/%62.TXT\n@/c\n', '--layout', 'hash')
  const place = (url: string, extension: string): string => {
    const sum = createHash('sha256')
      .update(base + url)
      .digest('hex')
    return `${sum.slice(0, 2)}/${sum.slice(2, 32)}${extension}`
  }
  expect(files).toEqual({ [place('/a/b.TXT', '.txt')]: '/a/%62.TXT\n', [place('/c', '')]: '/c\n' })
})

test('a list names folders, which lead nowhere else', async () => {
  const { status, stderr, files } = await run(
    '@/1\ta/b.txt\n@/2\ta/c/../../../x\n@/3\t/tmp/x\n@/4\ta//y\n@/5\ta/b.txt\n',
  )
  expect({ status, files }).toEqual({ status: 2, files: { 'a/b.txt': '/1\n', 'a/b.txt.1': '/5\n' } })
  expect(stderr).toContain('"a/c/../../../x", which is no plain file name')
})

test('names that differ only in case are told', async () => {
  const { stderr, files } = await run('@/a\n@/1/A\n@/b\n')
  expect(Object.keys(files)).toEqual(['A', 'a', 'b'])
  expect(stderr.match(/but for its case/g)).toHaveLength(1)
  expect(stderr).toContain('retrieve: out/A: another file of the list has this name but for its case')
})

describe('--shard', () => {
  const hosts = Array.from({ length: 20 }, (_, n) => `127.0.0.${n + 1}`)
  const list = (): string => hosts.map((host) => `http://${host}:${port}/a\nhttp://${host}:${port}/b\n`).join('')
  const resolves = hosts.flatMap((host) => ['--connect-to', `${host}:PORT:127.0.0.1:PORT`])
  const to = (): string[] => resolves.map((each) => each.replaceAll('PORT', port))
  const shareOf = (host: string): number => (createHash('sha256').update(host).digest().readUIntBE(0, 6) % 3) + 1

  test('gives each host to one share', async () => {
    for (const share of [1, 2, 3]) {
      asked = []
      const { status, stderr } = await run(list(), '--layout', 'host/path', '--shard', `${share}/3`, ...to())
      const own = hosts.filter((host) => shareOf(host) === share).flatMap((host) => [`${host}/a`, `${host}/b`])
      expect({ status, asked: asked.toSorted() }).toEqual({ status: 0, asked: own.toSorted() })
      expect(stderr).toContain(`retrieve: ${own.length} of ${own.length};`)
    }
  })

  test.each([
    [['--shard', '1/2', '-O', 'data:,x'], '--shard takes a share of a list: give --from FILE.'],
    [['--shard', '3/2', '--from', 'x'], '--shard needs N/M, such as 3/16, with N from 1 to M; not "3/2".'],
    [['--layout', 'tree', '-O', 'data:,x'], '--layout needs one of flat, host/path, hash; not "tree".'],
    [
      ['--layout', 'hash', '--from', 'x'],
      '--layout is for files named after their URLs: give -O, or --output-dir with',
    ],
    [['--layout', 'hash', '--output-dir', 'out', 'data:,x'], 'give -O, or --output-dir with --from.'],
    [['--layout', 'hash', '-OJ', 'data:,x'], '-J lets the server name the file: leave it or --layout out.'],
  ])('%j is refused', async (typed, message) => {
    const { status, stderr } = await retrieve(typed, { cwd: outer() })
    expect(status).toBe(2)
    expect(stderr).toContain(message)
  })
})
