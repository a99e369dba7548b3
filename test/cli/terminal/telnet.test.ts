/** A telnet session on a real terminal: typing, resizing, the menu behind ^], suspending. */
import type { TestServer } from '@retriever/servers'
import { expect, test } from 'vitest'
import { resetAfterX, scriptedTelnet, type TelnetPeer } from '../../protocols/telnet/support/scripted-telnet.ts'
import { hasTerminal, onPty } from '../../support/cli/pty.ts'
import { temporaryFolder, useBundle } from '../../support/cli/run.ts'
import { hasTmux } from '../../support/cli/tmux.ts'
import { onScreen } from '../../support/cli/tmux-session.ts'

useBundle()
const folder = temporaryFolder()

const [WILL_ECHO, WILL_SGA, DO_NAWS] = ['\xff\xfb\x01', '\xff\xfb\x03', '\xff\xfd\x1f']
const [DO_ECHO, DO_SGA, SB_NAWS] = ['\xff\xfd\x01', '\xff\xfd\x03', '\xff\xfa\x1f\0']

/** Shows each of these characters once it has come, as a host with a terminal does. */
async function echo(peer: TelnetPeer, text: string): Promise<void> {
  for (const character of text) {
    await peer.until(character)
    await peer.send(character)
  }
}

test.runIf(hasTmux)('a host that echoes gets each character, the size, and what the menu sends', async () => {
  await using server = await scriptedTelnet(async (peer) => {
    await peer.send(WILL_ECHO + WILL_SGA + DO_NAWS)
    await peer.until(DO_ECHO)
    await peer.until(DO_SGA)
    await peer.until(`${SB_NAWS}\x50`)
    await peer.send('login: ')
    await echo(peer, 'bob')
    await peer.until('\r\n')
    await peer.send('\r\n\x1b[32mhello bob\x1b[0m\r\n$ ')
    await peer.until(`${SB_NAWS}\x64`)
    await peer.send('now 100 wide\r\n$ ')
    await peer.until('\xff\xf6')
    await peer.send('[Yes]\r\n$ ')
    await peer.until('\xff\xf3')
    await peer.send('break!\r\n$ ')
    await peer.until('\x03')
    await peer.send('interrupted\r\n$ ')
    await peer.until('\x1d')
    await peer.send('escaped\r\n$ ')
    await peer.rest()
  })
  using screen = onScreen(folder(), `telnet://guest:pl4nted@127.0.0.1:${server.port}/`, 80)
  const start = await screen.shows(/login:$/m)
  expect(start).toContain('Connected to 127.0.0.1')
  expect(start).toContain('The URL suggests logging in as guest with the password pl4nted.')
  screen.type('bob')
  await screen.shows(/login: bob$/m)
  screen.type('Enter')
  await screen.shows(/hello bob\n\$/)
  screen.resize(100)
  await screen.shows(/now 100 wide/)

  screen.type('C-]')
  await screen.shows(/^retrieve>$/m)
  screen.type('status', 'Enter')
  const status = await screen.shows(/The escape character is \^\]/)
  expect(status).toContain('without encryption')
  expect(status).toContain('server ECHO, server SUPPRESS-GO-AHEAD, client NAWS')
  for (const [command, answer] of [
    ['send ayt', /\[Yes\]/],
    ['send brk', /break!/],
  ] as const) {
    screen.type('C-]')
    await screen.shows(/^retrieve>$/m)
    screen.type(command, 'Enter')
    await screen.shows(answer)
  }
  screen.type('C-c')
  await screen.shows(/interrupted/)
  screen.type('C-]')
  await screen.shows(/retrieve>$/m)
  screen.type('nonsense', 'Enter')
  await screen.shows(/nonsense is no command\.[\s\S]*quit +end the session/)
  screen.type('send escape', 'Enter')
  await screen.shows(/escaped/)
  screen.type('C-]')
  screen.type('q', 'Enter')
  await screen.shows(/ended with 0/)
})

test.runIf(hasTmux)('a plain service gets lines, which are edited here', async () => {
  await using server = await scriptedTelnet(async (peer) => {
    await peer.send('your name? ')
    await peer.until('bob\r\n')
    await peer.send(`hello, ${peer.received}`)
    await peer.rest()
    await peer.send('bye\r\n')
  })
  using screen = onScreen(folder(), server.url, 80)
  await screen.shows(/your name\?/)
  screen.type('alicf')
  await screen.shows(/your name\? alicf/)
  screen.type('C-u')
  await screen.shows(/your name\?$/m)
  screen.type('bobx', 'BSpace', 'Enter')
  await screen.shows(/your name\? bob\nhello, bob/)
  screen.type('C-d')
  await screen.shows(/bye[\s\S]*ended with 0/)
})

test.runIf(hasTmux)('Ctrl-C ends a session with a plain service', async () => {
  await using server = await scriptedTelnet(async (peer) => {
    await peer.send('wait\r\n')
    await peer.rest()
  })
  using screen = onScreen(folder(), server.url, 80)
  await screen.shows(/wait/)
  screen.type('C-c')
  await screen.shows(/ended with 130/)
})

test.runIf(hasTmux)('a session can be suspended, and goes on', async () => {
  await using server = await scriptedTelnet(async (peer) => {
    await peer.send(WILL_ECHO + WILL_SGA)
    await peer.until(DO_SGA)
    await peer.send('$ ')
    await echo(peer, 'abc')
    await peer.send(' over\r\n')
  })
  const url = server.url
  using screen = onScreen(folder(), `${url}; echo "stopped with $?"; fg`, 80, 'set -m; ')
  await screen.shows(/^\$$/m)
  screen.type('a')
  await screen.shows(/\$ a/)
  screen.type('C-]')
  await screen.shows(/retrieve>/)
  screen.type('z', 'Enter')
  await screen.shows(/stopped with 1[45]\d/)
  screen.type('bc')
  await screen.shows(/over[\s\S]*ended with 0/)
})

/** threats.md 82. */
const hostile = [
  '\x1b]52;c;cGF5bG9hZA==\x07',
  '\x1b]0;title\x1b\\',
  '\x1b[21t',
  '\x1bP$qm\x1b\\',
  '\x1b[6n',
  // CSI as one character, in UTF-8.
  '\xc2\x9b6n',
  '\x1b[c',
  '\x1b[8;10;10t',
  '\x1b[5i',
  '\x05',
].join('')

async function showHostile(peer: TelnetPeer): Promise<void> {
  await peer.send(`a\x1b[31mred\x1b[0m\x1b[?1049h${hostile}z\r\n`)
}

async function screenOf(server: TestServer, option = ''): Promise<string> {
  const { status, screen } = await onPty(folder(), `${option} ${server.url}`)
  expect(status).toBe(0)
  return screen
}

test.runIf(hasTerminal)(
  'case 82, hostile sequences are dropped, colours pass, and the terminal is left as it was',
  async () => {
    await using server = await scriptedTelnet(showHostile)
    const screen = await screenOf(server)
    expect(screen).toContain('a\x1b[31mred\x1b[0m\x1b[?1049hz')
    for (const part of ['cGF5', 'title', '[21t', '$q', '6n', '[c', '[8;', '[5i', '\x05'])
      expect(screen).not.toContain(part)
    expect(screen).toMatch(/\x1b\[\?1049l\x1b\[0m/)
  },
)

test.runIf(hasTerminal)('-o - shows them as they are', async () => {
  await using server = await scriptedTelnet(showHostile)
  expect(await screenOf(server, '-o -')).toContain('\x1b]52;c;cGF5bG9hZA==\x07')
})

test.runIf(hasTerminal)('a connection that breaks is an error', async () => {
  await using server = await scriptedTelnet(resetAfterX, { faults: { resetAfter: 0 } })
  const { status, screen } = await onPty(folder(), server.url, { hello: 'x\r' })
  expect(status).toBe(56)
  expect(screen).toMatch(/The server reset the\s+connection/)
})
