import { invalidOption } from '../../kit/limits.ts'
import { callback, checkOptions, line, type OptionKind, text, texts } from '../../kit/options.ts'

/** Which SSH servers are known, and how the client logs in to them (RFC 4252). */
export interface SshOptions {
  /**
   * The host keys that are known: lines in the format of OpenSSH's known_hosts (sshd(8)), or fingerprints such as
   * `SHA256:n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg` of keys to accept. A function gives them for one server. Any
   * other key is the error `certificate`. Default: none.
   */
  readonly hostKeys?: readonly string[] | HostKeySource
  /** The user if the URL names none. Default: the one that `credentials` gives. */
  readonly user?: string
  /** The path of ssh-agent's socket. Default: no agent is asked. */
  readonly agent?: string
  /** A private key, as the text of its file (PEM or OpenSSH). */
  readonly privateKey?: string
  /**
   * Gives further private keys. They are tried in order after the agent and `privateKey`. It is called after a server
   * has said that it takes keys. A key that `passphrase` does not open is skipped, and the error names it.
   */
  readonly privateKeys?: PrivateKeySource
  /** The passphrase of the private keys. */
  readonly passphrase?: string
}

declare module '@retriever/core' {
  interface AdvisedOptions extends Readonly<Record<`ssh.${keyof SshOptions}`, true>> {}
}

/** Gives the lines and fingerprints of SshOptions.hostKeys for a server. */
export type HostKeySource = (server: {
  readonly host: string
  readonly port: number
}) => readonly string[] | Promise<readonly string[]>

/** Gives the keys of SshOptions.privateKeys. */
export type PrivateKeySource = () => readonly NamedKey[] | Promise<readonly NamedKey[]>

/** A private key, as the text of its file (PEM or OpenSSH), and its name for messages. */
export interface NamedKey {
  readonly name: string
  readonly text: string
}

const kinds: Readonly<Record<keyof SshOptions, OptionKind>> = {
  hostKeys: ['an array of strings, or a function', (value) => callback[1](value) || texts[1](value)],
  user: line,
  agent: text,
  privateKey: text,
  privateKeys: callback,
  passphrase: text,
}

/** Checks the options and returns a copy. Throws RetrievalError `invalid-option`. */
export function readSsh(options: SshOptions = {}): SshOptions {
  // The values may be secrets, which no message may show.
  for (const name of ['privateKey', 'passphrase'] as const) {
    const value: unknown = Object(options)[name]
    if (value !== undefined && typeof value !== 'string') throw invalidOption(`ssh.${name}`, text[0], typeof value)
  }
  checkOptions(options, kinds, 'ssh.')
  return { ...options }
}
