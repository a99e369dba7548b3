import type { Faults } from '../../faults.ts'
import type { Files } from '../../files/served-files.ts'
import { type ProtocolName, startServers, type TestServers } from '../../servers.ts'
import type { TestServer } from '../../test-server.ts'
import type { Act, AuditClass, Outcome, Script, Stage } from '../script.ts'
import type { Ability } from './abilities.ts'

type OwnProtocol = ProtocolName & Ability

/** A script in which one of our own servers plays, with faults or without. */
export interface OwnRow {
  readonly path?: string
  readonly outcome?: Outcome
  readonly victim?: Script['victim']
  /** Whether the URL has a login, alice with the secret of the run. */
  readonly login?: boolean
  readonly faults?: Faults | ((stage: Stage) => Faults)
  /** Further options of the server. */
  readonly options?: object
  readonly files?: Files
  /** The commands of the client that are wrong; undefined if it may send all that it wants. */
  readonly never?: (stage: Stage) => RegExp
}

export function own(kind: AuditClass, protocol: OwnProtocol, name: string, row: OwnRow): Script {
  const { outcome, victim, login = false } = row
  return {
    class: kind,
    name: `${protocol}: ${name}`,
    needs: login && protocol === 'ftp' ? 'ftp login' : protocol,
    ...(outcome !== undefined && { outcome }),
    ...(victim !== undefined && { victim }),
    start: (stage) => startOwn(protocol, row, stage),
  }
}

/** Scripts of one class in which only the faults of the server differ. */
export function ownRows(
  kind: AuditClass,
  protocol: OwnProtocol,
  row: OwnRow,
  faults: Readonly<Record<string, OwnRow['faults']>>,
): Script[] {
  return Object.entries(faults).map(([name, each]) =>
    own(kind, protocol, name, { ...row, ...(each && { faults: each }) }),
  )
}

/** Scripts of one class in which only the path of the URL differs: the name, or each of a list by itself. */
export function ownPaths(
  kind: AuditClass,
  protocol: OwnProtocol,
  row: OwnRow,
  names: readonly string[],
  pathOf: (name: string) => string,
): Script[] {
  return names.map((name) => own(kind, protocol, name, { ...row, path: pathOf(name) }))
}

async function startOwn(protocol: OwnProtocol, row: OwnRow, stage: Stage): Promise<Act> {
  const { path = '', login = false, faults, options, files, never } = row
  const accounts = login ? { accounts: { alice: stage.secret } } : {}
  const played = typeof faults === 'function' ? faults(stage) : faults
  const servers: TestServers = (await startServers({
    [protocol]: { ...options, ...(played && { faults: played }) },
    ...accounts,
    ...(files && { files }),
  } as Parameters<typeof startServers>[0])) as TestServers
  const server: TestServer = servers[protocol]
  const user = login ? `alice:${stage.secret}@` : ''
  return {
    url: `${server.url.replace('//', `//${user}`)}${path}`,
    complaint() {
      const wrong = never?.(stage)
      const line = wrong && server.received.find((each) => wrong.test(each))
      return line === undefined ? undefined : `sent ${JSON.stringify(line.slice(0, 60))}`
    },
    close: () => servers.close(),
  }
}
