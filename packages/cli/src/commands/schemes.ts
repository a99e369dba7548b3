import { builtinSchemes, type Scheme } from '@retriever/core'
import { builtinMechanisms } from '@retriever/fetchers'
import type { Run } from '../run.ts'
import { jsonLine } from '../terminal/output.ts'
import { table } from '../terminal/table.ts'
import { titled } from '../views/references.ts'

/** `retrieve schemes`: lists the known schemes, and which of them can be retrieved. */
export async function schemes({ config, output }: Run): Promise<number> {
  const records = builtinSchemes.map(record)
  if (config.json) for (const scheme of records) await output.write(jsonLine(scheme))
  else if (output.stdoutIsTerminal && output.columns < tableColumns) {
    for (const scheme of records) await output.write(`${titled(...shortLine(scheme), output)}\n`)
  } else {
    await output.write(
      table([['SCHEME', 'MECHANISM', 'PORT', 'TLS', 'FETCHED', 'SPEC', 'TITLE'], ...records.map(cells)]),
    )
  }
  return 0
}

interface SchemeRecord {
  readonly scheme: string
  readonly mechanism: string
  readonly port: number | null
  readonly tls: Scheme['tls']
  readonly fetched: boolean
  readonly handoff: boolean
  readonly session: boolean
  readonly spec: string
  readonly title: string
}

function record({
  name,
  mechanism,
  defaultPort,
  tls,
  spec,
  title,
  handoff = false,
  session = false,
}: Scheme): SchemeRecord {
  const fetched = builtinMechanisms.includes(mechanism) && !handoff
  return { scheme: name, mechanism, port: defaultPort, tls, fetched, handoff, session, spec, title }
}

/** The width of the table; on a narrower terminal each name gets one text only. */
const tableColumns = 150

function shortLine({
  scheme,
  port,
  fetched,
  handoff,
  session,
  spec,
  title,
}: SchemeRecord): [head: string, text: string] {
  const how = fetched ? '' : session ? '; opens a session' : handoff ? '; names the program to run' : '; explained only'
  return [`${scheme.padEnd(10)}  `, `${title} (${spec})${port === null ? '' : `, port ${port}`}${how}`]
}

function cells({ scheme, mechanism, port, tls, fetched, handoff, session, spec, title }: SchemeRecord): string[] {
  const how = fetched ? 'yes' : session ? 'session' : handoff ? 'handoff' : 'no'
  return [scheme, mechanism, String(port ?? '-'), tls === 'none' ? '-' : tls, how, spec, title]
}
