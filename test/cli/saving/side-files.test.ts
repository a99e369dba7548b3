/** The files beside the bodies: -D, --trace, --stderr, -c, %output{}, --failed and --etag-save. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  lchownSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { utf8Octets } from '@retriever/core/internal'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ScriptedHttp, scriptedHttp } from '../../protocols/http/support/scripted-http.ts'
import { hasTerminal, onPty } from '../../support/cli/pty.ts'
import { bin, cleanEnv, retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
let http: ScriptedHttp

beforeAll(async () => {
  const fields = 'Set-Cookie: a=s3cr3t\r\nETag: "x"\r\nContent-Length: 4\r\n'
  http = await scriptedHttp(() => `HTTP/1.1 200 Fine\r\n${fields}\r\nbody`)
})
afterAll(() => http[Symbol.asyncDispose]())

/** The options, and the words that each file has. */
const options = {
  '-D FILE': 'Set-Cookie: a=s3cr3t',
  '--trace FILE': '<= Recv header',
  '--trace-ascii FILE': '<= Recv header',
  '-v --stderr FILE': '< HTTP/1.1 200 Fine',
  '-w %output{FILE}code=%{http_code}': 'code=200',
  '-w %output{>>FILE}code=%{http_code}': 'code=200',
  '-c FILE': 's3cr3t',
  '--etag-save FILE': '"x"',
  '--failed FILE': '',
} as const
const lines = Object.keys(options) as (keyof typeof options)[]

const run = (line: string, file: string, cwd: string = folder()) =>
  retrieve([...line.split(' ').map((word) => word.replace('FILE', file)), '-o', 'body', `${http.url}x`], { cwd })

/** A folder of this test's own. */
function madeFolder(mode: number): string {
  const path = join(folder(), `folder-${made++}`)
  mkdirSync(path)
  chmodSync(path, mode)
  return path
}
let made = 0

describe.skipIf(process.getuid?.() !== 0)(
  'in a folder where others write (needs root, to make files of others)',
  () => {
    const other = 65_534
    const plants: Readonly<Record<string, (path: string, victim: string) => void>> = {
      'a link': (path, victim) => {
        symlinkSync(victim, path)
        lchownSync(path, other, other)
      },
      'a link to a link': (path, victim) => {
        symlinkSync(victim, `${path}-2`)
        lchownSync(`${path}-2`, other, other)
        symlinkSync(`${path}-2`, path)
      },
      'a hard link': (path, victim) => linkSync(victim, path),
      'a FIFO': (path) => {
        execFileSync('mkfifo', [path])
        chownSync(path, other, other)
      },
      'a file': (path) => {
        writeFileSync(path, 'theirs', { mode: 0o666 })
        chownSync(path, other, other)
      },
    }
    test.each(lines.flatMap((line) => Object.keys(plants).map((plant) => [line, plant] as const)))(
      '%s uses no %s of another user',
      async (line, plant) => {
        // Where the group may write, other users can make names as well.
        const cwd = madeFolder(plant === 'a hard link' ? 0o775 : 0o777)
        const victim = join(madeFolder(0o700), 'victim')
        writeFileSync(victim, 'mine')
        const place = join(cwd, 'place')
        plants[plant]?.(place, victim)
        const { status, stderr } = await run(line, place, cwd)
        // As in curl, cookies that are not kept are no failure.
        expect(status).toBe(line.startsWith('-c') ? 0 : 23)
        expect(stderr).toMatch(/another user has put .* there|it is a file of several names|it is no regular file/)
        expect(readFileSync(victim, 'utf8')).toBe('mine')
        if (plant === 'a file') expect(readFileSync(place, 'utf8')).toBe('theirs')
      },
    )

    test.each(lines)('%s writes the file of the owner of a folder', async (line) => {
      const cwd = madeFolder(0o755)
      chownSync(cwd, other, other)
      writeFileSync(join(cwd, 'place'), '')
      chownSync(join(cwd, 'place'), other, other)
      expect(await run(line, 'place', cwd)).toMatchObject({ status: 0 })
      expect(readFileSync(join(cwd, 'place'), 'utf8')).toContain(options[line])
    })
  },
)

test.each(lines)('case 59, %s makes a file for its owner alone; an old one keeps its mode', async (line) => {
  const cwd = madeFolder(0o755)
  expect(await run(line, 'new', cwd)).toMatchObject({ status: 0 })
  const mode = (name: string): number => statSync(join(cwd, name)).mode & 0o777
  // An entity tag is no secret.
  expect(mode('new')).toBe(line.startsWith('--etag') ? 0o666 & ~process.umask() : 0o600)
  if (line.startsWith('--failed')) return
  writeFileSync(join(cwd, 'old'), '')
  chmodSync(join(cwd, 'old'), 0o640)
  expect(await run(line, 'old', cwd)).toMatchObject({ status: 0 })
  expect(mode('old')).toBe(0o640)
  expect(readFileSync(join(cwd, 'old'), 'utf8')).toContain(options[line])
})

test.each(lines)("%s follows a user's own links", async (line) => {
  for (const mode of [0o755, 0o777]) {
    const cwd = madeFolder(mode)
    mkdirSync(join(cwd, 'elsewhere'))
    symlinkSync('elsewhere/next', join(cwd, 'link'))
    symlinkSync('../elsewhere/last', join(cwd, 'elsewhere/next'))
    expect(await run(line, 'link', cwd)).toMatchObject({ status: 0 })
    expect(readFileSync(join(cwd, 'elsewhere/last'), 'utf8')).toContain(options[line])
  }
})

const inPlace = lines.filter((line) => !/^--(?:etag|failed)/.test(line))

test.skipIf(!existsSync('/dev/fd'))('an open descriptor gets its text behind what is there', async () => {
  for (const line of inPlace) {
    const file = join(madeFolder(0o755), 'log')
    writeFileSync(file, 'before\n')
    const descriptor = openSync(file, 'a')
    expect(await run(line, `/dev/fd/${descriptor}`)).toMatchObject({ status: 0 })
    closeSync(descriptor)
    expect(readFileSync(file, 'utf8')).toMatch(/^before\n[\s\S]*\S/)
  }
})

test.skipIf(!existsSync('/dev/null'))('/dev/null takes all', async () => {
  for (const line of inPlace) expect(await run(line, '/dev/null')).toMatchObject({ status: 0 })
})

test('a FIFO that nobody reads is told, and not waited for', async () => {
  const place = join(folder(), 'fifo')
  execFileSync('mkfifo', [place])
  for (const line of inPlace) {
    const { status, stderr } = await run(line, place)
    expect(status).toBe(line.startsWith('-c') ? 0 : 23)
    expect(stderr).toContain(`${place} cannot be written: no program reads this FIFO; start its reader first.`)
  }
})

describe.skipIf(!existsSync('/dev/full'))('on a full disk', () => {
  test.each(inPlace.filter((line) => !line.startsWith('-c')))('%s ends with 23', async (line) => {
    const { status, stderr } = await run(line, '/dev/full')
    expect(stderr).toContain('/dev/full cannot be written: no space is left on the device.')
    expect(status).toBe(23)
  })

  test.each([
    ['--trace -', 'stdout'],
    ['--trace-ascii -', 'stdout'],
    ['-D -', 'stdout'],
    ['-c -', 'stdout'],
    ['-v --stderr -', 'stdout'],
    ['-v', 'stderr'],
    ['--trace %', 'stderr'],
    ['-D %', 'stderr'],
  ])('%s to %s ends with 23, and the body is whole', async (line, stream) => {
    const cwd = madeFolder(0o755)
    const full = openSync('/dev/full', 'w')
    const outputs = [stream === 'stdout' ? full : 'ignore', stream === 'stderr' ? full : 'ignore'] as const
    const args = [bin, ...line.split(' '), '-o', 'body', `${http.url}x`]
    const child = spawn(process.execPath, args, { cwd, env: cleanEnv, stdio: ['ignore', ...outputs] })
    const [status] = await once(child, 'close')
    closeSync(full)
    expect(status).toBe(23)
    if (line !== '-D -') expect(readFileSync(join(cwd, 'body'), 'utf8')).toBe('body')
  })
})

test.skipIf(process.platform === 'win32').each(['-c kept', '--etag-save kept'])(
  '%s leaves nothing if its new file may not grow',
  async (line) => {
    const cwd = madeFolder(0o700)
    const script = `trap '' XFSZ; ulimit -f 0; exec "$@"`
    const args = ['-c', script, 'sh', process.execPath, bin, ...line.split(' '), '-o', '/dev/null', `${http.url}x`]
    const child = spawn('sh', args, { cwd, env: cleanEnv, stdio: ['ignore', 'ignore', 'pipe'] })
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    await once(child, 'close')
    expect(stderr).toContain('the file may not grow further')
    expect(readdirSync(cwd)).toEqual([])
  },
)

test.each(['--trace -', '-D -'])(
  '%s ends with 23 if its reader has gone, and the body goes elsewhere',
  async (line) => {
    const args = [bin, ...line.split(' '), '-o', '/dev/null', `${http.url}x`]
    const child = spawn(process.execPath, args, { cwd: folder(), env: cleanEnv, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.destroy()
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    const [status] = await once(child, 'close')
    expect({ status, stderr }).toMatchObject({
      status: 23,
      stderr: expect.stringContaining('Standard output cannot be written: its reader has gone.'),
    })
  },
)

test
  .runIf(hasTerminal)
  .each(['-D /dev/stderr', '-D /dev/tty', '-c /dev/stdout', '-c /dev/tty', '-w "%output{/dev/tty}%header{x-v}"'])(
  '%s that is a terminal shows no control character of a server',
  async (line) => {
    const value = utf8Octets('\u009bm\u202ey')
    await using hostile = await scriptedHttp(
      () => `HTTP/1.1 200 Fine\r\nSet-Cookie: a=${value}; Path=/\r\nX-V: ${value}\r\nContent-Length: 0\r\n\r\n`,
    )
    const { screen } = await onPty(folder(), `${line} ${hostile.url}x`)
    expect(screen).toContain(String.raw`\x9bm\u202ey`)
    expect(screen).not.toMatch(/[\u0080-\u009f\u202e]/)
  },
)
