import { builtinSchemes, type FindingCode, findingCodes, type Resolution, RetrievalError } from '@retriever/core'
import type { Policy } from '@retriever/fetchers'
import { usageError } from '../exit-codes.ts'
import { nearest } from '../suggest.ts'
import { readPort } from './numbers.ts'
import { connecting, type GivenOptions, network, type OptionRow } from './option.ts'
import { readProtocols } from './protocol-list.ts'

export type PolicyOption =
  | 'allow'
  | 'allow-port'
  | 'allow-downgrade'
  | 'allow-inward'
  | 'public-only'
  | 'jail'
  | 'allow-address'
  | 'disallow-username-in-url'
  | 'proto'
  | 'proto-redir'

/** The dangers that --allow can allow: all but the one that would break the protocol. */
function allowable(): FindingCode[] {
  const dangers = Object.entries(findingCodes).filter(([, severity]) => severity === 'danger')
  return dangers.map(([code]) => code as FindingCode).filter((code) => code !== 'encoded-delimiter')
}

export const policyOptions: readonly OptionRow<PolicyOption>[] = [
  {
    long: 'allow',
    sent: true,
    arg: 'CODE',
    values: allowable,
    help: 'Allow a danger, by the finding code that explain shows, such as foreign-port',
    commands: connecting,
    example: 'retrieve --allow foreign-port http://h.example:6000/',
  },
  {
    long: 'allow-port',
    sent: true,
    arg: 'N',
    help: 'Allow connections to port N although it is for another protocol',
    commands: connecting,
    example: 'retrieve --allow-port 6000 http://h.example:6000/',
  },
  {
    long: 'allow-downgrade',
    sets: ['policy.allowDowngrade'],
    sent: false,
    help: 'Follow redirects from https to http',
    commands: connecting,
    example: 'retrieve --allow-downgrade https://www.example.org/',
  },
  {
    long: 'allow-inward',
    sets: ['policy.allowInward'],
    sent: false,
    help: 'Follow redirects from elsewhere to this machine or its link-local network',
    commands: connecting,
    example: 'retrieve --allow-inward http://www.example.org/',
  },
  {
    long: 'public-only',
    sets: ['policy.publicOnly'],
    sent: true,
    help: 'Connect only to public addresses, read no files, use no proxy: for URLs that others give',
    commands: connecting,
    example: 'retrieve --public-only http://www.example.org/',
  },
  {
    long: 'jail',
    sent: false,
    help:
      'Run in a process of few rights, by the permission model of Node: it writes nothing but --output-dir, the folder ' +
      'of mirror, or the current folder, reads nothing but that and the files you name, and starts no program',
    commands: ['get', 'mirror'],
    example: 'retrieve --jail --output-dir downloads -O https://www.example.org/file.txt',
    global: true,
  },
  {
    long: 'allow-address',
    sets: ['policy.allowAddresses'],
    sent: true,
    arg: 'ADDRESS[/BITS][:PORT]',
    help: 'With --public-only, connect to this address or network, too; with a port, only to that port',
    commands: connecting,
    example: 'retrieve --public-only --allow-address 10.0.0.0/8 http://intranet.example/',
  },
  {
    long: 'disallow-username-in-url',
    sent: true,
    help: 'Refuse URLs that name a user, such as http://alice@www.example.org/',
    commands: network,
    example: 'retrieve --disallow-username-in-url http://www.example.org/',
  },
  {
    long: 'proto',
    sent: true,
    arg: 'LIST',
    help: 'Retrieve these schemes only, redirects included: =https,ftp names them, -http leaves one out, all is all',
    commands: connecting,
    example: 'retrieve --proto =https https://www.example.org/',
  },
  {
    long: 'proto-redir',
    sent: false,
    arg: 'LIST',
    help: 'Follow redirects to these schemes only, written as for --proto; redirects never lead to another protocol',
    commands: connecting,
    example: 'retrieve --proto-redir =https http://www.example.org/',
  },
]

/** Reads the policy. Throws `invalid-option`. */
export function readPolicy(line: GivenOptions<PolicyOption>): Partial<Policy> {
  return {
    allow: line.values('allow').map(readFindingCode),
    allowPorts: line.values('allow-port').map((port) => readPort('allow-port', port)),
    allowDowngrade: line.has('allow-downgrade'),
    allowInward: line.has('allow-inward'),
    publicOnly: line.has('public-only'),
    allowAddresses: line.values('allow-address'),
    ...readSchemes(line),
  }
}

function readSchemes(line: GivenOptions<PolicyOption>): Partial<Policy> {
  const typed = line.value('proto')
  const redirected = line.value('proto-redir')
  // Under publicOnly, the policy retrieves a scheme that it names, so `all` must not name the schemes of this machine.
  const all = builtinSchemes.filter(({ defaultPort }) => defaultPort !== null || !line.has('public-only'))
  const names = all.map(({ name }) => name)
  return {
    ...(typed !== undefined && { schemes: readProtocols('proto', typed, names, names) }),
    ...(redirected !== undefined && {
      redirectSchemes: readProtocols('proto-redir', redirected, names, ['http', 'https', 'ftp', 'ftps']),
    }),
  }
}

function readFindingCode(text: string): FindingCode {
  const codes = allowable()
  const code = codes.find((candidate) => candidate === text)
  if (code !== undefined) return code
  if (text === 'encoded-delimiter')
    throw usageError('--allow encoded-delimiter is not possible: it would break the protocol.')
  const meant = nearest(text, codes)
  const hint = meant === undefined ? `What can be allowed: ${codes.join(', ')}.` : `Did you mean ${meant}?`
  throw usageError(`--allow needs the code of a danger, not ${JSON.stringify(text)}. ${hint}`)
}

/** Throws `auth-failed`, as curl does, if a URL names a user. Redirects never carry one. */
export function refuseUser({ locator, url }: Resolution): void {
  if (locator.user === null) return
  const message = 'The URL names a user, which --disallow-username-in-url refuses; use -u.'
  throw new RetrievalError('auth-failed', message, { phase: 'resolve', url })
}
