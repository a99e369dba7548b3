/** The servers of @retriever/servers, read by the clients of others. */
import { execFile, execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ProtocolName, startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

let servers: TestServers
let folder = ''
beforeAll(async () => {
  servers = await startServers()
  folder = await mkdtemp(join(tmpdir(), 'retriever-clients-'))
})
afterAll(async () => {
  await servers.close()
  await rm(folder, { recursive: true })
})

const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/_proxy$|^LDAP|^NODE_OPTIONS$/i.test(name)),
)

/** What a program writes, one char an octet; the servers are in this process, so that it runs beside. */
function run(program: string, args: readonly string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { encoding: 'latin1', timeout: 20_000, cwd: folder, env: environment } as const
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`${program} ${args.join(' ')}\n${stdout}${stderr}`, { cause: error }))
    })
    child.stdin?.end(input)
  })
}

function has(program: string, ...args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore', timeout: 20_000 })
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT' && program !== 'python3'
  }
}

/** The tests of a client; says so where it is not installed. */
function client(name: string, isThere: boolean, tests: () => void): void {
  if (isThere) {
    describe(name, tests)
    return
  }
  test(`${name} is installed`, ({ skip }) => {
    const reason = `${name} is not installed`
    if (process.env.RETRIEVER_INTEROP !== 'required') skip(reason)
    expect.fail(reason)
  })
}

/** Runs lines of Python with the port of a server as `port`, and gives what they print. */
function python(protocol: ProtocolName, script: string): Promise<string> {
  return run('python3', ['-W', 'ignore', '-c', `port = ${servers[protocol].port}\n${script}`])
}

function pythonClient(module: string, tests: () => void): void {
  client(`Python's ${module}`, has('python3', '-W', 'ignore', '-c', `import ${module}`), tests)
}

pythonClient('imaplib', () => {
  test('lists, opens, searches and fetches, by numbers and UIDs', async () => {
    const printed = await python(
      'imap',
      `
import imaplib
m = imaplib.IMAP4('127.0.0.1', port)
def show(answer): print(answer[0], answer[1])
show(m.login('alice', 'secret'))
show(m.list())
show(m.list('""', 'E%'))
show(m.status('INBOX', '(MESSAGES UIDNEXT UIDVALIDITY)'))
show(m.select())
show(m.search(None, 'ALL'))
show(m.search(None, 'NOT', 'SUBJECT', '"hello"'))
show(m.uid('search', 'CHARSET', 'UTF-8', 'FROM', 'bob'))
m.literal = b'hello'
show(m.search('UTF-8', 'SUBJECT'))
show(m.fetch('1:*', '(UID FLAGS)'))
show(m.fetch('1', '(RFC822)'))
show(m.uid('fetch', '12', '(BODY.PEEK[HEADER.FIELDS (SUBJECT)])'))
show(m.fetch('2', '(BODY[TEXT]<0.3>)'))
show(m.noop())
show(m.close())
print(m.logout()[0])
try: m2 = imaplib.IMAP4('127.0.0.1', port); m2.login('alice', 'wrong')
except imaplib.IMAP4.error as error: print(error)
`,
    )
    expect(printed.split('\n')).toEqual([
      "OK [b'in']",
      `OK [b'(\\\\HasNoChildren) "/" "INBOX"', b'(\\\\HasNoChildren) "/" "Archiv &AOQ-"', b'(\\\\HasNoChildren) "/" "Empty"']`,
      `OK [b'(\\\\HasNoChildren) "/" "Empty"']`,
      `OK [b'"INBOX" (MESSAGES 2 UIDNEXT 13 UIDVALIDITY 7)']`,
      "OK [b'2']",
      "OK [b'1 2']",
      "OK [b'2']",
      "OK [b'11']",
      "OK [b'1']",
      String.raw`OK [b'1 (UID 11 FLAGS (\\Seen))', b'2 (UID 12 FLAGS (\\Seen))']`,
      String.raw`OK [(b'1 (RFC822 {94}', b'From: Bob <bob@example.net>\r\nSubject: Hello\r\nMessage-ID: <1@example.net>\r\n\r\nHello.\r\n.dot\r\n..\r\n'), b')']`,
      String.raw`OK [(b'2 (UID 12 BODY[HEADER.FIELDS (SUBJECT)] {40}', b'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=\r\n\r\n'), b')']`,
      "OK [(b'2 (BODY[TEXT]<0> {3}', b'--b'), b')']",
      "OK [b'NOOP completed']",
      "OK [b'CLOSE completed']",
      'BYE',
      "b'[AUTHENTICATIONFAILED] wrong user or password'",
      '',
    ])
  })
})

pythonClient('poplib', () => {
  test('counts, lists and reads messages', async () => {
    const printed = await python(
      'pop3',
      `
import poplib
m = poplib.POP3('127.0.0.1', port)
print(sorted(m.capa()))
m.user('alice'); m.pass_('secret')
print(m.stat())
print(m.list()[1], m.list(2))
print(m.uidl()[1], m.uidl(1))
print(m.retr(1)[1])
print(m.top(1, 1)[1])
m.noop(); m.rset()
print(m.quit())
`,
    )
    expect(printed.split('\n')).toEqual([
      "['SASL', 'TOP', 'UIDL', 'USER']",
      '(2, 360)',
      "[b'1 94', b'2 266'] b'+OK 2 266'",
      "[b'1 uid-1', b'2 uid-2'] b'+OK 1 uid-1'",
      "[b'From: Bob <bob@example.net>', b'Subject: Hello', b'Message-ID: <1@example.net>', b'', b'Hello.', b'.dot', b'..']",
      "[b'From: Bob <bob@example.net>', b'Subject: Hello', b'Message-ID: <1@example.net>', b'', b'Hello.']",
      "b'+OK bye'",
      '',
    ])
  })
})

pythonClient('ftplib', () => {
  test('lists and reads files, from a position on', async () => {
    const printed = await python(
      'ftp',
      `
import ftplib
f = ftplib.FTP(encoding='latin-1')
f.connect('127.0.0.1', port)
f.login()
got = []
f.retrbinary('RETR pub/hello.txt', got.append)
f.retrbinary('RETR pub/hello.txt', got.append, rest=7)
lines = []
f.retrlines('LIST pub/sub', lines.append)
print(got, len(lines), f.nlst('pub')[0], f.voidcmd('TYPE I')[:3], f.size('pub/a.bin'), f.cwd('pub'), f.pwd())
print([name for name, facts in f.mlsd('sub') if facts['type'] == 'dir'])
print(f.quit())
`,
    )
    expect(printed).toMatch(
      /^\[b'Hello, world\.\\n', b'world\.\\n'\] 1 \S*a\.bin 200 4096 250 .* \/pub\n\['deep'\]\n221 /,
    )
  })
})

pythonClient('nntplib', () => {
  test('lists groups, overviews, fields and articles', async () => {
    const printed = await python(
      'nntp',
      `
import nntplib, datetime
n = nntplib.NNTP('127.0.0.1', port)
print([group.group for group in n.list()[1]])
print(n.group('retriever.test')[1:])
print([fields['subject'] for number, fields in n.over((1, 2))[1]])
print(n.xhdr('subject', '1-2')[1])
print(n.article(1)[1].message_id, n.next()[1:], n.last()[1:])
print(n.body('<two@example.net>')[1].lines[0])
print(n.description('retriever.test'), len(n.newgroups(datetime.datetime(1999, 1, 1))[1]), n.newgroups(datetime.datetime(2020, 1, 1))[1])
print(n.date()[1].year > 2000, n.quit()[:3])
`,
    )
    expect(printed.split('\n')).toEqual([
      "['retriever.announce', 'retriever.empty', 'retriever.test']",
      "(6, 1, 6, 'retriever.test')",
      "['A first test', 'Re: A first test']",
      "[('1', 'A first test'), ('2', 'Re: A first test')]",
      "<one@example.net> (2, '<two@example.net>') (1, '<one@example.net>')",
      "b'> One line.'",
      'Tests. 3 []',
      'True 205',
      '',
    ])
  })
})

client('curl', has('curl', '--version'), () => {
  const hello = 'Hello, world.\n'
  const login = ['-u', 'alice:secret']
  const rows: readonly (readonly [ProtocolName, string, string | RegExp, readonly string[]])[] = [
    ['http', 'pub/hello.txt', hello, []],
    ['http', 'pub/', /<title>Index of \/pub<\/title>/, []],
    ['ftp', 'pub/hello.txt', hello, []],
    ['ftp', 'pub/hello.txt', 'llo,', ['-r', '2-5']],
    ['ftp', 'pub/hello.txt', /^Last-Modified: .*\r\nContent-Length: 14\r\n/, ['-I']],
    ['gopher', '0/pub/hello.txt', 'Hello, world.\r\n.\r\n', []],
    ['dict', 'd:url', /\r\n250 ok \[d\/m\/c = /, []],
    ['dict', 'm:ur:*:prefix', /\r\nweb "url"\r\n/, []],
    ['ldap', 'dc=example,dc=net?mail?sub?(uid=alice)', /^DN: uid=alice,.*\n\tmail: alice@example\.net\n/, []],
    ['tftp', 'hello.txt', /^Hello, world\.\n/, []],
    ['imap', '', /^\* LIST \(\\HasNoChildren\) "\/" "INBOX"\r\n/, login],
    ['imap', 'INBOX;UID=11', /^From: Bob .*\r\n\.\.\r\n$/s, login],
    ['imap', 'INBOX;MAILINDEX=2;SECTION=HEADER', /^Subject: .*\r\n\r\n$/s, login],
    ['imap', 'INBOX?SUBJECT%20Hello', '* SEARCH 1\r\n', login],
    ['pop3', '', '1 94\r\n2 266\r\n', login],
    ['pop3', '1', /^From: Bob .*\r\n\.\.\r\n$/s, login],
    ['rtsp', 'stream', /^RTSP\/1\.0 200 OK\r\n/, ['-i']],
  ]
  test.each(rows)('%s: %s', async (protocol, path, expected, options) => {
    const printed = await run('curl', ['-sS', '-m', '15', ...options, servers[protocol].url + path])
    if (typeof expected === 'string') expect(printed).toBe(expected)
    else expect(printed).toMatch(expected)
  })

  test('mqtt: the message, then the end of the connection', async () => {
    const failure = run('curl', ['-sS', '-o', '-', '-m', '15', `${servers.mqtt.url}pub/hello`])
    // curl knows no end of a topic but the server's, and calls it a failure (56).
    await expect(failure).rejects.toMatchObject({ message: expect.stringContaining('Hello.\n'), cause: { code: 56 } })
  })

  test('telnet', async () => {
    expect(await run('curl', ['-sS', '-m', '15', servers.telnet.url], 'quit\n')).toContain('Goodbye.\r\n')
  })
})

client('ldapsearch', has('ldapsearch', '-VV'), () => {
  const search = (...args: string[]): Promise<string> =>
    run('ldapsearch', ['-x', '-LLL', '-H', servers.ldap.url, '-o', 'ldif-wrap=no', ...args])

  test('finds entries, with and without a login', async () => {
    const base = ['-b', 'dc=example,dc=net']
    expect(await search(...base, '(uid=a*)', 'mail')).toMatch(/^dn: uid=alice,.*\nmail: alice@example\.net\n/)
    const login = ['-D', 'uid=alice,ou=people,dc=example,dc=net', '-w', 'secret']
    const secret = ['-b', 'cn=secret,dc=example,dc=net', '-s', 'base', 'cn']
    expect(await search(...login, ...secret)).toContain('cn: secret\n')
    await expect(search(...secret)).rejects.toMatchObject({ cause: { code: 50 } })
    expect(await search('-b', '', '-s', 'base', '+')).toContain('namingContexts: dc=example,dc=net\n')
  })
})

client('mosquitto_sub', has('mosquitto_sub', '--help'), () => {
  const subscribe = (...args: string[]): Promise<string> =>
    run('mosquitto_sub', ['-h', '127.0.0.1', '-p', String(servers.mqtt.port), '-W', '15', ...args])

  test('gets the messages of topics and filters', async () => {
    expect(await subscribe('-t', 'pub/hello', '-C', '1')).toBe('Hello.\n\n')
    expect(await subscribe('-t', 'pub/#', '-C', '4', '-F', '%t %l')).toBe(
      'pub/a.bin 1000\npub/a.bin 3096\npub/hello 7\npub/empty 0\n',
    )
    const two = ['-t', '+/hello', '-t', 'pub/empty', '-C', '2', '-F', '%t', '-u', 'alice', '-P', 'secret']
    expect(await subscribe(...two)).toBe('pub/hello\npub/empty\n')
  })

  test('is told that a version or a password is not taken', async () => {
    await expect(subscribe('-t', 'pub/hello', '-V', '31')).rejects.toThrow(/protocol version/)
    await expect(subscribe('-t', 'pub/hello', '-u', 'alice', '-P', 'x')).rejects.toThrow(/user name or password/)
  })
})

client('yaz-client', has('yaz-client', '-V'), () => {
  test('searches and shows records', async () => {
    const lines = 'base books\nfind @attr 1=1032 b1\nshow 1\nformat xml\nshow 1\nformat sutrs\nshow 1\nquit\n'
    const printed = await run('yaz-client', [`127.0.0.1:${servers.z3950.port}`], lines)
    expect(printed).toContain('Number of hits: 1')
    expect(printed).toMatch(/\n001 b1\n[\s\S]*<record[\s\S]*\[books\]Record type: SUTRS/)
  })
})

client('dict', has('dict', '--version'), () => {
  test('defines a word', async () => {
    const printed = await run('dict', ['-h', '127.0.0.1', '-p', String(servers.dict.port), '-d', 'web', 'url'])
    expect(printed).toMatch(/^2 definitions found[\s\S]*A Uniform Resource Locator \(RFC 1738\)\./)
  })
})

client('tftp', has('tftp', '-V'), () => {
  test('gets a file in both modes', async () => {
    const lines = 'mode octet\nget bytes.bin octets\nmode ascii\nget hello.txt text\nquit\n'
    await run('tftp', ['-4', '127.0.0.1', String(servers.tftp.port)], lines)
    expect((await readFile(join(folder, 'octets'))).subarray(0, 4)).toEqual(Buffer.from([0, 1, 2, 3]))
    expect(await readFile(join(folder, 'text'), 'latin1')).toMatch(/^Hello, world\.\n/)
  })
})

client('nfs-cat', has('nfs-cat'), () => {
  test('reads a file by version 3, and nfs-ls a directory', async () => {
    const { port } = servers.nfs
    const query = `nfsport=${port}&mountport=${port}`
    expect(await run('nfs-cat', [`nfs://127.0.0.1/pub/hello.txt?${query}`])).toBe('Hello, world.\n')
    expect(await run('nfs-ls', [`nfs://127.0.0.1/pub/sub?${query}`])).toMatch(/ deep\n$/)
  })
})

client('lftp', has('lftp', '--version'), () => {
  test('lists a directory and reads a file', async () => {
    const commands = `set net:max-retries 1; open ${servers.ftp.url}; cls -1 pub/sub; cat pub/hello.txt`
    expect(await run('lftp', ['--norc', '-c', commands])).toBe('pub/sub/deep/\nHello, world.\n')
  })
})

client('wget', has('wget', '--version'), () => {
  test.each(['http', 'ftp'] as const)('reads a file by %s', async (protocol) => {
    const args = ['--no-config', '-q', '-t', '1', '-O', '-', `${servers[protocol].url}pub/hello.txt`]
    expect(await run('wget', args)).toBe('Hello, world.\n')
  })
})

client('lynx', has('lynx', '-version'), () => {
  test('shows a Gopher menu and a newsgroup', async () => {
    expect(await run('lynx', ['-dump', `${servers.gopher.url}1/pub`])).toMatch(/\(FILE\) \[\d+\]hello\.txt\n/)
    expect(await run('lynx', ['-dump', `${servers.nntp.url}retriever.test`])).toContain('"A first test" - Ann Author')
  })
})
