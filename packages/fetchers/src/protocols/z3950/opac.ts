import { octetsToText } from '@retriever/core'
import { type BerNode, context } from '../../wire/framing/ber-tree.ts'
import { type ReceivedRecord, readExternal } from './answers.ts'
import { xmlText } from './xml.ts'

/** What a library holds of a work (Z39.50 appendix REC.6), by the field names of the standard. */
export type Holding = Readonly<
  Record<string, string | number | boolean | ReadonlyArray<Readonly<Record<string, unknown>>>>
>

export interface OpacRecord {
  readonly bibliographicRecord: ReceivedRecord | null
  readonly holdings: readonly Holding[]
}

/** HoldingsAndCircData, by tag. */
const holdingFields = [
  'typeOfRecord',
  'encodingLevel',
  'format',
  'receiptAcqStatus',
  'generalRetention',
  'completeness',
  'dateOfReport',
  'nucCode',
  'localLocation',
  'shelvingLocation',
  'callNumber',
  'shelvingData',
  'copyNumber',
  'publicNote',
  'reproductionNote',
  'termsUseRepro',
  'enumAndChron',
]
const volumeFields = ['enumeration', 'chronology', 'enumAndChron']
const circulationFields = [
  'availableNow',
  'availabilityDate',
  'availableThru',
  'restrictions',
  'itemId',
  'renewable',
  'onHold',
  'enumAndChron',
  'midspine',
  'temporaryLocation',
]
const flags = new Set(['availableNow', 'renewable', 'onHold'])

/** Reads an OPACRecord. Leaves out a holding that is itself a MARC record. Throws BerError. */
export function readOpac(node: BerNode): OpacRecord {
  const bibliographic = node.child(context(1))
  return {
    // [1] replaces the tag of EXTERNAL.
    bibliographicRecord: bibliographic === undefined ? null : readExternal(bibliographic, null),
    holdings: (node.child(context(2))?.children ?? []).filter(({ tag }) => tag === context(2)).map(readHolding),
  }
}

function readHolding(node: BerNode): Holding {
  const list = (tag: number, names: readonly string[]) =>
    (node.child(context(tag))?.children ?? []).map((each) => readFields(each, names))
  const [volumes, circulations] = [list(18, volumeFields), list(19, circulationFields)]
  return {
    ...readFields(node, holdingFields),
    ...(volumes.length > 0 && { volumes }),
    ...(circulations.length > 0 && { circulations }),
  }
}

function readFields(node: BerNode, names: readonly string[]): Record<string, string | boolean> {
  const found = names.flatMap((name, at): [string, string | boolean][] => {
    const field = node.child(context(at + 1))
    if (field === undefined) return []
    if (flags.has(name)) return [[name, field.boolean()]]
    return [[name, octetsToText(Buffer.from(field.octets()).toString('latin1'))]]
  })
  return Object.fromEntries(found)
}

/** Writes the record as XML, in YAZ's form. `bibliographic` is XML already. */
export function opacXml(bibliographic: string, holdings: readonly Holding[]): string {
  const list = holdings.map((holding) => ` <holding>\n${fieldsXml(holding, '  ')} </holding>\n`).join('')
  const record = `<bibliographicRecord>\n${bibliographic}</bibliographicRecord>\n`
  return `<opacRecord>\n${record}<holdings>\n${list}</holdings>\n</opacRecord>\n`
}

function fieldsXml(fields: Readonly<Record<string, unknown>>, indent: string): string {
  return Object.entries(fields)
    .map(([name, value]) => {
      if (Array.isArray(value)) {
        const each = name.slice(0, -1)
        const items = value.map(
          (item) => `${indent} <${each}>\n${fieldsXml(item, `${indent}  `)}${indent} </${each}>\n`,
        )
        return `${indent}<${name}>\n${items.join('')}${indent}</${name}>\n`
      }
      if (typeof value === 'boolean') return `${indent}<${name} value="${value ? 1 : 0}"/>\n`
      return `${indent}<${name}>${xmlText(String(value))}</${name}>\n`
    })
    .join('')
}
