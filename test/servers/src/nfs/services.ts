import { handleOf, types } from './nodes.ts'
import type { Service } from './session.ts'
import { type Arguments, opaque, word, words } from './xdr.ts'

/** The portmapper (RFC 1833 3). Every service that runs has this same port. */
export function answerPortmap(procedure: number, call: Arguments, service: Service): string {
  if (procedure !== 3) return ''
  const program = call.word()
  service.note('GETPORT', String(program))
  return word(program === 100_005 && !service.settings.mount ? 0 : service.port)
}

/** MOUNT (RFC 1813 5, RFC 1094 A) for directories at or below the export; null if there is no such procedure. */
export function answerMount(version: number, procedure: number, call: Arguments, service: Service): string | null {
  const { exported, nodes, auth } = service.settings
  // NULL and UMNTALL have no results.
  if (procedure === 0 || procedure === 4) return ''
  if (procedure === 5) {
    service.note('EXPORT', '')
    return word(1) + opaque(exported) + words(0, 0)
  }
  if (procedure !== 1 && procedure !== 3) return null
  const path = call.opaque()
  service.note(procedure === 1 ? 'MNT' : 'UMNT', path)
  if (procedure === 3) return ''
  if (path !== exported && !path.startsWith(`${exported.replace(/\/$/, '')}/`)) return word(13)
  const node = nodes.at(path)
  if (node === undefined) return word(2)
  if (node.type !== types.directory) return word(20)
  if (version === 1) return word(0) + handleOf(node)
  return word(0) + opaque(handleOf(node)) + words(1, auth === 'sys' ? 1 : 0)
}
