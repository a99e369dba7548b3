import type { Payloads } from './payloads.ts'
import { type Facts, newId, type Ready, recordOf, responseType } from './records.ts'
import { Spool } from './spool.ts'

const profiles = 'http://netpreserve.org/warc/1.1/revisit/'

/**
 * Makes a record that refers to an earlier one with the same payload. Returns null if the archive has no such record,
 * and remembers this one.
 */
export function revisitOf(facts: Facts, block: Spool, payloads: Payloads, folder: string): Ready | null {
  const { id = newId(), uri = '', date, more = {} } = facts
  if (block.size === 0) return null
  const { payload } = block.digests()
  // A revisit of HTTP has a head of its own, that of another protocol has none: neither refers to the other kind.
  const key = `${facts.contentType === responseType ? 'http ' : ''}${payload}`
  const original = payloads.find(key)
  if (original === null) {
    payloads.keep(key, { id, uri, date })
    return null
  }
  const head = new Spool(folder, block.head)
  block.close()
  const fields = {
    ...more,
    'WARC-Profile': `${profiles}identical-payload-digest`,
    'WARC-Refers-To': original.id,
    'WARC-Refers-To-Target-URI': original.uri,
    'WARC-Refers-To-Date': original.date,
    'WARC-Payload-Digest': payload,
  }
  return recordOf('revisit', { ...facts, more: fields }, head)
}

/** Makes the record of an answer 304: the caller's copy is the payload. */
export function notModified(facts: Facts, block: Spool): Ready {
  return recordOf(
    'revisit',
    { ...facts, more: { ...facts.more, 'WARC-Profile': `${profiles}server-not-modified` } },
    block,
  )
}
