/** An entry of the directory. Its attributes are in order; a value is text (UTF-8) or octets. */
export interface DirectoryEntry {
  readonly dn: string
  readonly attributes: Readonly<Record<string, readonly (string | Uint8Array)[]>>
  /** Where the client must continue a search of this entry or below it. The entry itself is not shown. */
  readonly referral?: string
  /** Whether only a client that has logged in sees the entry. */
  readonly isHidden?: true
}

export const suffix = 'dc=example,dc=net'

/** Attributes that come only if the client asks for them or for `+` (RFC 4511 4.5.1.8). */
export const operational: ReadonlySet<string> = new Set([
  'namingcontexts',
  'supportedldapversion',
  'supportedextension',
  'entrydn',
])

/** Every octet once, in order, so this is no text. */
const everyOctet = Uint8Array.from({ length: 256 }, (_, index) => index)

/** The entry of the server itself (RFC 4512 5.1). */
const root: DirectoryEntry = {
  dn: '',
  attributes: {
    objectClass: ['top'],
    namingContexts: [suffix],
    supportedLDAPVersion: ['3'],
    supportedExtension: ['1.3.6.1.4.1.1466.20037'],
  },
}

const people = `ou=people,${suffix}`

export const seedEntries: readonly DirectoryEntry[] = [
  root,
  { dn: suffix, attributes: { objectClass: ['dcObject', 'organization'], dc: ['example'], o: ['Example Network'] } },
  { dn: people, attributes: { objectClass: ['organizationalUnit'], ou: ['people'] } },
  {
    dn: `uid=alice,${people}`,
    attributes: {
      objectClass: ['inetOrgPerson'],
      uid: ['alice'],
      cn: ['Alice Author'],
      'cn;lang-de': ['Alice Schriftstellerin üßé'],
      sn: ['Author'],
      mail: ['alice@example.net', 'alice.author@example.net'],
      description: [' begins with a blank', 'ends with one ', ': a colon', '< a bracket', 'two\nlines', ''],
      jpegPhoto: [everyOctet],
      telephoneNumber: ['+1 555 0100'],
    },
  },
  {
    dn: `uid=bob,${people}`,
    attributes: { objectClass: ['inetOrgPerson'], uid: ['bob'], cn: ['Bob Builder'], sn: ['Builder'] },
  },
  {
    dn: `cn=Odd\\2C Name \\2B \\22quotes\\22,${people}`,
    attributes: {
      objectClass: ['inetOrgPerson'],
      cn: ['Odd, Name + "quotes"'],
      sn: ['Name'],
      description: ['(parentheses) * and \\ backslash'],
    },
  },
  {
    dn: `cn=Jürgen,${people}`,
    attributes: { objectClass: ['inetOrgPerson'], cn: ['Jürgen'], sn: ['Groß'] },
  },
  {
    dn: `cn=secret,${suffix}`,
    attributes: { objectClass: ['organizationalRole'], cn: ['secret'], description: ['for logins alone'] },
    isHidden: true,
  },
  {
    dn: `ou=elsewhere,${suffix}`,
    attributes: { objectClass: ['referral'], ou: ['elsewhere'] },
    referral: 'ldap://127.0.0.1:9/ou=elsewhere,dc=example,dc=org',
  },
]

/** A DN in a form to compare: without blanks around its commas, and in lower case. */
export function normalDn(dn: string): string {
  return dn.replace(/(?<!\s)\s*(?<!\\)([,=])\s*/g, '$1').toLowerCase()
}

/** Whether a DN lies within the scope of a base; both must be normal. */
export function isInScope(dn: string, base: string, scope: number): boolean {
  if (scope === 0) return dn === base
  const isBelow = base === '' ? dn !== '' : dn.endsWith(`,${base}`)
  if (scope === 2) return isBelow || (dn === base && base !== '')
  return isBelow && !/(?<!\\),/.test(base === '' ? dn : dn.slice(0, -base.length - 1))
}
