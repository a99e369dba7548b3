import { accounts, type Checks, word } from './options.ts'
import { octets } from './text.ts'

/** Passwords by user. */
export type Accounts = Readonly<Record<string, string>>

/** Options of the servers with logins. */
export interface AccountOptions {
  /** Passwords by user, in place of alice with the password secret. */
  readonly accounts?: Accounts
  /** 'required': nothing is shown without a login to one of the accounts. Default 'none'. */
  readonly auth?: 'none' | 'required'
}

export const accountChecks: Checks<AccountOptions> = { accounts, auth: word('none', 'required') }

export const seedAccounts: Accounts = { alice: 'secret' }

/** Whether the password is the user's; both as octets, one char each. */
export function isAccount(accounts: Accounts, user: string, password: string): boolean {
  return Object.entries(accounts).some(([name, secret]) => octets(name) === user && octets(secret) === password)
}

/** The account that a field Authorization names (RFC 7617): `Basic` and the base64 of `user:password`. */
export function userOf(accounts: Accounts, authorization = ''): string | undefined {
  const [, base64] = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(authorization) ?? []
  const login = Buffer.from(base64 ?? '', 'base64').toString('latin1')
  const colon = login.indexOf(':')
  if (colon === -1) return undefined
  const user = login.slice(0, colon)
  return isAccount(accounts, user, login.slice(colon + 1)) ? user : undefined
}
