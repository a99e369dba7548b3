import { handleOf, type NfsNode, nameOf, types } from './nodes.ts'
import type { Results, Service } from './session.ts'
import { child, publicPath } from './v3.ts'
import { type Arguments, opaque, word, words } from './xdr.ts'

const names: Readonly<Record<number, string>> = { 1: 'GETATTR', 4: 'LOOKUP', 5: 'READLINK', 6: 'READ', 16: 'READDIR' }
const handleSize = 32

/** Answers a procedure of NFS version 2 (RFC 1094 2.2). */
export async function answerV2(procedure: number, call: Arguments, service: Service): Promise<Results> {
  const { nodes, publicHandle } = service.settings
  const name = names[procedure]
  if (name === undefined) return ''
  const handle = call.fixed(handleSize)
  const isPublic = /^\0*$/.test(handle)
  const node = isPublic ? nodes.at('/') : nodes.of(handle)
  if (name === 'LOOKUP') {
    const wanted = call.opaque()
    service.note(`${name}2`, wanted)
    if (node === undefined || (isPublic && !publicHandle)) return word(70)
    const found = nodes.at(isPublic ? publicPath(wanted) : child(node, wanted))
    return found === undefined ? word(2) : word(0) + handleOf(found) + attributes(found)
  }
  service.note(`${name}2`, node?.path ?? '')
  if (node === undefined) return word(70)
  switch (name) {
    case 'GETATTR':
      return word(0) + attributes(node)
    case 'READLINK':
      return node.target === undefined ? word(22) : word(0) + opaque(node.target)
    case 'READ': {
      const part = await service.read(node, call.word(), call.word())
      return part === null ? null : word(0) + attributes(node) + opaque(part.octets)
    }
    default:
      return node.type === types.directory ? page(node, call.word(), service) : word(20)
  }
}

function page(node: NfsNode, cookie: number, service: Service): string {
  const all = service.settings.nodes.children(node.path)
  const end = Math.min(cookie + service.settings.pageSize, all.length)
  const entries = all
    .slice(cookie, end)
    .map((each, at) => word(1) + word(each.id) + opaque(nameOf(each)) + word(cookie + at + 1))
  return `${word(0)}${entries.join('')}${words(0, end >= all.length ? 1 : 0)}`
}

/** Writes fattr (RFC 1094 2.3.5). */
function attributes({ id, type, size, modified }: NfsNode): string {
  const time = words(Math.floor(modified.getTime() / 1000), 0)
  return words(type, 0o100644, 1, 1000, 1000, size % 2 ** 32, 4096, 0, 1, 1, id) + time.repeat(3)
}
