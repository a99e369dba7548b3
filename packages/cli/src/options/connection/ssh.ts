import { readFileSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { SshOptions } from '@retriever/fetchers'
import type { NamedKey } from '@retriever/fetchers/internal'
import { connecting, type GivenOptions, type OptionRow } from '../option.ts'
import { readPem } from './pem.ts'

export type SshOption = 'hostpubsha256'

export const sshOptions: readonly OptionRow<SshOption>[] = [
  {
    long: 'hostpubsha256',
    sent: false,
    arg: 'SHA256',
    help: 'Accept the SSH host key with this fingerprint (Base64), if ~/.ssh/known_hosts has no key of the server',
    commands: connecting,
    example: 'retrieve --hostpubsha256 n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg sftp://alice@h.example/x',
  },
]

/**
 * Whether --key is for SSH, and so needs no certificate: the command line has a URL for SSH, or a list that may have
 * some.
 */
export function isKeyForSsh(line: GivenOptions<'cert' | 'from'>): boolean {
  const isTyped = line.operands.some((operand) => /^<?(?:url:)?sftp:/i.test(operand))
  return isTyped || (line.has('from') && !line.has('cert'))
}

/** The host keys that this user accepts, the keys of ssh-agent, and the private key of --key. */
export function readSsh(
  line: GivenOptions<SshOption | 'key' | 'pass' | 'cert' | 'from'>,
  { SSH_AUTH_SOCK: agent = '' }: NodeJS.ProcessEnv,
): SshOptions {
  const accepted = line.values('hostpubsha256').map((each) => `SHA256:${each.replace(/^SHA256:/, '')}`)
  const keyFile = isKeyForSsh(line) ? line.value('key') : undefined
  const passphrase = line.value('pass')
  const user = userName()
  return {
    // The files are read only when a server shows its key, not at each start.
    hostKeys: () => [...accepted, ...knownHosts()],
    ...(user !== null && { user }),
    ...(agent !== '' && { agent }),
    // As in ssh, a named key replaces the user's own keys.
    ...(keyFile === undefined ? { privateKeys: ownKeys } : { privateKey: readPem('key', keyFile, 'private key') }),
    ...(passphrase !== undefined && { passphrase }),
  }
}

/** The lines of the user's known_hosts and the system's; a file that cannot be read counts as empty. */
function knownHosts(): string[] {
  return [join(homedir(), '.ssh', 'known_hosts'), '/etc/ssh/ssh_known_hosts'].flatMap((file) => {
    try {
      return readFileSync(file, 'utf8').split('\n')
    } catch {
      return []
    }
  })
}

/** The keys that ssh tries if none is named (ssh(1), -i), in its order. */
function ownKeys(): NamedKey[] {
  return ['id_rsa', 'id_ecdsa', 'id_ed25519', 'id_dsa'].flatMap((name) => {
    try {
      return [{ name: `~/.ssh/${name}`, text: readFileSync(join(homedir(), '.ssh', name), 'utf8') }]
    } catch {
      return []
    }
  })
}

/** The name of this user, which ssh uses if none is given; null if the system has none. */
function userName(): string | null {
  try {
    return userInfo().username
  } catch {
    return null
  }
}
