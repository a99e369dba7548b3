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
