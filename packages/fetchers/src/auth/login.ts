/** A user and a password, one octet a character. */
export interface UserAndPassword {
  readonly user: string
  readonly password: string
}

/** Makes the value of the field Authorization or Proxy-Authorization. */
export interface Login {
  credentials(method: string, uri: string): string
}

/** Makes a Basic login (RFC 7617 2). The user must not have a colon. */
export function basicLogin({ user, password }: UserAndPassword): Login {
  const value = `Basic ${Buffer.from(`${user}:${password}`, 'latin1').toString('base64')}`
  return { credentials: () => value }
}
