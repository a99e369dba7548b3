// A client that does all that one must not: naive-client.mjs URL FILE. It takes what comes, without any limit.
import { createWriteStream } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'

const [, , url, file] = process.argv
retrieve(new URL(url))

function retrieve({ hostname, port, username, password, pathname }) {
  const login = Buffer.from(`${username}:${decodeURIComponent(password)}`).toString('base64')
  const socket = connect(Number(port), hostname)
  // The same login for all servers, and the whole URL.
  const fields = [`Host: ${hostname}`, `Authorization: Basic ${login}`, `Referer: ${url}`]
  socket.write(`GET ${pathname} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`)
  let octets = ''
  socket.on('data', (chunk) => {
    octets += chunk.toString('latin1')
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    const [head, ...rest] = octets.split('\r\n\r\n')
    // What the server says, as it is.
    process.stderr.write(Buffer.from(`${head.split('\r\n')[0]}\n`, 'latin1'))
    const [, location] = /^Location: (.*)$/im.exec(head) ?? []
    if (location) return retrieve(Object.assign(new URL(location, url), { username, password }))
    const [, name] = /filename="([^"]+)"/.exec(head) ?? []
    const target = name === undefined ? file : join(dirname(file), name)
    createWriteStream(target).end(Buffer.from(rest.join('\r\n\r\n'), 'latin1'))
  })
}
