import { join } from 'node:path'
import type { Fetcher } from '@retriever/fetchers'
import type { CertificateStore, KnownCertificate } from '@retriever/fetchers/gemini'
import { appendToStateFile, readStateFile } from '../../state-file.ts'
import { whenUsed } from './when-used.ts'

/** The fetcher of Gemini, which keeps certificates in a file of the state folder. It is loaded when it is used. */
export function trustingGemini(folder: string | null): Fetcher {
  return whenUsed('gemini', () => load(folder))
}

async function load(folder: string | null): Promise<Fetcher<'gemini'>> {
  const { geminiFetcher } = await import('@retriever/fetchers/gemini')
  return geminiFetcher(folder === null ? {} : { certificates: fileStore(folder) })
}

/**
 * The certificates in the file gemini-certificates. A line has a place, the SHA-256 of its certificate, and the date on
 * which that expires, or `-`. The last line of a place applies: lines are only appended, so that processes do not lose
 * each other's. To trust a new certificate, a person deletes the lines of its place.
 */
function fileStore(folder: string): CertificateStore {
  const path = join(folder, 'gemini-certificates')
  const since = new Map<string, KnownCertificate>()
  return {
    recall: (place) => since.get(place) ?? readAll(path).get(place),
    keep(place, certificate) {
      since.set(place, certificate)
      const { fingerprint, expires } = certificate
      try {
        // An editor may have left the last line without a line end.
        const isEnded = /(?:^|\n)$/.test(readStateFile(path) ?? '')
        appendToStateFile(path, `${isEnded ? '' : '\n'}${place} ${fingerprint} ${expires?.toISOString() ?? '-'}\n`)
        return true
      } catch {
        // If the file cannot be written, this command alone trusts the certificate.
        return false
      }
    },
  }
}

function readAll(path: string): Map<string, KnownCertificate> {
  const lines = (readStateFile(path) ?? '').split('\n')
  return new Map(
    lines.flatMap((line) => {
      const [place = '', fingerprint = '', date = ''] = line.trim().split(/\s+/)
      if (!/^[0-9a-f]{64}$/i.test(fingerprint)) return []
      const expires = new Date(date)
      const known = {
        fingerprint: fingerprint.toLowerCase(),
        expires: Number.isNaN(expires.getTime()) ? null : expires,
      }
      return [[place, known] as const]
    }),
  )
}
