import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { entriesOf, errorOf, failure, retrieve, retrieveToFile, suite, trusting } from './suite.ts'

const suffix = 'dc=example,dc=net'
const people = `ou=people,${suffix}`

/** The values of each entry, by its name: `cn=Alice Author` with the octets of the value in hexadecimal. */
type Values = ReadonlyMap<string, readonly string[]>

suite('slapd', (server) => {
  describe.each([
    ['one entry', `uid=alice,${people}`, 'base', '(objectClass=*)', []],
    ['the server itself', '', 'base', '(objectClass=*)', ['*', '+']],
    ['some attributes', people, 'one', '(uid=user0*)', ['cn', 'mail']],
    ['a tree', suffix, 'sub', '(|(ou=*)(cn=*[*)(cn=*ü*)(cn=odd, name*)(member=*))', []],
    ['octets in a filter', suffix, 'sub', '(userCertificate;binary=*)', ['jpegPhoto', 'userCertificate;binary']],
    ['escapes in a filter', suffix, 'sub', '(cn=J\\c3\\bcrgen Gro\\C3\\9F)', []],
    ['brackets', suffix, 'sub', '(description=\\28parentheses\\29 \\2a and \\5c*)', []],
    ['comparisons', suffix, 'sub', '(&(!(employeeNumber=05))(sn~=Number12))', ['sn']],
    ['an extensible match', suffix, 'sub', '(&(sn:caseExactMatch:=Author)(ou:dn:=people))', ['sn']],
    ['all of nothing', suffix, 'one', '(&)', ['1.1']],
    ['an option', suffix, 'sub', '(cn;lang-de=alice*)', ['cn;lang-de']],
  ] as const)('%s', (_, base, scope, filter, attributes) => {
    const path = [base, attributes.join(','), scope, filter].map((part) => encodeURIComponent(part)).join('?')
    const url = (): string => server.url('ldap', `/${path.replaceAll('%2C', ',')}`)

    test('the same values as ldapsearch gives', async () => {
      const ours = valuesIn((await retrieveToFile(url())).toString('latin1'))
      const args = ['-x', '-LLL', '-H', server.url('ldap', ''), '-b', base, '-s', scope, filter, ...attributes]
      expect(ours).toEqual(valuesIn(await run('ldapsearch', args)))
      expect(ours.size).toBeGreaterThan(0)
    })

    test('the same entries by the library, whose URLs lead to them', async () => {
      if (scope === 'base') return
      const found = (await entriesOf(url())).filter(({ kind }) => kind === 'file')
      expect(found.map(({ name }) => name)).toEqual(found.map(({ details }) => details?.dn))
      for (const { url: own, name } of found) {
        const [first] = valuesIn((await retrieveToFile(own ?? '')).toString('latin1')).keys()
        expect(Buffer.from(first ?? '', 'latin1').toString()).toBe(name)
      }
    })
  })

  test('the same values as curl gives', async () => {
    // Below a reference, curl gives nothing more.
    const url = server.url('ldap', `/${people}??sub?(%7C(cn=J*)(cn=Odd*)(uid=user07)(uid=alice))`)
    const ours = valuesIn((await retrieveToFile(url)).toString('latin1'))
    const theirs = new Map<string, string[]>()
    let values: string[] = []
    for (const line of (await run('curl', ['-sS', '--noproxy', '*', url])).split(/\n(?=\n|\t|DN: )/)) {
      const [, dn] = /^DN: (.*)$/s.exec(line) ?? []
      if (dn !== undefined) {
        values = []
        theirs.set(dn, values)
      }
      const [, type, isBase64, value = ''] = /^\t([^:]*):(:?) (.*)$/s.exec(line) ?? []
      if (type !== undefined) values.push(`${type}=${hex(value, isBase64 === ':')}`)
    }
    expect(ours).toEqual(theirs)
  })

  test('octets are those of the files that slapd was given', async () => {
    const url = server.url('ldap', `/uid=alice,${people}?jpegPhoto,userCertificate%3Bbinary`)
    const [values] = valuesIn((await retrieveToFile(url)).toString('latin1')).values()
    expect(values).toEqual([
      `jpegPhoto=${(await server.seed('photo.bin')).toString('hex')}`,
      `userCertificate;binary=${(await server.seed('cert.der')).toString('hex')}`,
    ])
  })

  test('LDIF is what slapd itself would take: folded, and in base64 where it must be', async () => {
    const ours = (await retrieveToFile(server.url('ldap', `/${people}??one?(!(uid=user*))`))).toString('latin1')
    const args = ['-x', '-LL', '-H', server.url('ldap', ''), '-b', people, '-s', 'one', '(!(uid=user*))']
    const theirs = (await run('ldapsearch', [...args, '-o', 'ldif-wrap=76'])).trimEnd()
    expect(ours.split('\n').filter((line) => line.length > 76)).toEqual([])
    // The order is another one in pages.
    expect(ours.trimEnd().split('\n\n').sort()).toEqual(theirs.split('\n\n').sort())
  })

  test('ldaps, StartTLS and the local socket', async () => {
    const ca = server.path('cert.pem')
    const path = `/uid=user03,${people}?mail`
    const plain = await retrieveToFile(server.url('ldap', path))
    expect(plain.toString()).toContain('mail: user03@example.net')
    expect(await retrieveToFile(server.url('ldaps', path, { offset: 1 }), '--cacert', ca)).toEqual(plain)
    expect(await retrieveToFile(server.url('ldap', path), '--ssl-reqd', '--cacert', ca)).toEqual(plain)
    expect(await retrieveToFile(`ldapi://${encodeURIComponent(server.path('ldapi'))}${path}`)).toEqual(plain)
    expect(await failure(60, server.url('ldaps', path, { offset: 1 }))).toContain('certificate')
    expect(await failure(60, server.url('ldap', path), '--ssl-reqd')).toContain('certificate')
  })

  test('the local socket logs in the user of this system, as ldapsearch -Y EXTERNAL does', async () => {
    const dn = `cn=local,ou=groups,${suffix}`
    const socket = `ldapi://${encodeURIComponent(server.path('ldapi'))}`
    const ours = valuesIn((await retrieveToFile(`${socket}/${dn}`)).toString('latin1'))
    const search = ['-LLL', '-H', socket, '-b', dn, '-s', 'base']
    expect(ours).toEqual(valuesIn(await run('ldapsearch', ['-Q', '-Y', 'EXTERNAL', ...search])))
    expect([...ours.keys()]).toEqual([dn])
    // Without that login nobody gets it: over TCP, by an empty bindname, and as ldapsearch -x.
    for (const url of [server.url('ldap', `/${dn}`), `${socket}/${dn}????bindname=`]) {
      expect(await failure(78, url)).toContain('32 noSuchObject')
    }
    await expect(run('ldapsearch', ['-x', ...search])).rejects.toMatchObject({ code: 32 })
    const { status, stderr } = await retrieve('-u', ':', `${socket}/${dn}`)
    expect({ status, stderr }).toMatchObject({ status: 78, stderr: expect.stringContaining('32 noSuchObject') })
  })

  test('a login by -u, by the URL and -u, and without a password', async () => {
    const alice = `uid=alice,${people}`
    const url = server.url('ldap', `/${alice}?userPassword`)
    const anonymous = (await retrieveToFile(url)).toString()
    expect(anonymous).not.toContain('userPassword')
    const bindname = `????!bindname=${encodeURIComponent(alice)}`.slice(1)
    for (const args of [
      [url, '-u', `${alice}:secret`],
      [`${url}${bindname}`, '-u', `${alice}:secret`],
    ]) {
      const [first = '', ...options] = args
      expect((await retrieveToFile(first, ...options)).toString()).toContain('userPassword:')
    }
    const refused = await failure(67, url, '-u', `${alice}:wrong`)
    expect(refused).toContain('49 invalidCredentials')
    expect(refused).not.toContain('wrong')
  })

  test('what came before the size limit is kept, and the exit status says that there is more', async () => {
    const url = server.url('ldap', `/${suffix}?1.1?sub`)
    const { status, stdout, stderr } = await retrieve('-u', `uid=user01,${people}:secret`, url)
    expect({ status, stderr }).toEqual({
      status: 18,
      stderr: expect.stringContaining('stopped at its size limit, after 20 entries: 4 sizeLimitExceeded'),
    })
    expect(valuesIn(stdout.toString('latin1')).size).toBe(20)
    const { status: fine } = await retrieve('ls', '--limit', '5', url)
    expect(fine).toBe(0)
  })

  test.each([
    ['a soft limit of 5, a hard one of 40, pages of 7', 'user02', 40, 'its size limit, after 40 entries: 4'],
    ['a limit of 15, and no pages', 'user03', 15, 'an administrative limit, after 15 entries: 11'],
    ['a limit for what it looks at', 'user04', 0, 'an administrative limit, before the first entry: 11'],
  ])('%s: as many entries as ldapsearch gets, listed, too, and the limit is named', async (_, user, most, words) => {
    const login = `uid=${user},${people}`
    const url = server.url('ldap', `/ou=many,${suffix}?1.1?sub?(objectClass=device)`)
    for (const args of [[url], ['ls', '--json', url]]) {
      const { status, stdout, stderr } = await retrieve('-u', `${login}:secret`, ...args)
      const found = stdout.toString().match(/^(?:dn: |\{.*"name":)/gm) ?? []
      expect({ status, count: found.length }).toEqual({ status: most === 0 ? 8 : 18, count: most })
      expect(stdout + stderr).toContain(`The server stopped at ${words}`)
    }
    const search = ['-LLL', '-x', '-D', login, '-w', 'secret', '-H', server.url('ldap', ''), '-b', `ou=many,${suffix}`]
    const pages = user === 'user02' ? ['-E', 'pr=7/noprompt'] : []
    const theirs = await run('ldapsearch', [...search, ...pages, '(objectClass=device)', '1.1']).catch(Object)
    expect(String(theirs.stdout).match(/^dn: /gm) ?? []).toHaveLength(most)
  })

  test('several URLs give one text of LDIF, which ldapadd reads as so many entries', async () => {
    const names = [`uid=alice,${people}`, `uid=user01,${people}`, `uid=user02,${people}`]
    const [alice = '', ...users] = names.map((name) => server.url('ldap', `/${name}`))
    const { stdout } = await retrieve(alice, ...users)
    expect(stdout.toString().match(/^version: 1$/gm)).toHaveLength(1)
    const file = join(await mkdtemp(join(tmpdir(), 'ldif-')), 'joined.ldif')
    await writeFile(file, stdout)
    const read = await run('ldapadd', ['-n', '-v', '-x', '-H', server.url('ldap', ''), '-f', file])
    await rm(dirname(file), { recursive: true })
    expect([...read.matchAll(/^!adding new entry "(.*)"$/gm)].map(([, dn]) => dn)).toEqual(names)
    expect(read).not.toContain('version')
  })

  describe('3,002 entries, of which one search gives 500', () => {
    const url = (): string => server.url('ldap', `/ou=many,${suffix}?1.1?sub`)

    test.each([
      ['pages of 500', []],
      ['pages of 100, as a larger one is refused', ['-u', `uid=alice,${people}:secret`]],
    ])('all come in %s, as ldapsearch gives them', async (_, options) => {
      const ours = valuesIn((await retrieveToFile(url(), ...options)).toString('latin1'))
      const pages = ['-x', '-LLL', '-E', 'pr=500/noprompt', '-H', server.url('ldap', '')]
      const theirs = await run('ldapsearch', [...pages, '-b', `ou=many,${suffix}`, '1.1'])
      expect([...ours.keys()]).toEqual([...theirs.matchAll(/^dn: (.*)$/gm)].map(([, dn]) => dn))
      expect(ours.size).toBe(3002)
    })

    test('--limit takes so many', async () => {
      for (const limit of [1, 500, 1200]) {
        const { status, stdout } = await retrieve('ls', '--limit', String(limit), '--json', url())
        expect(status).toBe(0)
        expect(stdout.toString().trimEnd().split('\n')).toHaveLength(limit)
      }
    })
  })

  test('references and referrals are printed, and not followed', async () => {
    const target = `ldap://ldap.example.org/ou=elsewhere,dc=example,dc=org`
    const tree = (await retrieveToFile(server.url('ldap', `/${suffix}?1.1?one`))).toString()
    expect(tree).toContain(`\n# reference: ${target}??base\n`)
    expect(await failure(8, server.url('ldap', `/ou=elsewhere,${suffix}`))).toContain(`refers to ${target}`)
  })

  test('refusals', async () => {
    expect(await failure(78, server.url('ldap', `/uid=nobody,${people}`))).toContain('32 noSuchObject')
    expect(await failure(8, server.url('ldap', '/no-dn'))).toContain('34 invalidDNSyntax')
    const insecure = await errorOf(entriesOf(server.url('ldaps', `/${people}??sub`, { offset: 1 })))
    expect(insecure.code).toBe('certificate')
    const found = await entriesOf(
      server.url('ldaps', `/${people}??sub?(uid=alice)`, { offset: 1 }),
      await trusting(server),
    )
    expect(found).toHaveLength(1)
  })
})

suite('ldapjs', (server) => {
  const alice = `uid=alice,${people}`
  const elsewhere = 'ldap://ldap.example.org/ou=elsewhere,dc=example,dc=org'

  test.each([
    ['the server itself', '', 'base', '(objectClass=*)', [], 1],
    ['one entry', alice, 'base', '(objectClass=*)', [], 1],
    ['one level', suffix, 'one', '(objectClass=*)', ['objectClass'], 2],
    ['some attributes', people, 'one', '(uid=user0*)', ['cn', 'employeeNumber'], 9],
    ['a tree', suffix, 'sub', '(|(cn=J*)(cn=Odd, Name*)(mail=alice@*)(ou=*))', [], 5],
    ['comparisons', people, 'sub', '(&(!(employeeNumber=05))(employeeNumber>=04)(employeeNumber<=07))', [], 3],
    ['no attributes', people, 'sub', '(sn=Author)', ['1.1'], 1],
  ] as const)('%s: the same values as ldapsearch gives', async (_, base, scope, filter, attributes, count) => {
    const path = [base, attributes.join(','), scope, filter].map((part) => encodeURIComponent(part)).join('?')
    const ours = await retrieveToFile(server.url('ldap', `/${path.replaceAll('%2C', ',')}`))
    const args = ['-x', '-LLL', '-H', server.url('ldap', ''), '-b', base, '-s', scope, filter, ...attributes]
    expect(valuesIn(ours.toString('latin1'))).toEqual(valuesIn(await run('ldapsearch', args)))
    expect(valuesIn(ours.toString('latin1')).size).toBe(count)
  })

  test('the octets of a photo', async () => {
    const [values] = valuesIn((await retrieveToFile(server.url('ldap', `/${alice}?jpegPhoto`))).toString()).values()
    expect(values).toEqual([`jpegPhoto=${(await server.seed('photo.bin')).toString('hex')}`])
  })

  test('URLs of a listing lead to the entries', async () => {
    const found = (await entriesOf(server.url('ldap', `/${people}?cn?one`))).filter(({ kind }) => kind === 'file')
    expect(found).toHaveLength(18)
    for (const { url, name } of found) {
      const [first] = valuesIn((await retrieveToFile(url ?? '')).toString('latin1')).keys()
      expect(first).toBe(name)
    }
  })

  test('without pages, a search ends at the 1,000 entries that the server gives', async () => {
    const url = server.url('ldap', `/ou=many,${suffix}?1.1?one`)
    const { status, stdout, stderr } = await retrieve(url)
    expect({ status, stderr }).toEqual({
      status: 18,
      stderr: expect.stringContaining('stopped at its size limit, after 1000 entries: 4 sizeLimitExceeded'),
    })
    const ours = valuesIn(stdout.toString('latin1'))
    const search = ['-x', '-LLL', '-H', server.url('ldap', ''), '-b', `ou=many,${suffix}`, '-s', 'one']
    const theirs = await run('ldapsearch', [...search, '(objectClass=*)', '1.1']).catch(Object)
    expect(ours).toEqual(valuesIn(theirs.stdout))
    for (const limit of [1, 1000]) {
      const { status, stdout } = await retrieve('ls', '--limit', String(limit), '--json', url)
      expect([status, stdout.toString().trimEnd().split('\n').length]).toEqual([0, limit])
    }
  })

  test('the local socket, where the server closes the connection at SASL EXTERNAL', async () => {
    const socket = `ldapi://${encodeURIComponent(server.path('ldapi'))}`
    const { status, stdout, stderr } = await retrieve('-v', `${socket}/${alice}?mail`)
    expect([status, stdout]).toEqual([0, await retrieveToFile(server.url('ldap', `/${alice}?mail`))])
    expect(stderr.match(/connected to/g)).toHaveLength(2)
    await expect(run('ldapsearch', ['-Q', '-Y', 'EXTERNAL', '-H', socket])).rejects.toMatchObject({ code: 255 })
  })

  test('ldaps, and StartTLS that the server lacks', async () => {
    const ca = server.path('cert.pem')
    const path = `/${alice}?mail`
    const plain = await retrieveToFile(server.url('ldap', path))
    expect(await retrieveToFile(server.url('ldaps', path, { offset: 1 }), '--cacert', ca)).toEqual(plain)
    expect(await failure(60, server.url('ldaps', path, { offset: 1 }))).toContain('certificate')
    expect(await failure(35, server.url('ldap', path), '--ssl-reqd')).toContain('does not offer StartTLS')
  })

  test('logins: right, wrong, and none', async () => {
    const url = server.url('ldap', `/cn=members,${suffix}`)
    const ours = await retrieveToFile(url, '-u', `${alice}:secret`)
    const search = ['-x', '-LLL', '-H', server.url('ldap', ''), '-b', `cn=members,${suffix}`]
    const theirs = await run('ldapsearch', [...search, '-D', alice, '-w', 'secret'])
    expect(valuesIn(ours.toString('latin1'))).toEqual(valuesIn(theirs))
    const refused = await failure(67, url, '-u', `${alice}:wrong`)
    expect(refused).toContain('49 invalidCredentials')
    expect(refused).not.toContain('wrong')
    expect(await failure(67, url)).toContain('50 insufficientAccessRights')
  })

  test('entries that are not there, references and referrals', async () => {
    expect(await failure(78, server.url('ldap', `/uid=nobody,${people}`))).toContain('32 noSuchObject')
    expect(await failure(78, server.url('ldap', '/dc=example,dc=org'))).toContain('32 noSuchObject')
    const tree = (await retrieveToFile(server.url('ldap', `/${people}?1.1?one`))).toString()
    expect(tree).toContain(`\n# reference: ${elsewhere}`)
    expect(await failure(8, server.url('ldap', `/ou=elsewhere,${suffix}`))).toContain(`refers to ${elsewhere}`)
  })
})

async function run(program: string, args: readonly string[]): Promise<string> {
  const options = { encoding: 'latin1', timeout: 30_000, env: { ...process.env, LDAPNOINIT: '1' } } as const
  return (await promisify(execFile)(program, args, options)).stdout
}

/** The entries of LDIF, comments left out. */
function valuesIn(ldif: string): Values {
  const records = ldif.replaceAll('\n ', '').split(/\n\n+/)
  const entries = records.flatMap((record): [string, string[]][] => {
    const lines = record.split('\n').flatMap((line) => {
      const [, type, isBase64, value = ''] = /^([^#:][^:]*):(:?) ?(.*)$/.exec(line) ?? []
      return type === undefined || type === 'version' ? [] : [`${type}=${hex(value, isBase64 === ':')}`]
    })
    const [dn, ...values] = lines
    return dn === undefined ? [] : [[Buffer.from(dn.slice(3), 'hex').toString('latin1'), values]]
  })
  return new Map(entries)
}

function hex(value: string, isBase64: boolean): string {
  return Buffer.from(value, isBase64 ? 'base64' : 'latin1').toString('hex')
}
