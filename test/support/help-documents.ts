import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Makes these files, by their paths, the only data of applications: `help/C/gnumeric/index.page`. */
export async function helpDocuments(
  files: Readonly<Record<string, string>>,
): Promise<AsyncDisposable & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'retriever-help-'))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  const { XDG_DATA_HOME, XDG_DATA_DIRS, LANGUAGE } = process.env
  Object.assign(process.env, { XDG_DATA_HOME: join(folder, 'own'), XDG_DATA_DIRS: folder, LANGUAGE: '' })
  return {
    folder,
    async [Symbol.asyncDispose]() {
      for (const [name, value] of Object.entries({ XDG_DATA_HOME, XDG_DATA_DIRS, LANGUAGE })) {
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
      }
      await rm(folder, { recursive: true })
    },
  }
}
