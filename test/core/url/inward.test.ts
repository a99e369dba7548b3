import { isInward, isLoopback } from '@retriever/core/internal'
import { expect, test } from 'vitest'

test.each([
  'localhost',
  'localhost.',
  'x.localhost',
  'x.localhost.',
  'localhost.localdomain',
  'localhost6',
  'ip6-localhost',
  'ip6-loopback',
  '127.0.0.1',
  '127.255.0.9',
  '127.0.0.1.',
  '::1',
  '::ffff:7f00:1',
])('%s is this machine, and inward', (name) => {
  expect(isLoopback(name)).toBe(true)
  expect(isInward(name)).toBe(true)
})

test.each([
  '0.0.0.0',
  '0.1.2.3',
  '169.254.169.254',
  '::',
  'fe80::1',
  'febf::1%eth0',
  '::7f00:1',
  '::ffff:a9fe:a9fe',
  // SIIT
  '::ffff:0:7f00:1',
  '::ffff:0:a9fe:a9fe',
  // NAT64
  '64:ff9b::7f00:1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::7f00:1',
  '64:ff9b:1:abcd::7f00:1',
  '64:ff9b:1:7f00:0:100::',
  '64:ff9b:1:a9fe:a9:fe00::',
  // 6to4
  '2002:7f00:1::',
  '2002:a9fe:a9fe::1',
  // Where clouds keep their secrets.
  '100.100.100.200',
  '192.0.0.192',
  '::ffff:6464:64c8',
  'fd00:ec2::254',
  'fd20:ce::254',
  'metadata.google.internal',
  'metadata.google.internal.',
  'metadata',
  'instance-data',
])('%s is inward', (name) => {
  expect(isInward(name)).toBe(true)
  expect(isLoopback(name)).toBe(false)
})

test.each([
  'localhost.example',
  'xlocalhost',
  'metadata.example',
  '128.0.0.1',
  '10.0.0.1',
  '100.100.100.201',
  '192.168.1.1',
  'fd00::1',
  'fd00:ec2::253',
  '::ffff:a00:1',
  '::ffff:0:808:808',
  '64:ff9b::808:808',
  '64:ff9b:1::808:808',
  '64:ff9b:1:808:8:800::',
  '2002:808:808::7f00:1',
  '2606:4700::6810:84e5',
])('%s is not inward', (name) => expect(isInward(name)).toBe(false))
