import { accounts, type Checks, word } from './options.ts'
import { octets } from './text.ts'

/** Passwords by user. */
export type Accounts = Readonly<Record<string, string>>

/** Options of servers that have logins. */
export interface AccountOptions {
  /** Passwords by user. Default: alice with the password secret. */
  readonly accounts?: Accounts
  /** 'required': the server shows nothing before a login to one of the accounts. Default 'none'. */
  readonly auth?: 'none' | 'required'
}

export const accountChecks: Checks<AccountOptions> = { accounts, auth: word('none', 'required') }

export const seedAccounts: Accounts = { alice: 'secret' }

/** Whether the password is the user's. Both are octets, one char each. */
export function isAccount(accounts: Accounts, user: string, password: string): boolean {
  return Object.entries(accounts).some(([name, secret]) => octets(name) === user && octets(secret) === password)
}

/** The account that a field Authorization proves (RFC 7617): `Basic` and the base64 of `user:password`. */
export function userOf(accounts: Accounts, authorization = ''): string | undefined {
  const [, base64] = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(authorization) ?? []
  const login = Buffer.from(base64 ?? '', 'base64').toString('latin1')
  const colon = login.indexOf(':')
  if (colon === -1) return undefined
  const user = login.slice(0, colon)
  return isAccount(accounts, user, login.slice(colon + 1)) ? user : undefined
}
