import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { testFetcher } from '../../support/contract/fetcher.ts'
import { everyOctet } from '../../support/contract/octets.ts'
import type { Place } from '../../support/contract/subject.ts'

async function start(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'retriever-'))
  await writeFile(join(folder, 'a.bin'), everyOctet)
  await writeFile(join(folder, 'name with %, ? and #.txt'), 'x')
  await mkdir(join(folder, 'sub'))
  const url = pathToFileURL(folder).href
  return {
    object: `${url}/a.bin`,
    missing: `${url}/nope`,
    listing: `${url}/`,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}

testFetcher({
  mechanism: 'file',
  bytes: everyOctet,
  entries: ['a.bin', 'name with %, ? and #.txt', 'sub'],
  start,
})

test.each(['file://other.example/etc/motd', 'file://127.0.0.1/etc/motd'])(
  '%s is on another machine: nothing is read',
  async (url) => {
    await using client = createClient()
    await expect(client.retrieve(url)).rejects.toMatchObject({ code: 'refused', phase: 'policy' })
  },
)

test.each(['/dev/zero', '/dev/null'])('%s is no data', async (path) => {
  await using client = createClient()
  await expect(client.retrieve(`file://${path}`)).rejects.toMatchObject({ code: 'file-failed' })
})
