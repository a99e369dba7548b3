import { handleOf, type NfsNode, nameOf, types } from './nodes.ts'
import type { Results, Service } from './session.ts'
import { child } from './v3.ts'
import { type Arguments, long, opaque, word, words } from './xdr.ts'

/** Answers the compounds of NFS version 4.0 (RFC 7530), as far as a reader without state needs them. */
export async function answerV4(procedure: number, call: Arguments, service: Service): Promise<Results> {
  if (procedure !== 1) return ''
  const tag = call.opaque()
  const minor = call.word()
  if (minor !== 0) return word(10_021) + opaque(tag) + word(0)
  const count = call.word()
  const compound = new Compound(service)
  const results: string[] = []
  for (let at = 0; at < count; at++) {
    const operation = call.word()
    const own = await compound.operation(operation, call)
    if (own === null) return null
    const [status, result = ''] = typeof own === 'number' ? [own] : [0, own]
    results.push(words(operation, status) + result)
    if (status !== 0) return word(status) + opaque(tag) + word(results.length) + results.join('')
  }
  return word(0) + opaque(tag) + word(results.length) + results.join('')
}

class Compound {
  readonly #service: Service
  #node: NfsNode | undefined

  constructor(service: Service) {
    this.#service = service
  }

  /** The results of one operation. A number is its status; null means that the server says nothing more. */
  async operation(operation: number, call: Arguments): Promise<string | number | null> {
    const { nodes, publicHandle } = this.#service.settings
    const note = (name: string, target = this.#node?.path ?? ''): void => this.#service.note(name, target)
    switch (operation) {
      case 22:
        this.#node = nodes.of(call.opaque())
        return this.#node === undefined ? 70 : ''
      case 23:
      case 24:
        note(operation === 23 ? 'PUTPUBFH' : 'PUTROOTFH', '')
        this.#node = nodes.at('/')
        return operation === 23 && !publicHandle ? 10_004 : ''
    }
    const node = this.#node
    if (node === undefined) return 10_020
    switch (operation) {
      case 15: {
        const name = call.opaque()
        note('LOOKUP4', name)
        if (node.type === types.link) return 10_029
        this.#node = nodes.at(child(node, name))
        return this.#node === undefined ? 2 : ''
      }
      case 10:
        return opaque(handleOf(node))
      case 9:
        return attributes(node, wanted(call))
      case 27:
        note('READLINK4')
        return node.target === undefined ? 22 : opaque(node.target)
      case 25: {
        note('READ4')
        call.fixed(16)
        const part = await this.#service.read(node, call.long(), call.word())
        return part === null ? null : word(part.isEnd ? 1 : 0) + opaque(part.octets)
      }
      case 26: {
        note('READDIR4')
        return node.type === types.directory ? page(node, call, this.#service) : 20
      }
      default:
        return 10_044
    }
  }
}

function page(node: NfsNode, call: Arguments, service: Service): string {
  const start = Math.max(call.long() - 2, 0)
  call.fixed(16)
  const bits = wanted(call)
  const all = service.settings.nodes.children(node.path)
  const end = Math.min(start + service.settings.pageSize, all.length)
  const entries = all
    .slice(start, end)
    .map((each, at) => word(1) + long(start + at + 3) + opaque(nameOf(each)) + attributes(each, bits))
  return `${long(1)}${entries.join('')}${words(0, end >= all.length ? 1 : 0)}`
}

/** The numbers of the requested attributes. */
function wanted(call: Arguments): readonly number[] {
  const bits = Array.from({ length: call.word() }, () => call.word())
  return Array.from({ length: bits.length * 32 }, (_, number) => number).filter(
    (number) => ((bits[number >> 5] ?? 0) >>> (number & 31)) & 1,
  )
}

/** Writes fattr4 (RFC 7530 2.2.2) with those attributes that this server has. */
function attributes(node: NfsNode, asked: readonly number[]): string {
  const values = new Map([
    [1, word(node.type)],
    [4, long(node.size)],
    [19, opaque(handleOf(node))],
    [20, long(node.id)],
    [33, word(node.type === types.directory ? 0o755 : 0o644)],
    [36, opaque('1000')],
    [37, opaque('users@example.net')],
    [53, long(Math.floor(node.modified.getTime() / 1000)) + word(0)],
  ])
  const given = asked.filter((number) => values.has(number))
  const bits = [0, 0]
  for (const number of given) bits[number >> 5] = ((bits[number >> 5] ?? 0) | (1 << (number & 31))) >>> 0
  return word(2) + bits.map(word).join('') + opaque(given.map((number) => values.get(number)).join(''))
}
