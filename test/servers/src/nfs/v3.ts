import { handleOf, type NfsNode, nameOf, types } from './nodes.ts'
import type { Results, Service } from './session.ts'
import { type Arguments, long, opaque, word, words } from './xdr.ts'

const names: Readonly<Record<number, string>> = {
  1: 'GETATTR',
  3: 'LOOKUP',
  4: 'ACCESS',
  5: 'READLINK',
  6: 'READ',
  16: 'READDIR',
  17: 'READDIRPLUS',
  18: 'FSSTAT',
  19: 'FSINFO',
  20: 'PATHCONF',
}

/** For READ, WRITE and READDIR: the most octets, the preferred number, and the unit of both. */
const sizes = [65_536, 65_536, 4096] as const

/** ACCESS3_READ, ACCESS3_LOOKUP and ACCESS3_EXECUTE (RFC 1813 3.3.4). */
const readable = 0x23

/** Answers a procedure of NFS version 3 (RFC 1813 3). */
export async function answerV3(procedure: number, call: Arguments, service: Service): Promise<Results | 'misbehaved'> {
  const { nodes, publicHandle, readdirplus } = service.settings
  const name = names[procedure]
  if (name === undefined) return ''
  const handle = call.opaque()
  const isPublic = handle === ''
  const node = isPublic ? nodes.at('/') : nodes.of(handle)
  if (name === 'LOOKUP') {
    const wanted = call.opaque()
    service.note(name, wanted)
    if (isPublic && !publicHandle) return words(10_001, 0)
    if (node === undefined) return words(70, 0)
    const found = isPublic ? nodes.at(publicPath(wanted)) : nodes.at(child(node, wanted))
    if (await service.misbehave(name, found)) return 'misbehaved'
    return found === undefined ? words(2, 0) : word(0) + opaque(handleOf(found)) + word(1) + attributes(found) + word(0)
  }
  service.note(name, node?.path ?? '')
  if (node === undefined) return words(70, 0)
  if (await service.misbehave(name, node)) return 'misbehaved'
  switch (name) {
    case 'GETATTR':
      return word(0) + attributes(node)
    case 'ACCESS':
      return words(0, 0, call.word() & readable)
    case 'FSSTAT':
      return words(0, 0) + long(0).repeat(6) + word(0)
    case 'FSINFO':
      // The largest file, a time step of one second, and the property "homogeneous".
      return words(0, 0, ...sizes, ...sizes, sizes[2]) + long(2 ** 52) + words(1, 0, 8)
    case 'PATHCONF':
      // 32,000 links; names of 255 octets, and longer ones are refused; owners cannot change; case matters.
      return words(0, 0, 32_000, 255, 1, 1, 0, 1)
    case 'READLINK':
      return node.target === undefined ? words(22, 0) : words(0, 0) + opaque(node.target)
    case 'READ': {
      const part = await service.read(node, call.long(), call.word())
      if (part === null) return null
      return words(0, 0, part.octets.length, part.isEnd ? 1 : 0) + opaque(part.octets)
    }
    default:
      if (name === 'READDIRPLUS' && !readdirplus) return words(10_004, 0)
      return node.type === types.directory ? page(node, call, service, name === 'READDIRPLUS') : words(20, 0)
  }
}

/**
 * The path that the public filehandle gives: its escapes are decoded (RFC 2054 6.1), and it is relative to the root.
 */
export function publicPath(path: string): string {
  const names = path.split('/').filter((name) => name !== '' && name !== '.')
  return `/${names.map(decode).join('/')}`
}

function decode(name: string): string {
  return name.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** The path of a name in a directory. */
export function child({ path }: NfsNode, name: string): string {
  return `${path === '/' ? '' : path}/${name}`
}

function page(node: NfsNode, call: Arguments, service: Service, isPlus: boolean): string {
  const cookie = call.long()
  const all = service.settings.nodes.children(node.path)
  const end = Math.min(cookie + service.settings.pageSize, all.length)
  const entries = all.slice(cookie, end).map((each, at) => {
    const plain = word(1) + long(each.id) + opaque(nameOf(each)) + long(cookie + at + 1)
    return isPlus ? `${plain}${word(1)}${attributes(each)}${word(1)}${opaque(handleOf(each))}` : plain
  })
  return `${words(0, 0)}${long(1)}${entries.join('')}${words(0, end >= all.length ? 1 : 0)}`
}

/** Writes fattr3 (RFC 1813 2.6). */
function attributes({ id, type, size, modified }: NfsNode): string {
  const seconds = Math.floor(modified.getTime() / 1000)
  const time = words(seconds, 0)
  const mode = type === types.directory ? 0o755 : 0o644
  return words(type, mode, 1, 1000, 1000) + long(size) + long(size) + words(0, 0) + long(1) + long(id) + time.repeat(3)
}
