/** Web archives as others read them: warcio, whose digests are compared with ours, and the package `warc`. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createReadStream, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createGunzip } from 'node:zlib'
import warc from 'warc'
import { WARCParser, type WARCRecord, WARCSerializer } from 'warcio'

export interface ArchivedRecord {
  readonly type: string
  readonly uri: string | null
  /** The fields of the record by name. */
  readonly fields: Readonly<Record<string, string>>
  /** One octet a character, as are the others. */
  readonly block: string
  /** What follows the head of HTTP; for other records, the block. */
  readonly payload: string
}

/** The paths of the archives in a folder, in the order in which they were made. */
export function archivesIn(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.warc.gz'))
  return names.sort().map((name) => join(folder, name))
}

/** Reads an archive by both. Throws if they differ, or if a digest is wrong. */
export async function readArchive(file: string): Promise<ArchivedRecord[]> {
  const records: ArchivedRecord[] = []
  for await (const whole of new WARCParser(createReadStream(file), { parseHttp: false, keepHeadersCase: true })) {
    const block = Buffer.from(await whole.readFully())
    const fields = Object.fromEntries(whole.warcHeaders.headers)
    await checkBlock(whole, block)
    const type = whole.warcType
    const isHttp = whole.warcContentType?.startsWith('application/http') === true
    const payload = isHttp ? block.subarray(block.indexOf('\r\n\r\n') + 4) : block
    if (type !== 'revisit' && type !== 'warcinfo') {
      const digest = createHash('sha256').update(payload).digest('hex')
      assert.equal(fields['WARC-Payload-Digest'], `sha256:${digest}`)
    }
    records.push({
      ...{ type, fields, uri: whole.warcTargetURI ?? null },
      ...{ block: block.toString('latin1'), payload: payload.toString('latin1') },
    })
  }
  const others = await readByOther(file)
  assert.deepEqual(
    records.map(({ fields, block }) => ({ fields, block })),
    others,
  )
  return records
}

/** Lets warcio compute the digest of the block anew. It computes none for a warcinfo record. */
async function checkBlock(record: WARCRecord, block: Buffer): Promise<void> {
  const said = record.warcBlockDigest
  if (record.warcType === 'warcinfo') return
  record._reader = [block]
  await new WARCSerializer(record).digestRecord({ recompute: true })
  assert.equal(record.warcBlockDigest, said)
}

async function readByOther(file: string): Promise<readonly Pick<ArchivedRecord, 'fields' | 'block'>[]> {
  const read: Pick<ArchivedRecord, 'fields' | 'block'>[] = []
  for await (const { protocol, headers, content } of createReadStream(file).pipe(createGunzip()).pipe(warc())) {
    assert.equal(protocol, 'WARC/1.1')
    read.push({ fields: headers, block: content.toString('latin1') })
  }
  return read
}
