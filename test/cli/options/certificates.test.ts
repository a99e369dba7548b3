import { X509Certificate } from 'node:crypto'
import { testCa } from '@retriever/servers'
import { expect, test } from 'vitest'
import { certificatesText } from '../../../packages/cli/src/write-out/certificates.ts'

test('-w %{certs} tells of a certificate whose key OpenSSL cannot read, without the numbers of the key', () => {
  const der = new X509Certificate(testCa).raw.toString('hex')
  // The kind of the key (RSA, EC or Ed25519) becomes another one.
  const changed = Buffer.from(der.replace(/(2a864886f70d0101|2a8648ce3d02)01|(2b65)70/, '$1$263'), 'hex')
  expect(changed.toString('hex')).toHaveLength(der.length)
  expect(() => new X509Certificate(changed).publicKey).toThrow()
  const text = certificatesText([changed])
  expect(text).toContain('Subject:CN = "Retriever test CA, trusted by nobody"\n')
  expect(text).toMatch(/^Public Key Algorithm:[\d.]+$/m)
  expect(text).not.toContain('rsa(n)')
})
