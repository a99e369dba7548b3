import { redact } from '@retriever/core'
import { describe, expect, test } from 'vitest'
import { redactUrl } from '../../../packages/core/src/secrets/redact.ts'

const secret = 's3cr3t'

describe('a planted secret is gone from', () => {
  test.each([
    `ftp://u:${secret}@h/`,
    `FTP://u:${secret}@h/`,
    `ftp://:${secret}@h/`,
    `ftp://u:x${secret}@h:21/a?b#c`,
    `ftp://u:${secret}:${secret}@h/`,
    `ftp://u:${secret}@${secret}@h/`,
    `ftp://u:a/${secret}@h/`,
    `ftp://u:a?${secret}@h/`,
    `ftp://u:a#${secret}@h/`,
    `http://u:${secret}@[::1]/`,
    `http://u:${secret}@h`,
    `//u:${secret}@h/x`,
    `cannot open ftp://u:${secret}@h/x: refused`,
    `<URL:ftp://u:${secret}@h/>`,
    `a=ftp://u:${secret}@h/ b=ftp://v:${secret}@i/`,
    `http://proxy/?url=ftp://u:${secret}@h/`,
    `x-y+z.1://u:${secret}@h`,
    `ftp://u:${secret}@`,
    `ftp://u%40d:${secret}@h/%zz`,
    `http://h/?token=${secret}`,
    `http://h/?a=b&access_token=${secret}&c=d`,
    `http://h/?X-Amz-Signature=${secret}`,
    `http://h/?sig=${secret}#f`,
    `http://h/?api_key=${secret}`,
    `http://h/?apikey=${secret}`,
    `http://h/?password=${secret};x=y`,
    `http://h/?client_secret=${secret}`,
    `/?code=${secret}`,
    `pop://u;AUTH=+APOP:${secret}@h/`,
    `imap://u;AUTH=*:${secret}@h/`,
    `imap://u;AUTH=${secret}@h/`,
    `http://h/?auth=${secret}`,
  ])('%s', (text) => {
    expect(redact(text)).not.toContain(secret)
  })

  test('a password of thousands of characters', () => {
    expect(redact(`ftp://u:${'a'.repeat(5000)}${secret}@h/`)).not.toContain(secret)
  })
})

describe('left alone:', () => {
  test.each([
    'ftp://u@h/',
    'ftp://u:@h/',
    'ftp://@h/',
    'http://h:8080/',
    'http://h:8080/a@b',
    'http://h/?tokens',
    'http://h/?page=2&q=secretary',
    'http://h/a:b@c',
    'news:1@x.y',
    'mailto:a@b',
    '',
    'no URL at all: a@b',
    'gopher://h/1a:b@c',
    'http://[::1]/a@b',
    'http://[fe80::1%25eth0]:80/a@b',
    'http://u@[::1]/',
    'see http://h: a@b',
  ])('%s', (text) => {
    expect(redact(text)).toBe(text)
  })
})

test('what is hidden stays as it is, with the colon behind it', () => {
  const sentence = `${redact('http://u:pw@h/?token=t&code=c')}: The server failed; see //u:***@h/?sig=***`
  expect(redact(sentence)).toBe(`http://u:***@h/?token=***&code=***: The server failed; see //u:***@h/?sig=***`)
  expect(redact('http://h/?token=***x')).toBe('http://h/?token=***')
})

test('what is around the password stays', () => {
  expect(redact('see ftp://u:pw@h:21/x?y#z, please')).toBe('see ftp://u:***@h:21/x?y#z, please')
})

test('a text that is one URL has no words: a blank does not end its password', () => {
  for (const url of ['http://u:a s3cr3t@h/', 'http://u:s3cr3t \n@h/', 'ftp://u v:s3cr3t @h']) {
    expect(redactUrl(url)).not.toContain(secret)
  }
  expect(redactUrl('http://h:80/a b@c')).toBe('http://h:80/a b@c')
})

test('twice is as once', () => {
  const once = redact('ftp://u:pw@h/?token=x')
  expect(redact(once)).toBe(once)
})
