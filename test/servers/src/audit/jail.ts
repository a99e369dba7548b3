import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { testCa } from '../certificate.ts'

/** One file that a client left behind. */
export interface LeftFile {
  /** The path from the client's folder, such as `out` or `../evil`. */
  readonly path: string
  readonly isLink: boolean
}

/** The folders of one run. The client's own lies so deep that six steps up from it end within. */
export interface Jail {
  readonly root: string
  /** The client's current folder, empty at first. */
  readonly folder: string
  readonly home: string
  /** The certificate of the test servers' authority, as a PEM file. */
  readonly ca: string
  /** A file that no server may make the client read or change. */
  readonly outside: string
  /** All files but those of the jail itself. */
  files(): Promise<LeftFile[]>
  content(path: string): Promise<Buffer>
  /** The octets of all files. */
  size(): Promise<number>
  isOutsideKept(): Promise<boolean>
  remove(): Promise<void>
}

/** Makes a jail. `canary` is the text of the file outside the client's folder. */
export async function makeJail(canary: string): Promise<Jail> {
  const root = await mkdtemp(join(tmpdir(), 'retriever-audit-'))
  const folder = join(root, 'a/b/c/d/e/f/work')
  const home = join(root, 'home')
  const outside = join(root, 'outside.txt')
  const ca = join(root, 'ca.pem')
  await Promise.all([mkdir(folder, { recursive: true }), mkdir(home), mkdir(join(root, 'tmp'))])
  await Promise.all([writeFile(outside, canary), writeFile(ca, testCa)])
  const all = (): Promise<LeftFile[]> => filesBelow(root, folder)
  return {
    root,
    folder,
    home,
    ca,
    outside,
    async files() {
      const own = [outside, ca].map((path) => relative(folder, path))
      return (await all()).filter(({ path }) => !own.includes(path))
    },
    content: (path) => readFile(join(folder, path)),
    async size() {
      const sizes = (await all()).map(({ path }) =>
        stat(join(folder, path))
          .then(({ size }) => size)
          .catch(() => 0),
      )
      return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
    },
    isOutsideKept: async () => (await readFile(outside, 'utf8').catch(() => '')) === canary,
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 3 }),
  }
}

async function filesBelow(root: string, folder: string): Promise<LeftFile[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => ({
      path: relative(folder, join(entry.parentPath ?? dirname(entry.path), entry.name)),
      isLink: entry.isSymbolicLink(),
    }))
}
