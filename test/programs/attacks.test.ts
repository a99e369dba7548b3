import { existsSync } from 'node:fs'
import { createClient } from '@retriever/fetchers'
import { afterEach, describe, expect, test } from 'vitest'
import { failure } from '../support/failure.ts'
import { fakePrograms } from '../support/programs-in-path.ts'

const all = { man: 'echo page', info: "echo 'File: x,  Node: Top'", apropos: "echo 'x (1) - x'" }

/** Retrieves a URL, whatever comes of it, and gives the words with which programs ran. */
async function wordsFor(url: string, allow: readonly ('option-injection' | 'encoded-delimiter')[] = []) {
  await using programs = await fakePrograms(all)
  await using client = createClient({ policy: { allow } })
  await client.retrieve(url).then(
    (found) => found.cancel(),
    () => {},
  )
  return (await programs.runs()).map(({ program, args }) => [program, ...args])
}

describe('threats.md case 7: nothing of a URL is an option, or a file', () => {
  test.each([
    'man:-Hxcalc',
    'man:-Pid',
    'man:%2DPid',
    'man:/-Pid',
    'man:ls(-k)',
    'man:/tmp/x.1',
    'man:../x',
    'man:..%2Fx',
    'man:ls;id',
    'man:$(id)',
    'man:ls%0Aid',
    'man:ls%00',
    'info:--output=x',
    'info:--output=/home/u/.bashrc',
    'info:(-o)x',
    'info:../x',
    'info:/etc/passwd',
    'info:a;id',
    'info:a%60id%60',
    'info:a%20b',
    'info:gcc#a%00b',
    'info:dir#(/tmp/x.info)Top',
    'info:dir#%28%2Ftmp%2Fa;id;.gz)',
    'info:gcc#%20_(/tmp/x.info)',
    'info:(dir)(/tmp/x.info)Top',
    'info:(dir)%09%28/tmp/x.info)Top',
    'whatis:-C/tmp/e',
    'whatis:/-C',
    'whatis:a%0Ab',
  ])('%s runs no program', async (url) => {
    expect(await wordsFor(url)).toEqual([])
  })

  test.each([
    ['man:-Pid', ['man', '--', '-Pid']],
    ['man:ls(1)', ['man', '--', '1', 'ls']],
    ['info:-o#-o', ['info', '-f-o', '-n-o', '-o-']],
    ['info:gcc#;id', ['info', '-fgcc', '-n;id', '-o-']],
    ['whatis:-C', ['apropos', '--', '-C']],
    ['whatis:%60id%60', ['apropos', '--', '`id`']],
  ])('%s is one word in its place, even where the caller allows it', async (url, words) => {
    const [first] = await wordsFor(url, ['option-injection'])
    expect(first).toEqual(words)
  })
})

describe('threats.md case 73: no variable of the caller runs a command in a program', () => {
  const hostile = {
    LESSOPEN: '|touch %s',
    LESSCLOSE: 'x',
    LESS: '-ox',
    MANOPT: '-P id',
    MANPAGER: 'id',
    PAGER: 'id',
    BROWSER: 'id',
    GROFF_COMMAND_PREFIX: 'x',
    GROFF_TMAC_PATH: '/tmp',
    MAN_KEEP_FORMATTING: '1',
    NODE_OPTIONS: '',
    LD_PRELOAD: '',
    RETRIEVER_SECRET: 'pl4nted',
    HTTPS_PROXY: 'http://u:pl4nted@127.0.0.1:1',
    LC_ALL: 'de_DE',
    INFOPATH: '/opt/info',
  }
  const before = Object.fromEntries(Object.keys(hostile).map((name) => [name, process.env[name]]))
  afterEach(() => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  })

  test.each(['man:ls', 'info:x', 'whatis:x'])('%s', async (url) => {
    await using programs = await fakePrograms(all)
    Object.assign(process.env, hostile)
    await using client = createClient()
    await (await client.retrieve(url)).cancel()
    const [run] = await programs.runs()
    const { variables } = run ?? expect.fail('no program ran')
    for (const name of Object.keys(hostile)) {
      if (!/PAGER$|INFOPATH|MANOPT/.test(name)) expect(variables).not.toHaveProperty(name)
    }
    expect(variables.MANOPT ?? '').not.toContain('-P')
    expect(JSON.stringify(variables)).not.toContain('pl4nted')
    // The language of the pages stays, and their charset becomes UTF-8.
    expect(variables).toMatchObject({ PAGER: 'cat', MANPAGER: 'cat', LESSSECURE: '1', INFOPATH: '/opt/info' })
    expect(variables).toMatchObject({ LC_MESSAGES: 'de_DE', LC_CTYPE: 'C.UTF-8', PWD: '/' })
  })
})

describe('a program that misbehaves', () => {
  /** Whether a process is alive; a zombie that nobody has reaped yet counts as dead. */
  async function isAlive(folder: string): Promise<boolean> {
    const { readFile } = await import('node:fs/promises')
    const pid = (await readFile(`${folder}/pid`, 'utf8')).trim()
    const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z')
    return !/\) [ZX]/.test(state)
  }
  /** A child of the program holds its output open. */
  const stuck = { man: 'sleep 300 &\necho $! > "$folder/pid.new"; mv "$folder/pid.new" "$folder/pid"; wait' }

  test('an abort kills it, with its children', async () => {
    await using programs = await fakePrograms(stuck)
    await using client = createClient()
    const abort = new AbortController()
    const failed = failure(client.retrieve('man:ls', { signal: abort.signal }))
    await expect.poll(() => existsSync(`${programs.folder}/pid`), { timeout: 10_000 }).toBe(true)
    expect(await isAlive(programs.folder)).toBe(true)
    abort.abort('enough')
    expect(await failed).toMatchObject({ code: 'aborted', cause: 'enough' })
    await expect.poll(() => isAlive(programs.folder), { timeout: 10_000 }).toBe(false)
  })

  test('the end of idleTimeout does so, too', async () => {
    await using programs = await fakePrograms(stuck)
    await using client = createClient({ limits: { idleTimeout: 500, maxRetries: 0 } })
    expect(await failure(client.retrieve('man:ls'))).toMatchObject({ code: 'timeout' })
    if (existsSync(`${programs.folder}/pid`)) {
      await expect.poll(() => isAlive(programs.folder), { timeout: 10_000 }).toBe(false)
    }
  })

  test('output without end ends at limits.maxCollected', async () => {
    await using _programs = await fakePrograms({ man: 'yes' })
    await using client = createClient({ limits: { maxCollected: 100_000 } })
    expect(await failure(client.retrieve('man:ls'))).toMatchObject({
      code: 'limit-exceeded',
      advice: { option: 'limits.maxCollected' },
    })
  })

  test('its complaints are bounded, and harmless to show', async () => {
    const man = "printf '\\033]52;c;x\\007no page\\n' >&2; head -c 100000 /dev/zero >&2; exit 16"
    await using _programs = await fakePrograms({ man })
    await using client = createClient()
    const error = await failure(client.retrieve('man:ls'))
    expect(error).toMatchObject({ code: 'not-found', phase: 'request' })
    expect(error.reply).toMatch(/^\\e\]52;c;x\\x07no page/)
    expect(error.reply?.length).toBeLessThan(10_000)
  })

  test('a system error of man is not a missing page', async () => {
    await using _programs = await fakePrograms({ man: 'echo "cannot fork" >&2; exit 2' })
    await using client = createClient()
    expect(await failure(client.retrieve('man:ls'))).toMatchObject({ code: 'file-failed', reply: 'cannot fork' })
  })
})

test.each([
  ['man:ls', 'man-db'],
  ['info:gcc', 'info'],
  ['whatis:copy', 'man-db'],
])('%s without its program names the package to install', async (url, packageName) => {
  const { PATH } = process.env
  process.env.PATH = '/nonexistent'
  try {
    await using client = createClient()
    const error = await failure(client.retrieve(url))
    expect(error).toMatchObject({ code: 'no-fetcher', message: expect.stringContaining(`package ${packageName}`) })
  } finally {
    process.env.PATH = PATH
  }
})
