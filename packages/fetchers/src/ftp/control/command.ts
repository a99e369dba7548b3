import { isOneLine } from '../../wire/framing/lines.ts'

/**
 * The octets of a command, or undefined for what would be two. FF is Telnet's IAC, and is doubled (RFC 959 5.3, RFC 854), unless the
 * server is known to take it as it is.
 */
export function encodeCommand(command: string, isTelnet: boolean): string | undefined {
  if (!isOneLine(command)) return undefined
  return `${isTelnet ? doubled(command) : command}\r\n`
}

/** What may be shown of any command: its argument may be a password. */
export function verbOf(command: string): string {
  return command.split(' ')[0] ?? command
}

/** Whether its argument is for the server alone. */
function isSecret(verb: string): boolean {
  return verb === 'PASS' || verb === 'ACCT'
}

/** What was sent by PASS and ACCT: servers repeat a command that they do not understand (`500 'PASS secret': ...`), then or later. */
export class Secrets {
  readonly #secrets: string[] = []

  /** What may be shown of a command that is being sent. */
  shown(command: string): string {
    const verb = verbOf(command)
    if (!isSecret(verb)) return `${doubled(command)}\r\n`
    const secret = command.slice(verb.length + 1)
    if (secret !== '') this.#secrets.push(doubled(secret), secret)
    return `${verb} <password>\r\n`
  }

  masked(octets: string): string {
    return this.#secrets.reduce((shown, secret) => shown.replaceAll(secret, '<password>'), octets)
  }
}

function doubled(octets: string): string {
  return octets.replaceAll('\xFF', '\xFF\xFF')
}
