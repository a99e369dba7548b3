import { explain, formatExplanation, redact, resolve } from '@retriever/core'
import { describe, expect, test } from 'vitest'
import { isSecretName } from '../../packages/core/src/secrets/secret-names.ts'
import { options } from './target.ts'

/** Where a secret was shown although it is hidden elsewhere in the same record. */

const shown = [
  'http://h/a;token=S3CR3T',
  'http://h/a;token=x/S3CR3T',
  'http://h/#access_token=S3CR3T',
  'http://h/?%74oken=S3CR3T',
  'http://h/?to%6ben%3DS3CR3T',
  'http://h/?user[password]=S3CR3T',
  'http://h/?user%5Bpassword%5D=S3CR3T',
  'http://h/?url=http%3A%2F%2Fh%2F%3Ftoken%3DS3CR3T',
  'http://h/?url=http%3A%2F%2Fh%2F%3F%2574oken%3DS3CR3T',
  'http://h/?url=ftp%3A%2F%2Fu%3AS3CR3T%40h%2F',
  'http://h/?url=http://i/?token=S3CR3T',
  'ftp://h/a?token=S3CR3T',
  'ftp://h/d;token=x/S3CR3T',
  'ftp://h/d;token=S3CR3T;type=a',
  'gopher://h/0a?token=S3CR3T',
  'gopher://h/7a?token=x%09S3CR3T',
  'gopher://h/0a%3Ftoken%3DS3CR3T',
  'finger://h/?token=S3CR3T',
  'nfs://h/a?token=S3CR3T',
  'file:///a;token=S3CR3T',
  'ldap://h/o=x?token=S3CR3T',
  'ldap://h/o=x???(a=b?token=S3CR3T)',
  'mailto:a@b?token=S3CR3T',
  'mailto:a@b?body=x%3Ftoken=S3CR3T',
  'wais://h/d?token=S3CR3T',
  'prospero://h/a;token=S3CR3T',
  'urn:example:a?=token=S3CR3T',
  'urn:example:a?+token=S3CR3T',
  'news:a.b;token=S3CR3T',
  'ldapi://%2Fa?token=S3CR3T/x',
  'irc://h/c?key=S3CR3T',
  'http:u:S3CR3T@h/',
  'http:/u:S3CR3T@h/',
  'http:\\\\u:S3CR3T@h/',
  'http:\\u:S3CR3T@h/',
  'http://DOMAIN\\u:S3CR3T@h/',
  'http://u:123456/S3CR3T@h/',
  'http://u:12?S3CR3T@h/',
  'http://u:12#S3CR3T@h/',
  'ftp://u:1S3CR3T@h/',
  'ftp://[::1]:S3CR3T@h/',
  'news://u:@h\x7F&code=S3CR3T',
]

test.each(shown)('%j is explained without its secret', (url) => {
  const record = explain(url, options)
  expect(JSON.stringify(record) + formatExplanation(record)).not.toContain('S3CR3T')
})

test('structure and numbers stay those of the URL as given', () => {
  const { plan } = resolve('ftp://h/d;token=x/y')
  expect(explain('ftp://h/d;token=x/y')).toMatchObject({
    plan: { cwd: ['***'], name: '***', wire: plan.wire.map(() => '***') },
  })
  expect(explain('data:text/plain,a?token=bcdef')).toMatchObject({ plan: { mediaType: 'text/plain', size: 13 } })
  expect(explain('ftp://h/a?token=b')).toMatchObject({
    plan: {
      user: 'anonymous',
      password: 'anonymous@',
      name: 'a?token=***',
      wire: expect.arrayContaining(['RETR a?token=***\r\n']),
    },
  })
})

describe('names of parameters', () => {
  const secret =
    'token access_token id_token jwt session sessionid session_id PHPSESSID JSESSIONID sid connect.sid otp totp pin user_pin bearer ' +
    'authorization credential X-Goog-Credential access_key AWSAccessKeyId SAMLResponse SAMLRequest password passwd pwd pw sig signature ' +
    'X-Amz-Signature code auth_code key api_key apikey secret client_secret client_assertion csrf %74oken to%6Ben user[pin] ticket'
  const plain =
    'q page zipcode country_code sort_key spin inside tokens secretary keyword author design posid type sign passage'

  test.each(secret.split(' '))('%s is one of a secret', (name) => {
    expect(isSecretName(name)).toBe(true)
    expect(redact(`http://h/?a=b&${name}=S3CR3T&c=d`)).toBe(`http://h/?a=b&${name}=***&c=d`)
    expect(redact(`http://h/#${name}=S3CR3T`)).toBe(`http://h/#${name}=***`)
  })

  test.each(plain.split(' '))('%s is none', (name) => {
    expect(isSecretName(name)).toBe(false)
    expect(redact(`http://h/?${name}=x`)).toBe(`http://h/?${name}=x`)
  })
})

test.each([
  'http://localhost:5173/@fs/x',
  'http://h:8080#/x@y',
  'http://h:80/a?b=c@d',
  'http://[::1]:80/a@b',
  'see http: a@b',
  'mailto:a@b',
  'news:1:2@x',
])('%s has no password', (text) => {
  expect(redact(text)).toBe(text)
})
