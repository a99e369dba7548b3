import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bin, cleanEnv, retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()

test('--create-dirs makes the folders of -o and --output-dir, and takes those that are there', async () => {
  const argv = ['--create-dirs', '--output-dir', 'a', '-o', 'b/c/x', '-o', 'b/y', 'data:,x', 'data:,y']
  for (const _ of [1, 2]) {
    expect(await retrieve(argv, { cwd: folder() })).toEqual({ status: 0, stdout: '', stderr: '' })
  }
  expect(readFileSync(join(folder(), 'a/b/c/x'), 'utf8')).toBe('x')
  expect(readFileSync(join(folder(), 'a/b/y'), 'utf8')).toBe('y')
  expect(statSync(join(folder(), 'a/b/c')).mode & 0o027).toBe(0)
})

test('without it, a missing folder is an error, and none is made', async () => {
  const { status } = await retrieve(['-o', 'none/x', 'data:,x'], { cwd: folder() })
  expect(status).toBe(23)
  expect(existsSync(join(folder(), 'none'))).toBe(false)
})

test('a folder that cannot be made is an error', async () => {
  writeFileSync(join(folder(), 'file'), '')
  const { status, stderr } = await retrieve(['--create-dirs', '-o', 'file/b/x', 'data:,x'], { cwd: folder() })
  expect(status).toBe(23)
  expect(stderr).toMatch(/^retrieve: file\/b cannot be written: [^\n]+\n$/)
})

test.each([
  ['-o', 'taken/x'],
  ['-O', '--output-dir', 'taken'],
])('a file in place of the folder is named as such: %s %s', async (...argv) => {
  writeFileSync(join(folder(), 'taken'), 'kept')
  const line = ['--create-dirs', ...argv, `file://${folder()}/taken`]
  const stderr = 'retrieve: taken cannot be written: a file stands where a folder is needed.\n'
  expect(await retrieve(line, { cwd: folder() })).toEqual({ status: 23, stdout: '', stderr })
})

/** A tmpfs of a mount namespace of its own that cannot be written to; without one, unshare(1) fails. */
const onReadOnly = ['-rm', 'sh', '-c', 'mount -t tmpfs -o ro none "$0" && shift 0 && exec "$@"'] as const
const canMount = spawnSync('unshare', [...onReadOnly, '/mnt', 'true']).status === 0

test.skipIf(!canMount)('a read-only file system is named as such', () => {
  const mounted = join(folder(), 'read-only')
  mkdirSync(mounted)
  const argv = [process.execPath, bin, '--create-dirs', '-o', join(mounted, 'a/b/x'), 'data:,x']
  const { status, stderr } = spawnSync('unshare', [...onReadOnly, mounted, ...argv], {
    encoding: 'utf8',
    env: cleanEnv,
  })
  expect({ status, stderr }).toEqual({
    status: 23,
    stderr: `retrieve: ${mounted}/a/b cannot be written: the file system is read-only.\n`,
  })
})
